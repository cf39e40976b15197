#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The heatmaps of cambi (heatmaps_path) are libvmaf's, byte for byte.

    heatmaps.py --tool TOOL [--backend NAME ...]   digests of libvmaf's files
    heatmaps.py --ffmpeg FFMPEG                    the same, by the filter
    heatmaps.py --tool TOOL --vmaf VMAF            against the genuine program
    heatmaps.py --write --vmaf VMAF                writes the digests

VMAF is libvmaf's tool of commit f85a8536. With --table the cases are listed.
"""
import argparse
import dataclasses
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

DIGESTS = pathlib.Path(__file__).with_name("heatmaps_digests.json")
SCALES = 5


class Failure(Exception):
    pass


@dataclasses.dataclass
class Clip:
    """4:4:4, since libvmaf reads 4:2:0 of odd sizes in another way than others write it."""
    width: int
    height: int
    depth: int
    count: int

    @property
    def name(self):
        return f"{self.width}x{self.height}_{self.depth}_{self.count}"

    def rings(self, number):
        """Bands around the middle, brighter in each picture."""
        width, height, up = self.width, self.height, self.depth - 8
        total = width * width + height * height
        for y in range(height):
            v = (2 * y - height) ** 2
            yield [18 + 7 * number + 40 * ((2 * x - width) ** 2 + v) // total << up
                   for x in range(width)]

    def stripes(self, number):
        """Bands down to the right, one level apart, and coarse blocks."""
        width, up = self.width, self.depth - 8
        line = [40 + k // (23 + number) % 9 << up for k in range(2 * width + self.height)]
        for y in range(self.height):
            row = line[y:y + width]
            if y // 60 % 3 == number % 3:
                row[width // 3:width // 2] = [50 << up] * (width // 2 - width // 3)
            yield row

    def write(self, path, rows):
        size = 1 if self.depth == 8 else 2
        colour = "444" if self.depth == 8 else f"444p{self.depth} XYSCSS=444P{self.depth}"
        gray = (1 << self.depth - 1).to_bytes(size, "little") * (2 * self.width * self.height)
        with open(path, "wb") as file:
            file.write(f"YUV4MPEG2 W{self.width} H{self.height} F25:1 Ip A1:1 C{colour}\n".encode())
            for number in range(self.count):
                file.write(b"FRAME\n")
                for row in rows(number):
                    file.write(bytes(row) if size == 1 else
                               b"".join(level.to_bytes(2, "little") for level in row))
                file.write(gray)


@dataclasses.dataclass
class Case:
    clip: Clip
    options: str = ""
    subsample: int = 1
    model: str = ""  # model of the tool; the option stands in its overload

    @property
    def name(self):
        parts = [self.clip.name, self.options]
        parts += [f"n_subsample={self.subsample}"] if self.subsample > 1 else []
        return " ".join(part for part in parts + [self.model] if part)


SMALL, ODD, NARROW = Clip(320, 240, 8, 3), Clip(417, 311, 10, 3), Clip(233, 217, 8, 2)
V1 = "cambi_high_res_speedup=1080:cambi_vis_lum_threshold=0.06:cambi_max_val=17"
CASES = [
    Case(SMALL), Case(ODD), Case(NARROW), Case(Clip(216, 60, 10, 2)), Case(Clip(63, 216, 8, 2)),
    Case(Clip(640, 361, 8, 1)), Case(Clip(320, 240, 8, 8), "", 3), Case(ODD, "", 2),
    Case(SMALL, "window_size=127"), Case(ODD, "window_size=33"), Case(SMALL, "topk=0.05"),
    Case(SMALL, "max_log_contrast=4"), Case(ODD, "max_log_contrast=0"),
    Case(ODD, "max_log_contrast=1"), Case(SMALL, "max_log_contrast=5"),
    Case(ODD, "enc_width=300:enc_height=233"), Case(ODD, "enc_width=300:enc_height=233", 2),
    Case(SMALL, "enc_bitdepth=10"), Case(ODD, "enc_bitdepth=8"), Case(SMALL, "eotf=pq"),
    Case(SMALL, "tvi_threshold=0.005"), Case(SMALL, "cambi_max_val=5"),
    Case(NARROW, "full_ref=true"), Case(SMALL, "full_ref=true:src_width=480:src_height=360"),
    Case(SMALL, "window_size=15"),  # a window of one pixel: all is black
    Case(Clip(1920, 1080, 8, 1)), Case(Clip(1920, 1080, 10, 2), V1),
    Case(Clip(320, 240, 10, 2), "", 1, "vmaf_v1.0.16_3d0h"),
]


class Test:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.digests = json.loads(DIGESTS.read_text()) if DIGESTS.exists() else {}
        self.made = set()

    def clips(self, clip):
        names = [f"{clip.name}_{kind}.y4m" for kind in ("r", "d")]
        if clip.name not in self.made:
            self.made.add(clip.name)
            clip.write(self.folder / names[0], clip.stripes)
            clip.write(self.folder / names[1], clip.rings)
        return names

    def run(self, command):
        done = subprocess.run([str(word) for word in command], cwd=self.folder, timeout=300,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"{' '.join(map(str, command))} exited with {done.returncode}:\n"
                          f"{done.stderr[-1000:]}")

    def tool(self, program, case, target, *more):
        reference, distorted = self.clips(case.clip)
        option = "heatmaps_path=" + target.replace(":", "\\:")
        if case.model:
            words = ["-m", f"version={case.model}:cambi.{option}"]
        else:
            words = ["-n", "--feature", f"cambi={':'.join(filter(None, (case.options, option)))}"]
        self.run([program, "-r", reference, "-d", distorted, "-q", "--json", "-o", "log",
                  "--subsample", case.subsample, *words, *more])

    def filter(self, program, case, target):
        reference, distorted = self.clips(case.clip)
        option = "heatmaps_path=" + target.replace(":", r"\\\:")
        if case.model:
            words = fr"model='version={case.model}\:cambi.{option}'"
        else:
            given = "".join("\\:" + one for one in filter(None, case.options.split(":")))
            words = fr"feature='name=cambi{given}\:{option}'"
        graph = f"[0:v][1:v]vmaf_gpu=backend=cpu:formats=asis:n_subsample={case.subsample}:{words}"
        self.run([program, "-hide_banner", "-nostdin", "-v", "error", "-i", distorted, "-i",
                  reference, "-lavfi", graph, "-f", "null", "-"])

    def read(self, target):
        """The files, with names in order, and nothing else."""
        files = sorted((self.folder / target).iterdir())
        for scale, path in enumerate(files):
            if not re.fullmatch(rf"cambi_heatmap_scale_{scale}_\d+x\d+_16b\.gray", path.name):
                raise Failure(f"there is a file {path.name}")
        if len(files) != SCALES:
            raise Failure(f"there are {len(files)} files")
        return {path.name: path.read_bytes() for path in files}

    def compare(self, case, got, genuine):
        wanted = self.digests.get(case.name) if genuine is None else digests_of(genuine)
        if wanted is None:
            raise Failure("there are no digests of this case")
        if digests_of(got) != wanted:
            raise Failure(f"ours: {digests_of(got)}\n    libvmaf's: {wanted}")
        if genuine is None:
            return
        for name, data in got.items():  # digests are of no help to find the place
            if data != genuine[name]:
                raise Failure(f"{name} differs")

    def check(self, number, case):
        genuine = None
        if self.arguments.vmaf:
            self.tool(self.arguments.vmaf, case, f"genuine{number}")
            genuine = self.read(f"genuine{number}")
        if self.arguments.write:
            self.digests[case.name] = digests_of(genuine)
            return 1
        if self.arguments.ffmpeg:
            self.filter(self.arguments.ffmpeg, case, f"filter: {number}")
            self.compare(case, self.read(f"filter: {number}"), genuine)
            return 1
        for backend in self.arguments.backend:
            # The tool ends a model's option at a colon.
            target = f"tool{number}/{backend}{'' if case.model else ':0'}/new"
            self.tool(self.arguments.tool, case, target, "--backend", backend, "--threads", 3)
            self.compare(case, self.read(target), genuine)
        return len(self.arguments.backend)


def digests_of(files):
    return {name: f"{len(data)} {hashlib.sha256(data).hexdigest()}" for name, data in files.items()}


def main():
    parser = argparse.ArgumentParser()
    for name in ("tool", "ffmpeg", "vmaf"):
        parser.add_argument("--" + name, type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--backend", action="append")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    arguments.backend = arguments.backend or ["cpu"]
    if arguments.write and not arguments.vmaf:
        parser.error("--write needs --vmaf")
    if not arguments.write and bool(arguments.tool) == bool(arguments.ffmpeg):
        parser.error("one of --tool and --ffmpeg is needed")
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        test = Test(arguments, pathlib.Path(folder))
        for number, case in enumerate(CASES):
            try:
                passed += test.check(number, case)
                if arguments.table:
                    print(f"equal {case.name}")
            except Failure as error:
                failed += 1
                print(f"FAILED {case.name}: {error}")
    if arguments.write and not failed:
        DIGESTS.write_text(json.dumps(test.digests, indent=1) + "\n")
    print(f"heatmaps: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
