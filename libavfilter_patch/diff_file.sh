# SPDX-License-Identifier: LGPL-2.1-or-later
# For apply.sh and upstream.sh, which source it: one file of a patch, from the folders a and b.

# As git writes it: names without times, and /dev/null for a file that is not there. patch(1) then
# creates it without an option.
diff_file() { # PATH
    old=a/$1 old_label=a/$1
    [ -f "$old" ] || old=/dev/null old_label=/dev/null
    diff -u --label "$old_label" --label "b/$1" "$old" "b/$1" >diff || [ $? -eq 1 ] || die "diff failed"
    [ -s diff ] || return 0
    printf 'diff --git a/%s b/%s\n' "$1" "$1"
    [ "$old" != /dev/null ] || echo 'new file mode 100644'
    cat diff
}
