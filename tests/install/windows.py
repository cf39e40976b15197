# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What the tests of this folder share: clips, and programs run under Wine in a folder of their own.
"""
import dataclasses
import os
import random
import re
import subprocess
import tempfile
import unittest

NAMES = "r\u00e9f\u65e5\u672c"


def clip(width, height, count, seed, depth=8):
    """Noise over a moving ramp. The first picture begins with 1A, the end of a text file."""
    noise = random.Random(seed)
    wide = 2 if depth > 8 else 1
    tag = "420" if depth == 8 else f"420p{depth}"
    data = [f"YUV4MPEG2 W{width} H{height} F25:1 C{tag}\n".encode()]
    limit = (1 << depth) - 1
    for picture in range(count):
        row = [((x * 3 + picture * 7) % 160 << (depth - 8)) for x in range(width)]
        samples = [min(limit, value + noise.randrange(24 << (depth - 8)))
                   for _ in range(height) for value in row]
        samples[0] = 0x1a
        samples += [1 << (depth - 1)] * (width * height // 2)
        data.append(b"FRAME\n" + b"".join(value.to_bytes(wide, "little") for value in samples))
    return b"".join(data)


CLIPS = {depth: [clip(224, 176, 6, seed, depth) for seed in (1, 2)] for depth in (8, 10)}


@dataclasses.dataclass
class Backend:
    variable: str  # environment variable with another library's path
    standin: str  # file of the stand-in, on Windows and on Linux
    linux_standin: str
    names: tuple  # names of the driver's library on Windows, in the order in which they are tried
    launch: str  # the call that starts a kernel


BACKENDS = {
    "cuda": Backend("VMAFGPU_CUDA_LIBRARY", "libcuda-1.dll", "libcuda.so.1", ("nvcuda.dll",),
                    "cuLaunchKernel"),
    "hip": Backend("VMAFGPU_HIP_LIBRARY", "libamdhip64.dll", "libamdhip64.so",
                   ("amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll"), "hipModuleLaunchKernel"),
}


class Standins:
    """tests/device as built for Windows (drive "Z:") or for Linux (drive "")."""

    def __init__(self, folder, drive):
        self.folder, self.drive = os.path.abspath(folder), drive

    def file(self, backend):
        of = BACKENDS[backend]
        return os.path.join(self.folder, of.standin if self.drive else of.linux_standin)

    def only(self, backend):
        """The environment with this one and no other."""
        return {of.variable: self.drive + self.file(name) if name == backend else "none"
                for name, of in BACKENDS.items()}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def without_speed(log):
    """The one value of a log that is not a result."""
    return re.sub(rb'("fps": |fps=")[0-9.]+|[0-9.]+(?= frames/s)', rb"\1", log)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("r.y4m", CLIPS[8][0])
        self.write("d.y4m", CLIPS[8][1])

    def write(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def windows_path(self, *names):
        """Wine shows the whole file system as drive Z."""
        return "Z:" + self.path(*names).replace("/", "\\")

    def run_program(self, *args, code=0, data=None, env=None):
        result = subprocess.run(args, input=data, capture_output=True, timeout=120, check=False,
                                cwd=self.folder, env={**os.environ, **(env or {})})
        if code is not None:
            self.assertEqual(result.returncode, code, result.stderr.decode(errors="replace"))
        return result
