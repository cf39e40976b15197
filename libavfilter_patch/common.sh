# SPDX-License-Identifier: LGPL-2.1-or-later
# For apply.sh and upstream.sh, which source it: lines at anchors, and patches from the folders a and b.

insert() { # before|after ANCHOR LINE < CONTENT
    where=$1 anchor=$2 text=$3 awk '
        !done && $0 ~ ENVIRON["anchor"] {
            done = 1
            if (ENVIRON["where"] == "before") { print ENVIRON["text"]; print; }
            else { print; print ENVIRON["text"]; }
            next
        }
        { print }'
}

# The same tree gives the same bytes: names are fixed, and so is the time, unless the caller has one.
mail_head() { # SUBJECT
    seconds=${SOURCE_DATE_EPOCH:-0}
    date=$(LC_ALL=C date -u -d "@$seconds" '+%a, %d %b %Y %H:%M:%S +0000' 2>/dev/null ||
        LC_ALL=C date -u -r "$seconds" '+%a, %d %b %Y %H:%M:%S +0000')
    printf '%s\n' 'From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001' \
        'From: vmaf_gpu <vmaf_gpu@localhost>' "Date: $date" "Subject: $1" 'MIME-Version: 1.0' \
        'Content-Type: text/plain; charset=UTF-8' 'Content-Transfer-Encoding: 8bit' ''
}

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
