#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Pictures of the worst frames in the tool's page: every pixel of the PNG files against this
file's own conversion, which frames are shown, and what the page says where there are none.

    test_thumbnails.py TOOL
"""
import base64
import html.parser
import json
import os
import random
import re
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib
from fractions import Fraction

import runs

TOOL = sys.argv[1]
MATRICES = {"BT.601": ("0.299", "0.114"), "BT.709": ("0.2126", "0.0722"),
            "BT.2020": ("0.2627", "0.0593"), "FCC": ("0.30", "0.11"), "SMPTE 240M": ("0.212", "0.087")}
SIDE = 320  # largest side


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.images, self.captions, self.cells, self.notes = {}, [], [], []
        self.open, self.text = [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.open.append(tag)
        self.text = ""
        if tag == "img":
            assert attrs["alt"] not in self.images, attrs["alt"]
            self.images[attrs["alt"]] = read_png(attrs)
        if tag in ("img", "meta"):
            self.open.pop()

    def handle_data(self, data):
        self.text += data

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        {"figcaption": self.captions, "td": self.cells, "p": self.notes}.get(tag, []).append(
            self.text)

    def note(self):
        found = [text for text in self.notes if "ictures" in text]
        assert len(found) == 1, self.notes
        return found[0]


def read_png(attrs):
    """Rows of pixels. Only what the tool writes: 8 bit, RGB, rows filtered by "Sub"."""
    prefix = "data:image/png;base64,"
    assert attrs["src"].startswith(prefix)
    data = base64.b64decode(attrs["src"][len(prefix):], validate=True)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = [], 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
        chunks.append((kind, body))
        at += 12 + size
    assert [kind for kind, _ in chunks] == [b"IHDR", b"IDAT", b"IEND"]
    width, height, *rest = struct.unpack(">IIBBBBB", chunks[0][1])
    assert rest == [8, 2, 0, 0, 0]
    assert (int(attrs["width"]), int(attrs["height"])) == (width, height)
    packed = zlib.decompress(chunks[1][1])
    assert len(packed) == (1 + 3 * width) * height
    rows = []
    for y in range(height):
        row = bytearray(packed[y * (1 + 3 * width):(y + 1) * (1 + 3 * width)])
        assert row[0] == 1
        for x in range(4, len(row)):
            row[x] = (row[x] + row[x - 3]) & 255
        rows.append([tuple(row[1 + 3 * x:4 + 3 * x]) for x in range(width)])
    return rows


def plane_sizes(chroma, width, height):
    w = (width + 1) // 2 if chroma in ("420", "422") else width
    h = (height + 1) // 2 if chroma == "420" else height
    return [(width, height)] + ([] if chroma == "400" else [(w, h)] * 2)


def expected_pixels(planes, sizes, depth, matrix, is_full):
    """The mean of what a pixel covers, converted exactly and rounded."""
    width, height = sizes[0]
    longer = max(width, height, SIDE)
    out = [max(1, (2 * side * SIDE + longer) // (2 * longer)) for side in (width, height)]
    kr, kb = map(Fraction, MATRICES[matrix])
    one, full = 1 << (depth - 8), (1 << depth) - 1
    rows = []
    for y in range(out[1]):
        row = []
        for x in range(out[0]):
            mean = [0, Fraction(128 * one), Fraction(128 * one)]
            for p, (w, h) in enumerate(sizes):
                left, top = x * w // out[0], y * h // out[1]
                right = max((x + 1) * w // out[0], left + 1)
                bottom = max((y + 1) * h // out[1], top + 1)
                samples = [planes[p][j * w + i] for j in range(top, bottom)
                           for i in range(left, right)]
                mean[p] = Fraction(sum(samples), len(samples))
            luma = mean[0] / full if is_full else (mean[0] - 16 * one) / (219 * one)
            cb, cr = ((m - 128 * one) / (full if is_full else 224 * one) for m in mean[1:])
            red, blue = luma + 2 * (1 - kr) * cr, luma + 2 * (1 - kb) * cb
            green = (luma - kr * red - kb * blue) / (1 - kr - kb)
            row.append(tuple(int(min(max(v, 0), 1) * 255 + Fraction(1, 2))
                             for v in (red, green, blue)))
        rows.append(row)
    return rows


def samples_of(chroma, depth, size, seed):
    """A picture's planes: a texture over a gradient, in all planes over the whole range."""
    rng = random.Random(seed)
    top = (1 << depth) - 1
    return [[min(top, max(0, (x * top // w + y * top // h) // 2 + rng.randrange(-top // 4, top // 4)))
             for y in range(h) for x in range(w)]
            for w, h in plane_sizes(chroma, *size)]


def pack(planes, depth):
    return b"".join(struct.pack(f"<{len(p)}{'B' if depth == 8 else 'H'}", *p) for p in planes)


def y4m(colour, size, pictures, extra="", frame=b"FRAME\n"):
    head = f"YUV4MPEG2 W{size[0]} H{size[1]} F25:1 C{colour}{extra}\n".encode()
    return head + b"".join(frame + data for data in pictures)


SIZE = 64
COUNT = 40
# Frames of the numbered clip from the worst on: with the most noise first.
WORST = [17, 5, 39, 0, 22, 31, 8, 12]


def numbered(step, is_distorted):
    """Grey pictures whose first rows tell their number; the worst ones have noise."""
    pictures = []
    for t in range(COUNT):
        rng = random.Random(t)
        noise = 16 * (len(WORST) - WORST.index(t)) if is_distorted and t in WORST else 0
        rows = [16 + 5 * t if y < 8 else
                min(255, max(0, 128 + (x * step + y * 3) % 64 + (rng.randrange(-noise, noise) if noise else 0)))
                for y in range(SIZE) for x in range(SIZE)]
        pictures.append(bytes(rows))
    return pictures


REFERENCE = numbered(3, False)
DISTORTED = numbered(3, True)


def number_of(rows):
    """Returns the number that a picture of the numbered clip shows."""
    value = Fraction(rows[0][0][0] * 219, 255)
    return round(value / 5)


class Pictures(runs.Case):
    program, options = TOOL, ("--backend", "cpu", "--formats", "asis")

    def setUp(self):
        super().setUp()
        self.reference = self.path("r.y4m", y4m("mono", (SIZE, SIZE), REFERENCE))
        self.distorted = self.path("d.y4m", y4m("mono", (SIZE, SIZE), DISTORTED))

    def page(self, *args, **options):
        path = self.path("page.html")
        self.run_tool("-q", "--html", "-o", path, *args, **options)
        return self.read(path)

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return Page(file.read())

    def script(self, text):
        """Environment with an ffmpeg of our own; $n is the number of the call."""
        told = runs.probed(f"fmt:gray s:{SIZE}x{SIZE} i:P")
        answer = "" if "info" in text else f"[ $n = info ] && echo '{told}' >&2 && exit"
        path = self.path("ffmpeg", f"""#!/bin/sh
dir='{self.folder}'
case "$*" in *showinfo*) n=info;; *) echo "$*" >>"$dir/calls"; n=$(wc -l <"$dir/calls");; esac
{answer}
{text}
""".encode())
        os.chmod(path, stat.S_IRWXU)
        return {**os.environ, "VMAF_GPU_FFMPEG": path}

    def calls(self):
        with open(self.path("calls"), encoding="utf-8") as file:
            return len(file.read().splitlines())

    # ----------------------------------------------------------------- pixels

    def check_pixels(self, colour, chroma, depth, size, extra="", alpha=False, matrix="BT.601",
                     note="by the size of the video", **options):
        planes = {name: [samples_of(chroma, depth, size, seed + t) for t in range(2)]
                  for name, seed in (("reference", 1), ("distorted", 100))}
        paths = []
        for name, pictures in planes.items():
            data = [pack(p, depth) + bytes(size[0] * size[1]) * alpha for p in pictures]
            paths.append(self.path(name, y4m(colour, size, data, extra)))
        page = self.page("-r", paths[0], "-d", paths[1], **options)
        self.assertEqual(sorted(page.images), sorted(
            f"{name}, frame {t}" for name in planes for t in range(2)))
        for name, pictures in planes.items():
            for t, picture in enumerate(pictures):
                self.assertEqual(page.images[f"{name}, frame {t}"], expected_pixels(
                    picture, plane_sizes(chroma, *size), depth, matrix, "FULL" in extra),
                    f"{colour} {size} {name} {t}")
        self.assertEqual(page.note(), f"Pictures of both videos: converted by {matrix} ({note}), "
                         f"{'full' if 'FULL' in extra else 'limited'} range.")

    def test_every_layout_and_depth(self):
        odd = (53, 35)
        for colour, chroma, depth in (
                ("420", "420", 8), ("420jpeg", "420", 8), ("422", "422", 8), ("444", "444", 8),
                ("mono", "400", 8), ("420p10", "420", 10), ("422p12", "422", 12),
                ("444p16", "444", 16), ("mono9", "400", 9), ("420p16", "420", 16)):
            self.check_pixels(colour, chroma, depth, odd)
        self.check_pixels("444alpha", "444", 8, odd, alpha=True)

    def test_sizes(self):
        for size in ((17, 17), (320, 18), (321, 19), (701, 37), (649, 17), (17, 576), (1279, 17)):
            self.check_pixels("420", "420", 8, size)
        self.check_pixels("420p10", "420", 10, (1283, 21), matrix="BT.709")
        self.check_pixels("420", "420", 8, (19, 577), matrix="BT.709")
        self.check_pixels("422", "422", 8, (1280, 17), matrix="BT.709")

    def test_full_range(self):
        self.check_pixels("420", "420", 8, (53, 35), " XCOLORRANGE=FULL")
        self.check_pixels("444p12", "444", 12, (53, 35), " XCOLORRANGE=FULL")
        self.check_pixels("420", "420", 8, (53, 35), " XCOLORRANGE=LIMITED")

    # ----------------------------------------------------------- which frames

    def frames_page(self, *args, **options):
        return self.page("-r", self.reference, "-d", self.distorted, *args, **options)

    def test_frames_by_every_way_of_reading(self):
        raw = ["-w", str(SIZE), "-h", str(SIZE), "-p", "400", "-b", "8"]
        marked = y4m("mono", (SIZE, SIZE), DISTORTED, frame=b"FRAME Ip\n")
        uneven = y4m("mono", (SIZE, SIZE), DISTORTED[:3]) + b"".join(
            b"FRAME Ib\n" + p for p in DISTORTED[3:])
        videos = {
            "seekable": (self.distorted, self.reference, []),
            "marked": (self.path("marked.y4m", marked), self.reference, []),
            "uneven": (self.path("uneven.y4m", uneven), self.reference, []),
            "raw": (self.path("d.yuv", b"".join(DISTORTED)), self.path("r.yuv", b"".join(REFERENCE)), raw),
        }
        seen = []
        for name, (distorted, reference, extra) in videos.items():
            found = self.page("-r", reference, "-d", distorted, *extra)
            frames = [int(re.match(r"frame (\d+)", c)[1]) for c in found.captions]
            for video in ("reference", "distorted"):
                self.assertEqual([number_of(found.images[f"{video}, frame {f}"]) for f in frames],
                                 frames, name)
            seen.append((frames, found.images))
        self.assertEqual(len(seen[0][0]), 6)
        self.assertEqual(set(seen[0][0]) - set(WORST), set())
        for other in seen[1:]:
            self.assertEqual(other, seen[0])

    def test_captions_are_the_table(self):
        found = self.frames_page()
        text = " ".join(found.cells)
        for caption in found.captions:
            frame, clock, score = re.fullmatch(r"frame (\d+), ([\d:.]+): ([\d.]+)", caption).groups()
            self.assertIn(f" {frame} {clock} {score} ", text)
        scores = [float(c.split(": ")[1]) for c in found.captions]
        self.assertEqual(scores, sorted(scores))

    def test_left_out_pictures_and_subsampling(self):
        # Number 2 of the distorted clip is the first of its pairs, number 1 of the reference.
        found = self.frames_page("--frame_skip_ref", "1", "--frame_skip_dist", "2", "--subsample", "3")
        frames = [int(re.match(r"frame (\d+)", c)[1]) for c in found.captions]
        self.assertEqual(len(frames), 6)
        for frame in frames:
            self.assertEqual(frame % 3, 0)
            self.assertEqual(number_of(found.images[f"reference, frame {frame}"]), frame + 1)
            self.assertEqual(number_of(found.images[f"distorted, frame {frame}"]), frame + 2)

    def test_several_models_share_pictures(self):
        models = []
        for i in range(5):
            models += ["-m", f"version=vmaf_v0.6.1:name=m{i}"]
        path = self.path("page.html")
        self.run_tool("-q", "--html", "-o", path, "-r", self.reference, "-d", self.distorted, *models)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count("<figcaption>"), 5 * 4)
        self.assertEqual(text.count("Pictures of both videos"), 1)

    def test_huge_scores(self):
        with open(os.path.join(os.path.dirname(__file__), "../../models/vmaf_v0.6.1.json"),
                  encoding="utf-8") as file:
            model = json.load(file)
        model["model_dict"]["norm_type"] = "linear_rescale"
        model["model_dict"]["slopes"][0] = 1e-300
        model["model_dict"].pop("score_clip")
        model["model_dict"].pop("score_transform", None)
        path = self.path("huge.json", json.dumps(model).encode())
        found = self.frames_page("-m", f"path={path}")
        self.assertEqual(len(found.images), 12)
        self.assertGreater(max(len(c) for c in found.captions), 300)

    # ------------------------------------------------------------ no pictures

    def test_pipes_are_not_read_again(self):
        with open(self.distorted, "rb") as file:
            data = file.read()
        found = self.page("-r", self.reference, "-d", "-", stdin=data)
        self.assertEqual(found.note(), "Pictures of the reference: converted by BT.601 (by the size of the "
                         "video), limited range. Pictures of the distorted video: none; standard "
                         "input cannot be read a second time.")
        self.assertEqual({name.split(",")[0] for name in found.images}, {"reference"})
        self.assertEqual(len(found.captions), 6)
        found = self.page("-r", self.reference, "-d", "/dev/stdin", stdin=data)
        self.assertIn("a pipe or device cannot be read a second time", found.note())
        fifos = [self.path("fifo0"), self.path("fifo1")]
        writers = []
        for fifo, source in zip(fifos, (self.reference, self.distorted)):
            os.mkfifo(fifo)
            writers.append(subprocess.Popen(["cp", source, fifo]))
        found = self.page("-r", fifos[0], "-d", fifos[1])
        self.assertEqual([writer.wait(60) for writer in writers], [0, 0])
        self.assertEqual(found.note(), "Pictures of both videos: none; a pipe or device cannot be "
                         "read a second time.")
        self.assertEqual((found.images, found.captions), ({}, []))

    def test_only_pages_read_twice(self):
        env = self.script(f"exec cat '{self.distorted}'")
        film = self.path("d.mkv", b"film")
        pair = ["-q", "-r", self.reference, "-d", film]
        logs = []
        for args in (["--json"], ["--xml"], ["--csv"], ["--html", "--no_thumbnails"]):
            self.run_tool(*pair, *args, "-o", self.path("log"), env=env)
            logs.append(self.calls())
        self.assertEqual(logs, [1, 2, 3, 4])
        with open(self.path("log"), encoding="utf-8") as file:
            text = file.read()
        for word in ("<figure>", "<img", "ictures of"):
            self.assertNotIn(word, text)
        _, text = self.run_tool(*pair[1:], "--html", "-o", self.path("log"), env=env)
        self.assertEqual(self.calls(), 6)
        self.assertEqual(text.count("read through"), 1)
        self.assertIn("read again", text)

    def test_matrix_of_the_file(self):
        info = runs.probed("fmt:yuv420p s:53x35 color_range:tv color_space:{} color_primaries:x")
        for ffmpeg, name, note in (("bt709", "BT.709", "as the file says"),
                                   ("bt2020nc", "BT.2020", "as the file says"),
                                   ("bt470bg", "BT.601", "as the file says"),
                                   ("smpte170m", "BT.601", "as the file says"),
                                   ("fcc", "FCC", "as the file says"),
                                   ("smpte240m", "SMPTE 240M", "as the file says"),
                                   ("unknown", "BT.601", "by the size of the video"),
                                   ("ictcp", "BT.601", "by the size of the video")):
            env = self.script(f"""
for last; do :; done
while [ $# -gt 1 ] && [ "$1" != -i ]; do shift; done
[ $n != info ] && exec cat "${{2#file:}}.y4m"
echo "Input #0, from 'a color_space:bt2020nc film'" >&2
echo "{info.format(ffmpeg)}" >&2
echo "  title : a color_space:bt470bg film" >&2""")
            size = (53, 35)
            planes = samples_of("420", 8, size, 5)
            video = self.path("film", b"no Y4M")
            self.path("film.y4m", y4m("420", size, [pack(planes, 8)]))
            found = self.page("-r", video, "-d", video, env=env)
            self.assertEqual(found.images["reference, frame 0"], expected_pixels(
                planes, plane_sizes("420", *size), 8, name, False), ffmpeg)
            self.assertEqual(found.note(), f"Pictures of both videos: converted by {name} ({note}), "
                             "limited range.")

    def test_matrix_by_ffmpeg_itself(self):
        if shutil.which("ffmpeg") is None:
            self.skipTest("SKIP: no ffmpeg in PATH")
        env = {**os.environ, "VMAF_GPU_FFMPEG": "ffmpeg"}
        size = (54, 36)
        planes = samples_of("420", 8, size, 5)
        video = self.path("film.mkv")
        done = subprocess.run(
            ["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "54x36",
             "-i", "-", "-vf", "setparams=colorspace=bt709:range=tv", "-c:v", "ffv1", "-colorspace", "bt709",
             "-color_range", "tv", video],
            input=pack(planes, 8), capture_output=True, timeout=60)
        if done.returncode != 0:
            self.skipTest("SKIP: this ffmpeg cannot write FFV1: " + done.stderr.decode())
        found = self.page("-r", video, "-d", video, env=env)
        self.assertEqual(found.note(), "Pictures of both videos: converted by BT.709 (as the file "
                         "says), limited range.")
        self.assertEqual(found.images["reference, frame 0"], expected_pixels(
            planes, plane_sizes("420", *size), 8, "BT.709", False))

    def test_second_read_that_ends_early(self):
        film = self.path("d.mkv", b"film")
        whole = os.path.getsize(self.distorted)
        for size, why in ((whole - 20 * (SIZE * SIZE + 6), "it has fewer pictures than before"),
                          (whole - 20 * (SIZE * SIZE + 6) - 7, "is cut short"),
                          (3, "ffmpeg cannot read it"), (0, "ffmpeg cannot read it")):
            self.path("calls", b"")
            env = self.script(f"""[ $n = 1 ] && exec cat '{self.distorted}'
exec head -c {size} '{self.distorted}'""")
            found = self.frames_page("-d", film, env=env)
            self.assertIn(why, found.note())
            self.assertIn("incomplete: ", found.note())
            self.assertEqual(self.calls(), 2)
            self.assertEqual(len(found.captions), 6)
            frames = {name: [n for n in found.images if n.startswith(name)]
                      for name in ("reference", "distorted")}
            self.assertEqual(len(frames["reference"]), 6)
            self.assertEqual([number_of(found.images[n]) for n in frames["distorted"]],
                             [int(n.split()[-1]) for n in frames["distorted"]])
            self.assertEqual(bool(frames["distorted"]), size > 3)

    def test_file_that_has_changed(self):
        film = self.path("r.mkv", b"film")
        # The tool has the distorted video open by then.
        env = self.script(f"""cat '{self.reference}'
cp '{self.distorted}' '{self.folder}/new' && mv '{self.folder}/new' '{self.distorted}'""")
        found = self.frames_page("-r", film, env=env)
        self.assertIn("Pictures of the distorted video: none; the file has changed since it was scored.",
                      found.note())
        self.assertEqual({name.split(",")[0] for name in found.images}, {"reference"})

    def test_incomplete_runs_have_no_pictures(self):
        with open(self.distorted, "rb") as file:
            short = self.path("short.y4m", file.read()[:-7])
        found = self.frames_page("-d", short, code=1)
        self.assertEqual(found.images, {})
        self.assertTrue(any(note.startswith("Incomplete: ") for note in found.notes))

    def test_signal_during_the_second_read(self):
        film = self.path("d.mkv", b"film")
        env = self.script(f"""[ $n = 1 ] && exec cat '{self.distorted}'
head -c 20000 '{self.distorted}'
touch '{self.folder}/hangs'
exec sleep 60""")
        page = self.path("page.html")
        with subprocess.Popen([TOOL, "--backend", "cpu", "--formats", "asis", "-q", "--html", "-o", page, "-r",
                               self.reference, "-d", film], env=env) as process:
            end = time.monotonic() + 60
            while not os.path.exists(self.path("hangs")) and time.monotonic() < end:
                time.sleep(0.02)
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(30), 128 + signal.SIGINT)
        found = self.read(page)
        self.assertIn("stopped by a signal", found.note())
        self.assertEqual(len([n for n in found.images if n.startswith("reference")]), 6)
        self.assertEqual(len(found.captions), 6)


def setUpModule():
    with tempfile.TemporaryDirectory() as folder:
        video, page = os.path.join(folder, "v.y4m"), os.path.join(folder, "page.html")
        with open(video, "wb") as file:
            file.write(y4m("mono", (SIZE, SIZE), REFERENCE[:1]))
        subprocess.run([TOOL, "--backend", "cpu", "--formats", "asis", "-q", "-r", video, "-d", video, "--html", "-o", page],
                       check=True, timeout=60)
        with open(page, encoding="utf-8") as file:
            if "this build has no zlib" in file.read():
                raise unittest.SkipTest("this build has no zlib")


if __name__ == "__main__":
    program = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False)
    if program.result.testsRun == 0 and program.result.skipped:
        print("SKIP: this build has no zlib")
        sys.exit(77)
    if program.result.testsRun == 0:
        sys.exit("no test was selected")
    sys.exit(0 if program.result.wasSuccessful() else 1)
