#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Publishes what release-part.sh made.
#   scripts/ci/publish.sh sums PARTS FOLDER       all files of the folders in PARTS in one, with SHA256SUMS
#   scripts/ci/publish.sh release FOLDER TAG      as a draft of a release of the code host, by the program gh
#   scripts/ci/publish.sh index FOLDER            wheels and source to the package index, by trusted publishing
# UV: the program uv, which is installed from PyPI otherwise.
. "$(dirname "$0")/../lib/common.sh"

folder_of() { # as the user named it
    cd "$OLDPWD" && realpath -m "$1"
}

sums() { # PARTS FOLDER
    local file files=()
    mapfile -t files < <(find "$1" -type f ! -name SHA256SUMS | sort)
    [ ${#files[@]} -gt 0 ] || die "no files in $1"
    mkdir -p "$2"
    for file in "${files[@]}"; do
        [ ! -e "$2/$(basename "$file")" ] || die "two parts have a file $(basename "$file")"
        cp "$file" "$2/"
    done
    (cd "$2" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%f\0' | sort -z | xargs -0 sha256sum >SHA256SUMS)
    cat "$2/SHA256SUMS"
}

release() { # FOLDER TAG
    local version=${2#v}
    [ "$version" = "$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build)" ] ||
        die "the tag is $2, and meson.build has another version"
    (cd "$1" && sha256sum --check --quiet SHA256SUMS) || die "SHA256SUMS are not those of $1"
    awk -v heading="## $version" '/^## / { is_on = index($0 " ", heading " ") == 1; next } is_on' NEWS.md >"$build/notes.md"
    gh release create "$2" --draft --verify-tag --title "vmaf_gpu $version" --notes-file "$build/notes.md" "$1"/*
}

index() { # FOLDER
    local files
    mapfile -t files < <(find "$1" -maxdepth 1 -name 'vmaf_gpu-*.whl' -o -maxdepth 1 -name 'vmaf_gpu-*.tar.gz' | sort)
    [ ${#files[@]} -gt 0 ] || die "neither a wheel nor a source distribution in $1"
    if [ -z "${UV:-}" ]; then
        python3 -m venv "$build/uv" && "$build/uv/bin/pip" install --quiet --disable-pip-version-check uv || die "no uv"
        UV=$build/uv/bin/uv
    fi
    "$UV" publish --trusted-publishing always "${files[@]}"
}

mkdir -p "$build"
case ${1:-}/$# in
sums/3) sums "$(folder_of "$2")" "$(folder_of "$3")" ;;
release/3) release "$(folder_of "$2")" "$3" ;;
index/2) index "$(folder_of "$2")" ;;
*) die "usage: publish.sh sums PARTS FOLDER | release FOLDER TAG | index FOLDER" ;;
esac
