#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The filter's options chunk= and log_fmt=part. Merged by the tool, the parts of a run give the logs of
the run in one piece, byte for byte but for fps and pictures. What is wrong with a part ends in an error.

    chunk.py FFMPEG TOOL
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tool"))
from runs import difference, expect, finish, without_rate  # noqa: E402 pylint: disable=wrong-import-position

FRAMES = 12
FORMATS = ["xml", "json", "csv", "csv=strict", "sub", "html"]
COMMON = "vmaf_gpu=backend=cpu:n_threads=2:pair=index:precision=max"


def take(path):
    """The text of a file, which is removed. Empty if there is none."""
    try:
        return pathlib.Path(path).read_text()
    except FileNotFoundError:
        return ""
    finally:
        pathlib.Path(path).unlink(missing_ok=True)


class Clips:
    """A reference and a distorted video, with filters that come before everything."""

    def __init__(self, programs, size, pixels, before=("null", "null")):
        self.ffmpeg, self.tool = programs
        self.before = before
        self.inputs = []
        for name, change in ("dist", "avgblur=2"), ("ref", "null"):
            path = f"{name}{size}{pixels}.nut"
            if not os.path.exists(path):
                subprocess.run([self.ffmpeg, "-v", "error", "-f", "lavfi", "-i",
                                f"testsrc2=size={size}:rate=24000/1001", "-vf", change, "-frames:v", str(FRAMES),
                                "-pix_fmt", pixels, "-c:v", "rawvideo", path], check=True)
            self.inputs += ["-i", path]

    def run(self, options, start=0, cut="null", more=(), fails=False, end=""):
        """The filter, on frames from `start` on; cut comes after that."""
        graph = ";".join(f"[{i}:v]{self.before[i]},trim=start_frame={start},{cut}[i{i}]" for i in (0, 1))
        done = subprocess.run([self.ffmpeg, "-hide_banner", "-nostdin", "-nostats", "-y", *self.inputs, "-lavfi",
                               f"{graph};[i0][i1]{COMMON}{options}{end}", *more, "-f", "null", "-"],
                              capture_output=True, text=True, timeout=60, check=False)
        expect((done.returncode != 0) == fails, f"status of {options}", done.stderr[-1500:])
        return done.stderr

    def part(self, chunk, options="", **keys):
        path = f"{chunk}.part"
        start = int(chunk.split("-")[0])
        range_of = f":chunk={chunk}" if chunk != "0-0-all" else ""
        text = self.run(f"{range_of}:log_fmt=part:log_path={path}{options}", **{"start": start, **keys})
        return path, text

    def merge(self, parts, *words, status=0):
        done = subprocess.run([self.tool, "merge", *parts, *words], capture_output=True, text=True, timeout=60,
                              check=False)
        expect(done.returncode == status, f"status of merging {parts}", (done.returncode, done.stderr))
        return done.stderr

    def history(self, *words):
        return map(int, subprocess.run([self.tool, "--history", *words], capture_output=True, text=True,
                                       check=True, timeout=60).stdout.split())


def chunks(size, before, subsample, ends, frames):
    """The texts of the chunks; ends: "known", "open": the length of the run is not given, or None: no chunk."""
    if ends is None:
        return ["0-0-all"]
    texts = []
    for begin in range(0, frames, size):
        first = max(0, begin - before)
        first -= first % subsample
        end = begin + size
        is_last = end >= frames
        if ends == "open":
            texts.append(f"{first}-{begin}" + ("" if is_last else f"-{end}"))
        else:
            texts.append(f"{first}-{begin}-{min(end, frames)}-{frames}")
    return texts


def without_pictures(page):
    """A merge has no frames."""
    return re.sub(r'<div class="pictures">.*?</div>\n(<p>Pictures of[^<]*</p>\n)?', "", page, flags=re.S)


def check_equal(clips, options, words, sizes, subsample=1, formats=FORMATS, frames=FRAMES):
    before, _ = clips.history(*words)
    wholes = {}
    for form in formats:
        name, _, layout = form.partition("=")
        text = clips.run(f"{options}:log_fmt={name}:log_path=whole" + (f":csv={layout}" if layout else ""))
        wholes[form] = (without_pictures(without_rate(take("whole"))), re.findall(r"VMAF score: (\S+)", text))
    for size, ends in sizes:
        parts = [clips.part(chunk, options)[0] for chunk in chunks(size, before, subsample, ends, frames)]
        for form, (whole, scores) in wholes.items():
            text = clips.merge(parts[::-1], f"--{form}", "--precision", "max", "-o", "merged")
            merged = without_rate(take("merged"))
            expect(whole and not difference(whole, merged), f"{form} of {options} in {ends} chunks of {size}",
                   difference(whole, merged))
            expect(len(parts) == 1 or "; 0 scores" not in text, "an overlap is compared", text)
            printed = [f"{float(value):.6f}" for value in re.findall(r": (\d+\.\d+)$", text, re.M)]
            expect(scores and scores == printed[:len(scores)], "printed scores", (scores, text))


def check_kinds(programs):
    small = Clips(programs, "128x72", "yuv420p")
    features = ":feature=name=psnr\\\\:enable_apsnr=true|name=xpsnr:title=a b"
    tool_features = ["--feature", "psnr=enable_apsnr=true", "--feature", "xpsnr"]
    check_equal(small, "", [], [(1, "known"), (5, "open"), (FRAMES, "known")])
    check_equal(small, features, tool_features, [(4, "known"), (7, "open")], formats=["xml", "json", "html"])
    check_equal(small, ":metadata=0:n_subsample=3:model=version=vmaf_b_v0.6.3",
                ["--subsample", "3", "-m", "version=vmaf_b_v0.6.3"], [(1, "open"), (5, "known")], subsample=3)
    # The smallest pictures that banding and chroma are measured in.
    large = Clips(programs, "216x160", "yuv420p10le")
    for model, sizes in ("vmaf_v1.0.16_3d0h", [(4, "known")]), ("vmaf_v1.0.16_hfr_3d0h", [(1, "known"), (5, "open")]):
        check_equal(large, f":model=version={model}", ["-m", f"version={model}"], sizes,
                    formats=["xml", "json", "csv"])


def check_scaled(programs):
    """Main of another size than the reference, which the filter scales: parts and whole runs have the same bytes."""
    for small, large, pixels in ("112x64", "160x90", "yuv420p"), ("211x119", "160x90", "yuv422p10le"):
        clips = Clips(programs, large, pixels)
        subprocess.run([programs[0], "-v", "error", "-y", *clips.inputs[2:], "-vf", f"scale={small.replace('x', ':')}",
                        "-c:v", "rawvideo", "small.nut"], check=True)
        clips.inputs[1] = "small.nut"
        check_equal(clips, ":scale=bicubic:feature=name=psnr", ["--feature", "psnr"], [(1, "known"), (5, "open")])
        text = clips.run(":chunk=0-0-5:scale=none", fails=True)
        expect("scale one of them, e.g. " in text, "another size without scale", text)
    first, other = clips.part("0-0-6-12", ":scale=bicubic")[0], clips.part("5-6-12-12", ":scale=bicubic")[0]
    clips.merge([first, other])
    plain = Clips(programs, large, pixels).part("5-6-12-12")[0]
    expect("not of one run" in clips.merge([first, plain], status=65), "a part that was not scaled")


def check_rules(programs):
    """A part of a whole run, however its pairs are found: merged, it is the log of that run."""
    late = "setpts='PTS+if(gt(N,7),0.02,0.003)/TB'"
    for rule, cut in ("time", f"select='not(eq(n,5))',{late}"), ("auto", f"select='not(eq(n,5))',{late}"), \
            ("framesync", late), ("index", "select='not(eq(n,5))'"), ("time:offset=1", "null"), ("time:shortest=1", "null"):
        clips = Clips(programs, "128x72", "yuv420p", (cut, "null"))
        check_equal(clips, f":pair={rule}:feature=name=psnr\\\\:enable_apsnr=true", ["--feature", "psnr=enable_apsnr=true"],
                    [(FRAMES, None)], formats=["xml", "json", "csv", "html"])
    clips = Clips(programs, "128x72", "yuv420p", (late, "null"))
    clips.run(":pair=time:log_fmt=part:log_path=whole.part")
    whole = json.loads(take("whole.part"))
    expect(whole["pairing"]["distance_largest"] == 0.017, "a distance is written", whole["pairing"])
    parts = [clips.part("0-0-6-12")[0], clips.part("5-6-12-12")[0]]
    text = take(parts[1])
    pathlib.Path(parts[1]).write_text(text.replace('"distance_largest": 0', '"distance_largest": 0.02'))
    expect("which only a part of a whole run is" in clips.merge(parts, status=65), "a chunk with distances")


def check_counts(programs):
    """Inputs of unequal length, without some times and with times that go back."""
    bad = "setpts='if(eq(mod(N,4),2),NAN,if(eq(N,5),PTS-2/23.976/TB,PTS))'"
    for before, frames in ((bad, bad + ",trim=end_frame=9"), 9), ((bad + ",trim=end_frame=8", "null"), 8):
        clips = Clips(programs, "128x72", "yuv420p", before)
        text = clips.run(":log_fmt=json:log_path=whole")
        expect("have no time" in text and "was replaced" in text and "ends" in text, "the whole run warns", text)
        check_equal(clips, "", [], [(2, "open"), (4, "known"), (FRAMES, "open")], formats=["xml", "json", "html"],
                    frames=frames)
        # A chunk that looks two pairs ahead sees the end of the run, but not all frames after it are its own.
        motion = "motion_five_frame_window=true:motion_moving_average=true"
        check_equal(clips, ":feature=name=motion\\\\:" + motion.replace(":", "\\\\:"), ["--feature", f"motion={motion}"],
                    [(4, "open"), (8, "open")], formats=["json"], frames=frames)
    clips = Clips(programs, "128x72", "yuv420p", ("trim=end_frame=8", "null"))
    clips.run(":strict=1:chunk=0-0-4", fails=False)
    for chunk in "7-9", "7-8":
        text = clips.run(f":chunk={chunk}", start=7, fails=True)
        expect("but the input ended before it" in text and " frames before " not in text, "nothing to count", text)
    expect("strict: main ends 4 frames" in clips.run(":strict=1:chunk=3-4", start=3, fails=True), "strict")


def check_refused(programs):
    clips = Clips(programs, "128x72", "yuv420p")
    for bad in "5", "", "x-5", "0-1-2-3-4", "-1-5", "0-5-5", "0-6-5", "0-0-9-8", "5-4-9", "0--5", "0-0-1x", "0 -1", \
            "0-0-99999999999999999999":
        text = clips.run(f":chunk={bad}", fails=True)
        expect(f"chunk={bad}: expected FIRST" in text, bad, text)
    for options, words in (
            (":pair=auto:chunk=0-0-5", "add pair=index"), (":pair=time:chunk=0-5:log_fmt=part", "add pair=index"),
            (":pair=framesync:chunk=0-0-5", "add pair=index"), (":offset=1:chunk=0-0-5", "offset="),
            (":shortest=1:chunk=0-0-5", "shortest=1"), (":enable='gt(t,0)':chunk=0-0-5", "enable="),
            (":n_subsample=2:chunk=3-5-9", "a multiple of subsample"), (":chunk=5-5-9", "at most begin - 1"),
            (":model=version=vmaf_v1.0.16_hfr_3d0h:chunk=2-5-9", "at most begin - 4")):
        wide = Clips(programs, "216x160", "yuv420p10le") if "hfr" in options else clips
        text = wide.run(options, fails=True)
        expect(words in text, options, text)
    wide = Clips(programs, "216x160", "yuv420p10le")
    text = wide.run(":feature=name=cambi\\\\:heatmaps_path=maps:chunk=0-0-5", fails=True)
    expect("heatmaps_path is for runs in one piece" in text and not os.path.exists("maps"), "heatmaps", text)


def check_faults(programs):
    clips = Clips(programs, "128x72", "yuv420p")
    first, last = clips.part("0-0-4-12")[0], clips.part("7-8-12-12")[0]
    good = clips.part("3-4-8-12")[0]
    clips.merge([first, good, last])
    # Frame 3 is the first one of the chunk, 8 the last one that it looks at.
    for frame in 0, 5:
        bad = clips.part("3-4-8-12", cut=f"avgblur=5:enable='eq(n,{frame})'")[0]
        expect("disagree" in clips.merge([first, bad, last], status=70), f"wrong pictures in frame {frame}")
    bad = clips.part("3-4-8-12", start=4)[0]
    expect("disagree" in clips.merge([first, bad, last], status=70), "a shifted chunk")
    bad = clips.part("3-4-8-12", start=4, cut="setpts=PTS-1001/24000/TB")[0]
    expect("disagree" in clips.merge([first, bad, last], status=70), "a shifted chunk with the right times")
    bad = clips.part("3-4-8-12", options=":precision=17")[0]
    expect("not of one run" in clips.merge([first, bad, last], status=65), "other options")

    bad, text = clips.part("3-4-8-12", cut="trim=end_frame=5", fails=True)
    expect("ended after pair 7, but pairs up to 8 are needed" in text, "an input that ends early", text)
    expect("is incomplete" in clips.merge([first, bad, last], status=65), "a part of it")
    bad, text = clips.part("3-4-8", cut="trim=end_frame=1", fails=True)
    expect("begins at pair 4, but the input ended before it" in text, "an input that ends before", text)
    bad, text = clips.part("7-8-10-10", fails=True)
    expect("more than 10 pairs" in text, "an input that is too long", text)
    # A chunk that is stopped, with an end that is known and one that is not.
    for chunk in "0-0-10-12", "0-0":
        bad, text = clips.part(chunk, more=["-frames:v", "2"])
        expect("was stopped after pair" in text, "a stopped part", text)
        expect("is incomplete" in clips.merge([bad], status=65), "a part that was stopped")
    # The program takes no more frames than the chunk has: it is complete.
    for options in "", ":metadata=0":
        whole = clips.part("3-4-8-12", options=options, more=["-frames:v", "6"])[0]
        text = take(whole)
        expect(text and (options == "" or '"incomplete"' not in text), "all frames are taken", text[:500])


def check_pictures(programs):
    """A chunk that has all pairs is judged as a run in one piece. Eight pairs of a longer run tell too little."""
    clips = Clips(programs, "128x72", "yuv420p", ("hflip,trim=end_frame=8", "trim=end_frame=8"))
    for options, is_told in ("", True), (":chunk=0-0-8-8", True), (":chunk=0-0-8", False):
        expect(("main is mirrored" in clips.run(options)) == is_told, f"pictures of 8 pairs{options}")
    clips = Clips(programs, "128x72", "yuv420p", ("hflip", "null"))
    expect("main is mirrored" in clips.run(":chunk=0-0-12"), "pictures of 12 pairs")


def check_output(programs):
    clips = Clips(programs, "128x72", "yuv420p")
    clips.run(":log_fmt=csv:log_path=whole.csv:stats_file=whole.stats", end=",metadata=print:file=whole.tags")
    chunk = ":chunk=3-4-8-12:log_fmt=csv:log_path=some.csv:stats_file=some.stats"
    text = clips.run(chunk, start=3, end=",metadata=print:file=some.tags")
    whole, some = (take(f"{name}.csv").splitlines() for name in ("whole", "some"))
    expect(some == whole[:1] + whole[5:9], "the log of a chunk", some)
    whole, some = (take(f"{name}.stats").splitlines() for name in ("whole", "some"))
    expect(some == whole[4:8], "statistics of a chunk", some)
    tags = [take(f"{name}.tags") for name in ("whole", "some")]
    whole, some = (re.findall(r"vmaf_gpu\.vmaf=(\S+)", text) for text in tags)
    expect(some == whole[4:8], "metadata of a chunk", some)
    expect(re.search(r"frame= *6 ", text), "frames around the chunk leave, too", text)
    expect(tags[1].count("frame:") == 4, "but have no metadata")
    expect("4 pairs of 4 main and 4 reference frames" in text, "counts of a chunk", text)
    score = re.search(r"VMAF score: (\S+)", text)
    mean = sum(map(float, some)) / max(len(some), 1)
    expect(score and abs(float(score[1]) - mean) < 1e-5, "the score of a chunk", (score, mean))


def check_end(programs):
    """Inputs without end: the filter ends the output, and closes what decodes them."""
    for options in "", ":metadata=0":
        graph = f"[0:v][1:v]{COMMON}{options}:chunk=0-0-4:log_fmt=csv:log_path=endless.csv"
        source = ["-f", "lavfi", "-i", "testsrc2=size=64x48"]
        done = subprocess.run([programs[0], "-nostdin", *source, *source, "-lavfi", graph, "-f", "null", "-"],
                              capture_output=True, text=True, timeout=60, check=False)
        expect(done.returncode == 0 and len(take("endless.csv").splitlines()) == 5,
               f"endless inputs{options}", done.stderr[-500:])
    # Where another output goes on, too, if the program looks at it (FFmpeg 7 and later).
    clips = Clips(programs, "128x72", "yuv420p")
    path = clips.inputs[1]
    long = ["-stream_loop", "40", "-i", path]
    graph = f"[0:v][1:v]{COMMON}:chunk=0-0-4[o]"
    done = subprocess.run([programs[0], "-v", "verbose", "-nostdin", *long, *long, *long, "-filter_complex", graph,
                           "-map", "[o]", "-f", "null", "-", "-map", "2:v", "-f", "null", "-"],
                          capture_output=True, text=True, timeout=60, check=False)
    decoded = [int(n) for n in re.findall(r"(\d+) frames decoded", done.stderr)]
    expect(len(decoded) == 3 and decoded[2] > 400, "frames are decoded for the other output", done.stderr[-800:])
    if int(re.search(r"ffmpeg version n?(\d+)", done.stderr)[1]) >= 7:
        expect(max(decoded[:2]) < 100, "decoding stops", decoded)


def main(ffmpeg, tool):
    programs = ffmpeg, tool
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for check in check_kinds, check_scaled, check_rules, check_counts, check_refused, check_faults, check_pictures, check_output, check_end:
            check(programs)
        os.chdir("/")
    return finish("chunk", 200)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
