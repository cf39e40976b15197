#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Packs a folder into a .zip for Windows, with its SPDX document and SHA256SUMS. Two folders with the
same content give the same bytes. scripts/ci/release-windows.sh calls it. pack.py does the same for
Linux, whose programs it checks; Windows programs are checked by the script.

    pack_zip.py --stage FOLDER --name NAME --version V --epoch SECONDS --part 'NAME|VERSION|HOW|SOURCE'... OUT

The folder lies in the archive under NAME. HOW: static, headers or programs. Licences follow from the
names of sources; an unknown one is an error.
"""
import argparse
import hashlib
import io
import json
import sys
import time
import zipfile
from pathlib import Path

sys.dont_write_bytecode = True

import spdx  # noqa: E402
from collect import LICENCES  # noqa: E402
from pack import licence_of, write_sums  # noqa: E402

# What only the archive for Windows has.
LICENCES_HERE = {"ffmpeg": "LGPL-2.1-or-later", "mingw-w64": "ZPL-2.1 AND MIT",
                 "gcc-mingw-w64": "GPL-3.0-or-later WITH GCC-exception-3.1", "libz-mingw-w64": "Zlib"}


def part_of(text):
    words = text.split("|")
    if len(words) != 4 or not all(words):
        sys.exit(f"pack_zip: --part '{text}' is not allowed; expected NAME|VERSION|HOW|SOURCE")
    name, version, how, source = words
    licence = {**LICENCES, **LICENCES_HERE}.get(source)
    if licence is None:
        sys.exit(f"pack_zip: no licence is known of {source}")
    return {"name": name, "version": version, "link": how, "source": source, "licence": licence,
            "purl": name != "ffmpeg"}


def archive_of(stage, name, epoch):
    """The same order, times and modes whoever packs."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(stage.rglob("*")):
            if path.is_file():
                info = zipfile.ZipInfo(f"{name}/{path.relative_to(stage).as_posix()}",
                                       time.gmtime(epoch)[:6])
                info.compress_type = zipfile.ZIP_DEFLATED
                info.create_system, info.external_attr = 3, 0o644 << 16
                archive.writestr(info, path.read_bytes())
    return buffer.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("stage", "name", "version"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--epoch", type=int, required=True)
    parser.add_argument("--part", action="append", required=True)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    stage = Path(options.stage)
    parts = [part_of(text) for text in options.part]
    data = archive_of(stage, options.name, options.epoch)
    entries = [spdx.file_entry(number, path.relative_to(stage).as_posix(), path.read_bytes(),
                               path.suffix in (".exe", ".dll"))
               for number, path in enumerate(sorted(file for file in stage.rglob("*") if file.is_file()), 1)]
    if not entries:
        sys.exit(f"pack_zip: nothing is in {stage}")
    listed = spdx.document(options.name, options.version,
                           (options.name + ".zip", hashlib.sha256(data).hexdigest()), options.epoch,
                           entries, parts, licence_of(parts))
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / (options.name + ".zip")).write_bytes(data)
    (options.out / (options.name + ".spdx.json")).write_text(json.dumps(listed, indent=1) + "\n",
                                                              encoding="utf-8")
    write_sums(options.out)


if __name__ == "__main__":
    main()
