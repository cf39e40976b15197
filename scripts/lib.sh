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

# CUDA kernels take minutes for every GPU there is: build for the one that is
# here, else machine code for the oldest and PTX, which drivers finish for any later one.
# Packagers configure by hand and get all.
local_cuda_archs() {
    local found
    found=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
        tr -d . | grep -E '^[0-9]+$' | sort -u | paste -sd, -) || true
    echo "${found:-75}"
}

# AMD kernels take minutes for every GPU there is, too: one architecture of each
# wave size, which is what the stand-in runtimes of the tests report. The test
# step "hip" compiles the others. AMD_ARCHS="gfx1100 ..." adds those of cards at hand.
local_hip_archs() {
    # shellcheck disable=SC2086 # a list
    printf '%s\n' gfx90a gfx1030 ${AMD_ARCHS:-} | sort -u | paste -sd, -
}

# The one configuration of build/: who comes first does it for all. Warnings are errors in CI and
# in test.sh only: a user's compiler may know more of them than ours.
configure_engine() {
    local werror=false
    [ "${CI:-}" != true ] || werror=true
    [ -f "$build/build.ninja" ] || meson setup "$build" -Dbuildtype=release -Dwerror="$werror" \
        -Dnvcc_archs="$(local_cuda_archs)" -Dhip_archs="$(local_hip_archs)"
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
