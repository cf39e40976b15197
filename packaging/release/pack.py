#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Makes a release's files of a folder that holds what goes into it: the archive, SHA256SUMS, the
list of parts (SPDX) and the notes. The same folder gives the same bytes. scripts/release.sh runs
it. Not here: building (inside.sh), and what the folder holds (collect.py).

    pack.py --stage DIR --components FILE --name NAME --version VERSION --epoch SECONDS
            --notes FILE [--glibc VERSION] [--forbid TEXT]... OUT

Refuses programs that need a newer C library than --glibc, a shared library that is neither in
lib/ nor on every system, or that contain one of the texts --forbid (paths of the build).
"""
import argparse
import hashlib
import io
import json
import lzma
import re
import subprocess
import sys
import tarfile
from pathlib import Path

sys.dont_write_bytecode = True

import spdx  # noqa: E402
from collect import NEVER, SYSTEM, is_elf  # noqa: E402


def objdump(*words):
    return subprocess.run(["objdump", *map(str, words)], check=True, capture_output=True,
                          text=True).stdout


def version_key(text):
    return [int(number) for number in text.split(".")]


def faults_of(path, stage, options):
    """What keeps this program from running elsewhere, one sentence each."""
    name = path.relative_to(stage)
    headers = objdump("-p", path)
    for needed in re.findall(r"^ +NEEDED +(\S+)$", headers, re.M):
        if NEVER.match(needed):
            yield f"{name}: needs {needed}; link it statically"
        elif not SYSTEM.match(needed) and not (stage / "lib" / needed).exists():
            yield f"{name}: needs {needed}, which is neither in lib/ nor on every system"
    limit = version_key(options.glibc)
    for line in objdump("-T", path).splitlines():
        found = re.search(r"\*UND\*.*[( ]GLIBC_([\d.]+)\)? +(\S+)$", line)
        if found and version_key(found.group(1)) > limit:
            yield f"{name}: {found.group(2)} needs glibc {found.group(1)}; at most {options.glibc}"
    data = path.read_bytes()
    for text in options.forbid:
        if text.encode() in data:
            yield f"{name}: contains the path {text}"


def check(stage, options):
    programs = [path for path in sorted(stage.rglob("*"))
                if path.is_file() and not path.is_symlink() and is_elf(path)]
    if not programs:
        sys.exit(f"pack: no program in {stage}")
    faults = [fault for path in programs for fault in faults_of(path, stage, options)]
    if faults:
        sys.exit("pack: no archive is made:\n" + "\n".join(faults[:20]))
    return programs


def archive_of(stage, name, epoch):
    """The same bytes whoever packs, whenever, and in whatever order the folder is read."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in [stage] + sorted(stage.rglob("*")):
            entry = tar.gettarinfo(path, str(Path(name, path.relative_to(stage))))
            is_program = path.is_dir() or path.parent.name == "bin" or ".so" in path.name
            entry.mode = 0o755 if is_program else 0o644
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = "root"
            entry.mtime = epoch
            if entry.islnk():  # a hard link to a file seen before
                entry.type, entry.linkname, entry.size = tarfile.REGTYPE, "", path.stat().st_size
            if entry.isreg():
                with open(path, "rb") as file:
                    tar.addfile(entry, file)
            else:
                tar.addfile(entry)
    return lzma.compress(buffer.getvalue(), format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC64, preset=6)


def licence_of(parts):
    names = {part["name"] for part in parts}
    terms = "BSD-2-Clause-Patent AND LGPL-2.1-or-later" if "ffmpeg" in names else "BSD-2-Clause-Patent"
    ffmpeg = [part["licence"] for part in parts if part["name"] == "ffmpeg"]
    return " AND ".join([terms] + [term for term in ffmpeg if term not in terms])


def table_of(parts):
    lines = ["| part | version | how | licence |", "|---|---|---|---|"]
    lines += [f"| {part['name']} | {part['version']} | {part['link']} | {part['licence']} |"
              for part in parts]
    return "\n".join(lines) + "\n"


def write_sums(folder):
    """Of everything there, so that archives for several systems can share one folder."""
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
            for path in sorted(folder.iterdir()) if path.name.startswith("vmaf_gpu-")]
    (folder / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    print("".join(sums), end="")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("stage", "components", "name", "version", "notes"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--epoch", type=int, required=True)
    parser.add_argument("--glibc", default="2.31")
    parser.add_argument("--forbid", action="append", default=[])
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    stage = Path(options.stage)
    parts = json.loads(Path(options.components).read_text(encoding="utf-8"))
    programs = check(stage, options)

    data = archive_of(stage, options.name, options.epoch)
    archive = (options.name + ".tar.xz", hashlib.sha256(data).hexdigest())
    paths = [path for path in sorted(stage.rglob("*")) if path.is_file() and not path.is_symlink()]
    entries = [spdx.file_entry(number, str(path.relative_to(stage)), path.read_bytes(), path in programs)
               for number, path in enumerate(paths, 1)]
    listed = spdx.document(options.name, options.version, archive, options.epoch, entries, parts,
                           licence_of(parts))
    notes = Path(options.notes).read_text(encoding="utf-8")
    files = {
        archive[0]: data,
        options.name + ".spdx.json": (json.dumps(listed, indent=1) + "\n").encode(),
        options.name + ".notes.md": (notes + "\n## Parts\n\n" + table_of(parts)).encode(),
    }
    options.out.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (options.out / name).write_bytes(content)
    write_sums(options.out)


if __name__ == "__main__":
    main()
