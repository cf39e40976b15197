#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Which stream of a file is scored, and what is said of it: the tool, and the batch command with the tool. The pictures
of such files through all programs: tests/filter/programs.sh.

    test_streams.py TOOL       skipped (77) without an ffmpeg that encodes
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from runs import expect, run_checks

PACKAGES = pathlib.Path(__file__).resolve().parents[2] / "python"
sys.path.insert(0, str(PACKAGES))

from vmaf_gpu import _probe  # noqa: E402
from vmaf_gpu.batch import index  # noqa: E402

SOURCE = "testsrc2=s=96x64:r=25:d=0.4"
SEVERAL = "reference has several video streams (0,1): stream 1 is compared, which FFmpeg chooses"


def ffmpeg(*words):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, words)], check=True, timeout=120)


class Lab:
    def __init__(self, program, folder):
        self.program, self.folder, self.log = program, folder, folder / "log.json"
        ffmpeg("-f", "lavfi", "-i", SOURCE, "-c:v", "ffv1", self.path("good.mkv"))
        ffmpeg("-i", self.path("good.mkv"), "-vf", "hflip", "-c:v", "ffv1", self.path("other.mkv"))
        ffmpeg("-i", self.path("other.mkv"), "-i", self.path("good.mkv"), "-map", "0:v", "-map", "1:v", "-c", "copy",
               "-disposition:v:0", "0", "-disposition:v:1", "default", self.path("two.mkv"))

    def path(self, name):
        return self.folder / name

    def run(self, words, status):
        self.log.unlink(missing_ok=True)
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, timeout=120, cwd=self.folder,
                              env={**os.environ, "PYTHONPATH": str(PACKAGES)})
        expect(done.returncode == status, f"status of {words}", (done.returncode, done.stderr))
        return done.stderr, json.loads(self.log.read_text()) if self.log.exists() else {"frames": []}

    def score(self, reference, *words, main="good.mkv", status=0):
        return self.run([self.program, "-r", self.path(reference), "-d", self.path(main), "-n", "--feature", "psnr", "--backend",
                         "cpu", "--json", "-o", self.log, *words], status)

    def batch(self, reference, *words, main="good.mkv", status=0):
        return self.run([sys.executable, "-B", "-m", "vmaf_gpu.batch", "score", self.path(main), self.path(reference),
                         "--feature", "psnr", "--devices", "cpu", "--jobs", "1", "--runner", "tool", "--tool", self.program,
                         "-o", self.log, *words], status)


def psnr(log):
    return {frame["metrics"]["psnr_y"] for frame in log["frames"]}


def check_choice(lab):
    for score in (lab.score, lab.batch):
        said, log = score("two.mkv")
        expect(psnr(log) == {60}, "what ffmpeg would encode", psnr(log))
        expect(SEVERAL in said, "the choice is said", said)
        said, log = score("two.mkv", *(["--stream_ref", "0"] if score == lab.score else ["--stream-ref", "0"]))
        expect(psnr(log) and max(psnr(log)) < 30, "the stream that is named", psnr(log))
        expect("several video streams" not in said, "a named stream is no choice", said)
        said, log = score("good.mkv", *(["--stream_dist", "1"] if score == lab.score else ["--stream-dis", "1"]), main="two.mkv")
        expect(psnr(log) == {60}, "a named stream of the distorted video", psnr(log))


def check_log(lab):
    _, log = lab.score("two.mkv")
    names = [log["vmaf_gpu"].get(name) for name in ("main_stream", "reference_stream")]
    expect(names == ["0 of 0", "1 of 0,1"], "streams in the log", names)
    _, merged = lab.batch("two.mkv")
    names = [merged["vmaf_gpu"].get(name) for name in ("main_stream", "reference_stream")]
    expect(names == ["0 of 0", "1 of 0,1"], "streams in a merged log", names)
    _, log = lab.score("two.mkv", "--stream_ref", "0")
    expect(log["vmaf_gpu"]["reference_stream"] == "0 of 0,1", "a named stream in the log", log["vmaf_gpu"])
    expect(not [text for text in log["vmaf_gpu"]["warnings"] if "streams" in text], "no warning of it", log["vmaf_gpu"])


def check_refusals(lab):
    ffmpeg("-f", "lavfi", "-i", "sine=d=0.3", lab.path("sound.mka"))
    ffmpeg("-i", lab.path("good.mkv"), "-c:v", "mpeg4", lab.path("zero.mp4"))
    data = lab.path("zero.mp4").read_bytes()  # packets from which no picture comes
    begin, end = data.index(b"mdat") + 4, data.index(b"moov") - 4
    lab.path("zero.mp4").write_bytes(data[:begin] + bytes(end - begin) + data[end:])
    ffmpeg("-i", lab.path("good.mkv"), lab.path("good.y4m"))
    has_none = "it has no video stream 7; its video streams: 0,1"
    for words, told in ((("two.mkv", "--stream_ref", "7"), has_none), (("sound.mka",), "it has no video stream"),
                        (("zero.mp4",), "zero.mp4: "),
                        (("good.y4m", "--stream_ref", "1"), "--stream_ref 1: Y4M and raw files have only stream 0"),
                        (("two.mkv", "--stream_ref", "x"), "a whole number from 0"),
                        (("two.mkv", "--stream_ref", "-1"), "a whole number from 0")):
        said, _ = lab.score(*words, status=1)
        expect(told in said, f"{words}", said)
    for words, told, status in ((("two.mkv", "--stream-ref", "7"), "two.mkv: " + has_none, 65),
                                (("zero.mp4",), "zero.mp4: ", 65),
                                (("sound.mka",), "sound.mka: it has no video stream", 65),
                                (("two.mkv", "--stream-ref", "x"), "a whole number from 0", 64)):
        said, _ = lab.batch(*words, status=status)
        expect(told in said, f"{words}", said)


def check_others(lab):
    """A cover is no video beside others; sound before the video moves its number; alpha is named."""
    ffmpeg("-f", "lavfi", "-i", "testsrc=s=64x64", "-frames:v", "1", lab.path("cover.png"))
    ffmpeg("-i", lab.path("good.mkv"), "-c:v", "mpeg4", "-q:v", "2", lab.path("film.mp4"))
    ffmpeg("-i", lab.path("cover.png"), "-i", lab.path("film.mp4"), "-map", "0", "-map", "1", "-c", "copy", "-disposition:v:0",
           "attached_pic", lab.path("cover.mp4"))
    ffmpeg("-f", "lavfi", "-i", "sine=d=0.4", "-i", lab.path("film.mp4"), "-map", "0", "-map", "1", "-c:v", "copy",
           lab.path("sound.mkv"))
    for name in "cover.mp4", "sound.mkv":
        said, log = lab.score(name, main="film.mp4")
        expect(psnr(log) == {60}, f"{name}: the video", psnr(log))
        expect("several" not in said, f"{name}: nothing to say", said)
        expect(re.fullmatch(r"(\d) of \1", log["vmaf_gpu"]["reference_stream"]) is not None, name, log["vmaf_gpu"])
    ffmpeg("-i", lab.path("good.mkv"), "-vf", "format=yuva420p", "-c:v", "ffv1", lab.path("alpha.mkv"))
    said, _ = lab.score("alpha.mkv", "--formats", "asis")
    expect("reference has alpha, which is left out" in said, "alpha", said)
    ffmpeg("-i", lab.path("good.mkv"), "-vf", "format=gray", "-c:v", "ffv1", lab.path("gray.mkv"))
    said, _ = lab.score("gray.mkv", "--formats", "asis", status=1)
    expect("reference is grey, main has colour" in said, "grey", said)


HEAD = """[info] ffmpeg version 7.1
[info]   libavfilter    10.  4.100 / 10.  4.100
[info] Input #0, mov,mp4,m4a,3gp,3g2,mj2, from 'a':
[info]   Stream #0:0[0x1](und): Video: hevc (Main 10), yuv420p10le(tv), 96x64 (default)
"""
TAIL = """[info] Stream mapping:
[info]   Stream #0:{} -> #0:0 (hevc (native) -> wrapped_avframe (native))
[Parsed_showinfo_0 @ 0x1] [info] n:   0 pts:      0 fmt:yuv420p10le cl:left sar:1/1 s:96x64 i:P iskey:1 type:I
[Parsed_showinfo_0 @ 0x1] [info] color_range:tv color_space:bt709 color_primaries:bt709 color_trc:unknown
{}[Parsed_showinfo_0 @ 0x1] [info] n:   1 pts:      1 fmt:gray sar:1/1 s:96x64 i:T iskey:1 type:I
"""
DOLBY = "[info]       DOVI configuration record: version: 1.0, profile: {}, level: 6, rpu flag: 1, compatibility id: {}\n"
CROPPED = "[info]         Frame {}: 4/3/1/2\n"
TURNED = "[info]         {}: rotation of -90.00 degrees\n"
RPU = "[Parsed_showinfo_0 @ 0x1] [info]     rpu_type=2; vdr_rpu_profile={}; vdr_rpu_level=0; bl_video_full_range_flag={}; a=1\n"
TILES = """[info]   Stream group #0:0[0x1]: Tile Grid: hevc, yuv420p, 192x128 (default)
[info]   Stream #0:8[0x9]: Video: hevc, yuv420p, 32x32
"""


def read(between, chosen=0, shown="", named=None):
    return _probe.read(HEAD + between + TAIL.format(chosen, shown), named)


def check_words(_):
    """Returns files that no ffmpeg here can make."""
    tags = read("").tags
    expect((tags["format"], tags["transfer"], tags["streams"], "interlaced" in tags) == ("yuv420p10le", "unknown", "0", False),
           "of the first picture", tags)
    for profile, compatibility, is_own in (5, 0, True), (10, 0, True), (10, 1, False), (8, 1, False), (8, 4, False), (7, 6, False):
        tags = read(DOLBY.format(profile, compatibility)).tags
        expect(("own_colours" in tags) == is_own, f"Dolby Vision {profile}.{compatibility}", tags)
    for values, is_own in ((0, 1), True), ((0, 0), False), ((1, 0), False):
        tags = read("", shown=RPU.format(*values)).tags
        expect(("own_colours" in tags) == is_own, f"RPU {values}", tags)
    other = "[info]   Stream #0:1[0x2]: Video: hevc, yuv420p, 32x32\n" + DOLBY.format(5, 0)
    expect("own_colours" not in read(other).tags, "Dolby Vision of another stream", read(other))
    second = "[info]   Stream #0:1[0x2]: Video: hevc, yuv420p, 32x32\n"
    for between, stored in ("", "96x64"), (CROPPED.format("cropping"), "103x67"), (CROPPED.format("Cropping"), "103x67"), \
                           (second + CROPPED.format("cropping"), "96x64"), (TURNED.format("displaymatrix"), None), \
                           (TURNED.format("Display Matrix"), None), (second + TURNED.format("displaymatrix"), "96x64"):
        expect(read(between).tags.get("stored") == stored, f"size before cropping of {between}", read(between).tags)
    for between, chosen, is_refused in ((TILES, 2, True), (TILES, 8, False), (TILES.replace("Tile Grid", "LCEVC"), 2, False),
                                        ("[info]   Stream #0:3: Video: hevc, yuv420p, 32x32 (dependent)\n", 3, True)):
        found = read(between, chosen)
        expect(("its picture is in parts" in found.reason) == is_refused, f"stream {chosen} of {between}", found)
        expect(read(between, chosen, named=chosen).reason == "", "a part that is named", read(between, chosen, named=chosen))


def check_fields(_):
    """Packets of fields, which no encoder at hand makes."""
    for tags, step, are_fields in (({"interlaced": "1", "rate": "25/1"}, 1800, True), ({"interlaced": "1", "rate": "25/1"}, 3600, False),
                                   ({"rate": "25/1"}, 1800, False), ({"interlaced": "1", "rate": "0/0"}, 1800, False),
                                   ({"interlaced": "1"}, 1800, False)):
        found = index._are_fields({"tags": tags, "time_base": "1/90000"}, [90, 90 + step, 90 + 2 * step])
        expect(found == are_fields, f"fields of {tags}, {step}", found)
    for are_frames, reason in (False, ""), (True, "its frames go back in time"):
        found = index._order([(0, True), (2, False), (1, False)], are_frames)[2]
        expect(found == reason, f"times that go back, of frames: {are_frames}", found)


if __name__ == "__main__":
    if shutil.which("ffmpeg") is None or shutil.which("ffprobe") is None:
        print("SKIPPED: no ffmpeg was found in PATH")
        sys.exit(77)
    sys.exit(run_checks("streams of files", 50, lambda folder: Lab(os.path.abspath(sys.argv[1]), folder), check_words, check_fields, check_choice, check_log,
                        check_refusals, check_others))
