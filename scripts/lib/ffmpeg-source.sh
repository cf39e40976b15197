# SPDX-License-Identifier: BSD-2-Clause-Patent
# Source code of FFmpeg from Debian's archive, for scripts that have sourced common.sh: of the release
# that this system has, or of another one. apt checks the archive's signature. Nothing is installed.

# Where Debian has which release.
declare -A ffmpeg_suites=([5.1]=bookworm [7.1]=trixie [8.1]=forky [9.0]=sid)

# Entries for the source code (or, as TYPE deb, the packages) of one more suite, for each mirror of
# Debian's own that this system installs from: those that the suite's main archive is read of,
# no updates. False if there is none: not Debian.
write_debian_suite() { # SUITE [TYPE]
    local parts=$build/apt/$1/sources.list.d type=${2:-deb-src} release
    release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    grep -qx 'ID=debian' /etc/os-release && [ -n "$release" ] || return 1
    write_apt_configuration "$build/apt/$1"
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        sed -n "s/^[[:space:]]*deb\([[:space:]].*[[:space:]]\)${release}[[:space:]].*/$type\1$1 main/p" \
            >"$parts/1.list"
    # In the other format a stanza ends with an empty line.
    cat /etc/apt/sources.list.d/*.sources 2>/dev/null |
        awk -v suite="$1" -v release="$release" -v type="$type" '
        BEGIN { RS = ""; FS = "\n" }
        $0 ~ "\nSuites:([^\n]* )?" release "( |\n|$)" {
            for (i = 1; i <= NF; i++) {
                sub(/^Types:.*/, "Types: " type, $i)
                sub(/^Suites:.*/, "Suites: " suite, $i)
                sub(/^Components:.*/, "Components: main", $i)
                if ($i !~ /^#/) print $i
            }
            print ""
        }' >"$parts/2.sources"
    [ -s "$parts/1.list" ] || [ -s "$parts/2.sources" ]
}

# The headers of Vulkan alone, of a later release, below build/: FFmpeg finds the library at run time.
fetch_vulkan_headers() {
    local folder=$build/vulkan-headers
    [ ! -d "$folder" ] || return 0
    note "fetching the headers of Vulkan (Debian trixie's libvulkan-dev)"
    write_debian_suite trixie deb || { note "no mirror of Debian in /etc/apt"; return 1; }
    private_apt update || return 1
    rm -rf "$folder.new"
    mkdir -p "$folder.new"
    (cd "$folder.new" && private_apt download libvulkan-dev && dpkg-deb -x libvulkan-dev_*.deb .) ||
        return 1
    mv "$folder.new" "$folder"
}

ffmpeg_tree_in() { # VERSION FOLDER: prints the newest tree of this release there, or nothing
    find -L "$2" -mindepth 1 -maxdepth 1 -name "ffmpeg-$1*" -type d 2>/dev/null | sort -V | tail -n 1
}

# A mirror between two versions may have the original only; Debian's part is no matter here.
unpack_original() { # VERSION FOLDER
    local archive
    archive=$(find "$2" -name "ffmpeg_$1*.orig.tar.*" ! -name '*.asc' | sort -V | tail -n 1)
    [ -n "$archive" ] && tar -C "$2" -xf "$archive"
}

# Fetches a release into FOLDER, in a folder of its own first: a download that breaks off leaves
# nothing that looks like a tree. False if it cannot be had.
fetch_ffmpeg() { # VERSION FOLDER
    local suite=${ffmpeg_suites[$1]} new=$2/new from
    note "fetching the source of FFmpeg $1 (Debian $suite)"
    write_debian_suite "$suite" || { note "no mirror of Debian in /etc/apt"; return 1; }
    private_apt update || return 1
    rm -rf "$new"
    mkdir -p "$new"
    (cd "$new" && private_apt source ffmpeg) || unpack_original "$1" "$new" || return 1
    from=$(ffmpeg_tree_in "$1" "$new")
    [ -n "$from" ] || { note "Debian $suite has another FFmpeg than $1"; return 1; }
    rm -rf "${2:?}/$(basename "$from")"
    mv "$from" "$2/"
    rm -rf "$new"
}
