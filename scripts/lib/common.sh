# SPDX-License-Identifier: BSD-2-Clause-Patent
# Shared by the scripts in this folder, which source it first. It moves to the
# repository's root ($OLDPWD is where the user stands); `build` is the one folder
# that anything is written to.

set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
build=$root/build
jobs=$(nproc)

note() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
}

die() {
    note "error: $*"
    exit 1
}

# FFmpeg's own configure stops at such paths, when all before it was built.
require_plain_path() {
    [[ $root != *[[:space:]\"\'\$\`\\]* ]] ||
        die "FFmpeg cannot be built in '$root': move this checkout to a path without blanks, quotes, \$ and \\"
}

# shellcheck source=scripts/lib/gpu.sh
. "$root/scripts/lib/gpu.sh"

# One line that moves says how far it is; the rest goes to build/log. VERBOSE=1: all is shown.
show_progress() { # LOG WHAT TOTAL: until it is killed
    local begin=$SECONDS seconds done total left
    while sleep 0.5 && kill -0 $$ 2>/dev/null; do
        seconds=$((SECONDS - begin))
        # Ninja's [n/m], or as many lines as make prints for its files.
        read -r done total < <(sed -n 's/^\[\([0-9]*\)\/\([0-9]*\)\].*/\1 \2/p' "$1" | tail -n 1)
        [ -n "${done:-}" ] || [ "$3" -eq 0 ] || { done=$(grep -cE '^[A-Z0-9]+\s' "$1") total=$3; }
        left=
        if [ -n "${done:-}" ] && [ "$done" -gt 9 ] && [ "$total" -ge "$done" ]; then
            left=", $done of $total, about $((seconds * (total - done) / done)) s left"
        fi
        printf '\r\033[K%s: %d s%s' "$2" "$seconds" "$left" >&2
    done
}

run_logged() { # NAME WHAT COMMAND...; TOTAL: lines that a make will print, if known
    local name=$1 what=$2 log=$build/log/$1.log begin=$SECONDS status=0 printer=
    shift 2
    mkdir -p "$build/log"
    : >"$log"
    if [ -n "${VERBOSE:-}" ]; then
        "$@" > >(tee "$log" >&2) 2>&1 </dev/null || status=$?
        return "$status"
    fi
    if [ -t 2 ]; then
        show_progress "$log" "$what" "${TOTAL:-0}" &
        printer=$!
    else
        note "$what (log: build/log/$name.log)"
    fi
    "$@" >"$log" 2>&1 </dev/null || status=$?
    [ -z "$printer" ] || { kill "$printer" && wait "$printer" || true; } 2>/dev/null
    [ ! -t 2 ] || printf '\r\033[K' >&2
    [ "$status" -ne 0 ] || { note "$what: $((SECONDS - begin)) s" && return; }
    # A compiler's first errors, else the end.
    { grep -m3 -A3 -E 'error:|ERROR|undefined reference|\*\*\*|^FAILED|^E: ' "$log" || tail -n 12 "$log"; } >&2
    ! grep -q 'No space left' "$log" || note "the disk is full: free some space; a second run goes on from here"
    note "error: $what failed; all of it: build/log/$name.log"
    return "$status"
}

# The compiler's verdicts are kept where Meson keeps its own.
gpu_compiler() { # hip|ptx; prints the path
    "$root/tools/gpu_compiler.sh" "$1" --cache "$build/gpu-compilers" 2>/dev/null | sed -n 's/^use //p' | grep .
}

# Kernels take minutes for every GPU there is. For tests: one AMD architecture of each wave size, which
# is what the stand-in runtimes report; those of the cards at hand come along. full: a family's, too.
test_hip_archs() { # test|full
    local compiler
    compiler=$(gpu_compiler hip) || compiler=
    {
        printf '%s\n' gfx90a gfx1030
        [ "$1" = test ] || [ -z "$compiler" ] || ! makes_hip "$compiler" gfx10-3-generic || echo gfx10-3-generic
        local_hip_archs
    } | sort -Vu | paste -sd, -
}

# What the scripts configure build/ with. quick: for scores on this machine. test: what scripts/test.sh
# needs; full: what scripts/test.sh full does.
engine_options() { # quick|test|full
    printf '%s\n' -Dhip=auto -Dcuda=auto "-Dnvidia_compiler=$(nvidia_compiler)" -Db_ndebug=true -Db_pch=true
    if [ "$1" = quick ]; then
        # Full optimisation for loops only: a third less time.
        printf '%s\n' -Dtests=false -Demu=false -Dcpu_levels=local -Dhip_archs=local -Dnvcc_archs=local \
            -Doptimization=1
    else
        printf '%s\n' -Doptimization=3 -Dtests=true -Demu=true -Dpython=enabled -Dcpu_levels=all "-Dhip_archs=$(test_hip_archs "$1")" \
            "-Dnvcc_archs=$(local_cuda_archs | paste -sd, - | grep . || echo 75)"
        [ "$1" = test ] && [ -z "$(local_cuda_archs)" ] && echo -Dptx_targets=75 || echo -Dptx_targets=61,75,80
    fi
}

# A copy of a checkout has the original's build/: ninja would build the sources there, and install below it.
require_own_build() {
    local info=$build/meson-info/meson-info.json other
    [ -f "$info" ] || return 0
    other=$(sed -n 's/.*"build": "\([^"]*\)", "info".*/\1/p' "$info")
    [ -z "$other" ] || [ "$other" -ef "$build" ] ||
        die "build/ is a copy of $other, or was moved from there, and would build what is there: remove build/"
}

# The one configuration of build/. Who needs more configures it again; what somebody configured by
# hand stays. The record has what the options came from: cards and compilers that come later change it.
configure_engine() { # [test|full]
    local record=$build/configured mode=quick wanted options
    require_own_build
    [ -f "$record" ] || [ ! -f "$build/build.ninja" ] || return 0
    # Who has more keeps it.
    for options in test full; do
        [ "${1:-}" != "$options" ] && [ "$(head -n 1 "$record" 2>/dev/null)" != "$options" ] || mode=$options
    done
    options=$(engine_options "$mode")
    wanted=$mode$'\n'$options
    [ "$mode" = quick ] && [ -z "$(local_hip_archs)" ] || wanted+=$'\n'$(gpu_compiler hip || echo 'no clang for AMD')
    wanted+=$'\n'"AMD: $(local_hip_archs | paste -sd' ' -)"
    [ -z "$(local_cuda_archs)" ] || wanted+=$'\n'"$(local_cuda_archs) $(find_nvcc || gpu_compiler ptx || true)"
    [ "$(cat "$record" 2>/dev/null)" != "$wanted" ] || [ ! -f "$build/build.ninja" ] || return 0
    # Warnings are errors in CI and in test.sh only: a user's compiler may know more of them than ours.
    [ "${CI:-}" != true ] || options+=" -Dwerror=true"
    # shellcheck disable=SC2046,SC2086 # words
    run_logged configure "configuring the engine" meson setup "$build" \
        $([ ! -f "$build/build.ninja" ] || echo --reconfigure) -Dbuildtype=release $options || exit 1
    sed -n 's/^.*Message: \([a-z]*: passed over .*\)/\1/p' "$build/log/configure.log" >&2
    printf '%s\n' "$wanted" >"$record"
}

# A compiler for GPUs that fails leaves its backend out. It never stops the rest.
build_engine() { # TARGETS...
    local backend log=$build/log/engine.log
    run_logged engine "building the engine" ninja -C "$build" -j "$jobs" "$@" && return
    for backend in hip cuda; do
        grep -qE "^FAILED: src/engine/$backend/.*\\.(co|ptx|fatbin)" "$log" || continue
        note "the $backend backend is left out: its compiler fails on $(sed -nE \
            "s#^FAILED: src/engine/$backend/([^ ]*).*#\\1#p" "$log" | head -n 1). Another compiler: $(install_command \
            'clang-19 lld-19' 'clang lld' 'clang lld' 'clang lld' 'install clang and lld'), then remove build/"
        cp "$log" "$build/log/engine-$backend.log"
        meson configure "$build" "-D$backend=disabled"
        run_logged engine "building the engine without it" ninja -C "$build" -j "$jobs" "$@"
        return
    done
    return 1
}

configured() { # OPTION; prints what build/ has, a list joined by commas
    python3 - "$build/meson-info/intro-buildoptions.json" "$1" <<'EOF'
import json
import sys
for option in json.load(open(sys.argv[1], encoding="utf-8")):
    if option["name"] == sys.argv[2]:
        value = option["value"]
        print(",".join(value) if isinstance(value, list) else value)
EOF
}

# Clang's AddressSanitizer and UndefinedBehaviorSanitizer, for two scripts: the fuzz targets, and
# the small run of test-sanitizers.sh, which then has the engine compiled already. With --unity one run of
# the compiler has 16 sources, which halves the time: two sources may not give one name two meanings.
configure_fuzz() {
    command -v clang++ >/dev/null || die "no clang++; scripts/setup.sh installs it"
    [ -f "$build/fuzz/build.ninja" ] || CC=clang CXX=clang++ meson setup "$build/fuzz" \
        -Dbuildtype=plain -Doptimization=0 -Db_sanitize=address,undefined -Db_lundef=false \
        --unity=on -Dunity_size=16 -Db_ndebug=false -Db_pch=true "-Dcpp_args=['-DVMAFGPU_FEW_LEVELS','-gline-tables-only']" -Dfuzz=true \
        -Dcuda=disabled -Dhip=disabled -Demu=false -Dtools=false
}

# apt-get over the user's own package sources, or another suite's, in a configuration of our own:
# nothing under /etc or /var changes, and root is not needed. Each suite has lists of its own.
apt_folder=$build/apt/system
private_apt() {
    apt-get -q -c "$apt_folder/apt.conf" "$@"
}

write_apt_configuration() { # FOLDER
    apt_folder=$1
    rm -rf "$apt_folder/sources.list.d"
    mkdir -p "$apt_folder"/{lists/partial,cache/archives/partial,sources.list.d}
    # Hooks of the user's configuration would act on the system's own lists.
    cat >"$apt_folder/apt.conf" <<EOF
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$apt_folder/sources.list.d";
Dir::State::lists "$apt_folder/lists";
Dir::Cache "$apt_folder/cache";
APT::Sandbox::User "$(id -un)";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
EOF
}

private_apt_update() {
    local file count=0
    write_apt_configuration "$build/apt/system"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -f "$file" ] || continue
        count=$((count + 1))
        sed -n 's/^[[:space:]]*deb\([[:space:]].*\)/deb\1\ndeb-src\1/p' "$file" >"$apt_folder/sources.list.d/$count.list"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -f "$file" ] || continue
        count=$((count + 1))
        sed 's/^Types:.*/Types: deb deb-src/' "$file" >"$apt_folder/sources.list.d/$count.sources"
    done
    [ "$count" -gt 0 ] || die "no package sources in /etc/apt"
    private_apt update || note "some package lists could not be read; going on"
}

# Megabytes that must be free before anything is begun.
require_space() { # MEGABYTES
    local free
    free=$(df -Pm "$root" | awk 'END { print $4 }')
    [ "$free" -ge "$1" ] || die "only $free MB are free in $root, and the build needs $1:" \
        "free some, or clone the repository to another disk"
}

# A minimal Debian 12 in build/debian-base, made if there is none yet (needs root). Another suite is in
# build/debian-base-SUITE.
debian_base() { # [MIRROR [SUITE]]: default, the mirror that apt uses here, of any suite
    local suite=${2:-bookworm} base=$build/debian-base mirror
    [ "$suite" = bookworm ] || base+=-$suite
    [ ! -d "$base" ] || return 0
    mirror=${1:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
        'Origin: Debian' 'Codename: bookworm' | head -n 1)}
    rm -rf "$base.new"
    debootstrap --variant=minbase "$suite" "$base.new" ${mirror:+"$mirror"}
    mv "$base.new" "$base"
}
