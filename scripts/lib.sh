# SPDX-License-Identifier: BSD-2-Clause-Patent
# Shared by the scripts in this folder, which source it first. It moves to the
# repository's root ($OLDPWD is where the user stands); `build` is the one folder
# that anything is written to.

set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
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

# shellcheck source=scripts/gpu-lib.sh
. "$root/scripts/gpu-lib.sh"

# CUDA kernels take minutes for every GPU there is: build for those that are here, else machine
# code for the oldest and PTX, which drivers finish for any later one. Packagers configure by
# hand and get all.
local_cuda_archs() {
    local found
    found=$(cuda_archs | paste -sd, -)
    echo "${found:-75}"
}

# AMD kernels take minutes for every GPU there is, too: one architecture of each wave size, which
# is what the stand-in runtimes of the tests report, a family's, and those of the cards at hand.
# The test step "hip" compiles the others. AMD_ARCHS="gfx1100 ..." is for other cards than those at
# hand; a name that the compiler does not know is then an error.
local_hip_archs() {
    # shellcheck disable=SC2086 # a list
    printf '%s\n' gfx90a gfx1030 $(buildable_amd_family) ${AMD_ARCHS:-$(amd_archs | buildable_amd_archs)} |
        sort -Vu | paste -sd, -
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

has_all() { # LIST LIST: is all of the second in the first?
    local name
    [ "$1" != default ] || return 0
    for name in ${2//,/ }; do
        [[ ,$1, == *,$name,* ]] || return 1
    done
}

with_more() { # LIST LIST; prints the first, and what it lacks of the second
    [ "$1" != default ] || { echo default && return; }
    tr , '\n' <<<"$1,$2" | sort -Vu | paste -sd, -
}

# Whether a backend could be built that build/ lacks: its compiler came later.
is_compiler_new() { # OPTION GENERATED_FILE COMMAND: does COMMAND find a compiler now?
    [ "$(configured "$1")" != disabled ] && ! grep -q "$2" "$build/build.ninja" && "$3" >/dev/null
}

is_cuda_compiler_new() { # NVIDIA_COMPILER
    if [ "$1" != clang ] && find_nvcc >/dev/null; then
        is_compiler_new cuda cuda_kernels.cpp find_nvcc
    else
        [ "$1" != nvcc ] && is_compiler_new cuda ptx_kernels.cpp find_ptx_compiler
    fi
}

# The one configuration of build/: who comes first does it for all. Cards and compilers that came
# later are added to it; nothing is taken away, because what was built once is compiled already.
# Warnings are errors in CI and in test.sh only: a user's compiler may know more of them than ours.
configure_engine() {
    local werror=false cuda hip old_cuda old_hip compiler
    [ "${CI:-}" != true ] || werror=true
    cuda=$(local_cuda_archs)
    hip=$(local_hip_archs)
    compiler=$(nvidia_compiler)
    if [ ! -f "$build/build.ninja" ]; then
        meson setup "$build" -Dbuildtype=release -Dwerror="$werror" -Dnvcc_archs="$cuda" \
            -Dhip_archs="$hip" -Dnvidia_compiler="$compiler"
        return
    fi
    old_cuda=$(configured nvcc_archs)
    old_hip=$(configured hip_archs)
    # What somebody chose stays, and so does clang when the card is gone.
    [ "$(configured nvidia_compiler)" = auto ] || compiler=$(configured nvidia_compiler)
    if [ "$compiler" = "$(configured nvidia_compiler)" ] && has_all "$old_cuda" "$cuda" &&
        has_all "$old_hip" "$hip" &&
        ! is_cuda_compiler_new "$compiler" &&
        ! is_compiler_new hip hip_kernels.cpp find_hip_compiler; then
        return
    fi
    cuda=$(with_more "$old_cuda" "$cuda")
    hip=$(with_more "$old_hip" "$hip")
    note "configuring build/ again: kernels for NVIDIA $cuda, AMD $hip"
    meson setup --reconfigure "$build" -Dnvcc_archs="$cuda" -Dhip_archs="$hip" \
        -Dnvidia_compiler="$compiler"
}

# Clang's AddressSanitizer and UndefinedBehaviorSanitizer, for two scripts: the fuzz targets, and
# the small run of test-sanitizers.sh, which then has the engine compiled already.
configure_fuzz() {
    command -v clang++ >/dev/null || die "no clang++; scripts/setup.sh installs it"
    [ -f "$build/fuzz/build.ninja" ] || CC=clang CXX=clang++ meson setup "$build/fuzz" \
        -Dbuildtype=debug -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false \
        -Db_ndebug=false -Dcpp_args=-DVMAFGPU_FEW_LEVELS -Dfuzz=true \
        -Dcuda=disabled -Dhip=disabled -Demu=false -Dtools=false
}

# apt-get over the user's own package sources, and their source-code parts, in a
# configuration of our own: nothing under /etc or /var changes, and root is not
# needed.
private_apt() {
    apt-get -q -c "$build/apt/apt.conf" "$@"
}

write_apt_configuration() {
    mkdir -p "$build/apt/lists/partial" "$build/apt/cache/archives/partial"
    # Hooks of the user's configuration would act on the system's own lists.
    cat >"$build/apt/apt.conf" <<EOF
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$build/apt/sources.list.d";
Dir::State::lists "$build/apt/lists";
Dir::Cache "$build/apt/cache";
APT::Sandbox::User "$(id -un)";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
EOF
}

private_apt_update() {
    local parts=$build/apt/sources.list.d file count=0
    rm -rf "$parts"
    mkdir -p "$parts"
    write_apt_configuration
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -f "$file" ] || continue
        count=$((count + 1))
        sed -n 's/^[[:space:]]*deb\([[:space:]].*\)/deb\1\ndeb-src\1/p' "$file" >"$parts/$count.list"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -f "$file" ] || continue
        count=$((count + 1))
        sed 's/^Types:.*/Types: deb deb-src/' "$file" >"$parts/$count.sources"
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

# A minimal Debian 12 in build/debian-base, made if there is none yet (needs root).
debian_base() { # [MIRROR]: default, the one that apt uses here
    local base=$build/debian-base mirror
    [ ! -d "$base" ] || return 0
    mirror=${1:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
        'Origin: Debian' 'Codename: bookworm' | head -n 1)}
    rm -rf "$base.new"
    debootstrap --variant=minbase bookworm "$base.new" ${mirror:+"$mirror"}
    mv "$base.new" "$base"
}
