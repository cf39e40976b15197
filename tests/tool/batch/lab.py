# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What the tests of vmaf_gpu.batch share: clips, running the command, and comparing logs."""
import argparse
import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGES = ROOT / "python"
sys.path.insert(0, str(ROOT / "tests/tool"))

from runs import expect, finish  # noqa: E402, F401

X264 = "keyint=24:min-keyint=24:scenecut=0:threads=1"
X265 = "log-level=none:keyint=24:min-keyint=24:scenecut=0:pools=1:frame-threads=1"

# name: words of the encoder. From the same 120 frames, unless there is an entry in FILTERS.
CLIPS = {
    "open.mp4": ["-c:v", "libx264", "-x264-params", X264 + ":open-gop=1:bframes=3"],
    "open.ts": ["-c:v", "libx264", "-x264-params", X264 + ":open-gop=1:bframes=3"],
    "open.mkv": ["-c:v", "libx264", "-x264-params", X264 + ":open-gop=1:bframes=3"],
    "slow.mp4": ["-c:v", "libx264", "-x264-params", X264 + ":bframes=8:b-adapt=0"],
    "hevc.mp4": ["-c:v", "libx265", "-x265-params", X265 + ":open-gop=1:bframes=4", "-tag:v", "hvc1"],
    "hevc.ts": ["-c:v", "libx265", "-x265-params", X265 + ":open-gop=1:bframes=4"],
    "hevc.mkv": ["-c:v", "libx265", "-x265-params", X265 + ":open-gop=1:bframes=4"],
    "mpeg2.ts": ["-c:v", "mpeg2video", "-g", "24", "-bf", "2", "-q:v", "6"],
    "mpeg2.mkv": ["-c:v", "mpeg2video", "-g", "24", "-bf", "2", "-q:v", "6"],
    "vp9.webm": ["-c:v", "libvpx-vp9", "-g", "24", "-b:v", "200k", "-cpu-used", "8"],
    "av1.mkv": ["-c:v", "libsvtav1", "-preset", "12", "-g", "24", "-crf", "40"],
    "av1.mp4": ["-c:v", "libsvtav1", "-preset", "12", "-g", "24", "-crf", "40"],
    "refresh.mp4": ["-c:v", "libx264", "-x264-params", X264 + ":intra-refresh=1:bframes=0"],
    "refresh.ts": ["-c:v", "libx264", "-x264-params", X264 + ":intra-refresh=1:bframes=0"],
    "vfr.mp4": ["-c:v", "libx264", "-x264-params", X264 + ":open-gop=1:bframes=3"],
    "offset.ts": ["-c:v", "libx264", "-x264-params", X264 + ":bframes=3", "-output_ts_offset", "1000"],
    "stream.h264": ["-c:v", "libx264", "-x264-params", X264 + ":bframes=3"],
    "program.mpg": ["-c:v", "mpeg2video", "-g", "24", "-bf", "2", "-q:v", "6", "-f", "vob"],
    "mpeg4.avi": ["-c:v", "mpeg4", "-g", "24", "-bf", "2", "-q:v", "6"],
    "intra.mkv": ["-c:v", "ffv1"],
}
FILTERS = {"vfr.mp4": "select=not(eq(mod(n\\,7)\\,3))", "slow.mp4": "setpts=N/(8*TB)", "intra.mkv": "boxblur=1"}
SHORT = ("open.mp4", "hevc.ts", "refresh.mp4", "vfr.mp4", "stream.h264")

# Code that runs first, so that printed text goes to a pipe that nobody reads.
UNREAD = "import os\nread, write = os.pipe()\nos.close(read)\nos.dup2(write, 1)\n"


def expect_soon(is_right, what, found):
    """Within three seconds."""
    deadline = time.time() + 3
    while not is_right() and time.time() < deadline:
        time.sleep(0.02)
    expect(is_right(), what, found())


def need_encoder():
    """Ends the test as skipped if clips cannot be made."""
    if shutil.which("ffmpeg") is None or shutil.which("ffprobe") is None or "libx264" not in encoders():
        print("SKIPPED: no ffmpeg with libx264 was found in PATH")
        sys.exit(77)


def ffmpeg(*words):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, words)], check=True, timeout=300)


def encoders(program="ffmpeg"):
    text = subprocess.run([program, "-hide_banner", "-encoders"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^ V\S+ (\S+)", text, re.M))


def help_of(program, topic):
    """What ffmpeg says of its options."""
    return subprocess.run([program, "-hide_banner", "-h", topic], capture_output=True, text=True, check=True).stdout


class Lab:
    """A folder with clips, and the programs."""

    def __init__(self, folder, tool, filtering=None):
        self.folder, self.tool, self.filtering = pathlib.Path(folder), str(pathlib.Path(tool).absolute()), filtering
        self.programs = ["--tool", self.tool] + (["--ffmpeg", filtering, "--ffprobe", "ffprobe"] if filtering else [])
        self.serial = 0
        self.name = "work"  # what the names of work folders begin with

    def reference(self, seconds=4, size="160x96", name="ref.mkv"):
        path = self.folder / name
        if not path.exists():
            ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={size}:r=30:d={seconds},noise=alls=12:allf=t:all_seed=3",
                   "-pix_fmt", "yuv420p", "-c:v", "ffv1", path)
        return path

    def clip(self, name):
        """An encoded clip and its reference; None if ffmpeg lacks the encoder."""
        words = CLIPS[name]
        if words[1] not in encoders():
            return None
        reference, clip = self.reference(), self.folder / name
        if name in FILTERS and name != "intra.mkv":
            reference = self.folder / f"{name}.ref.mkv"
            ffmpeg("-i", self.reference(), "-vf", FILTERS[name], "-fps_mode", "passthrough", "-c:v", "ffv1", reference)
        filters = ["-vf", FILTERS[name]] if name == "intra.mkv" else []
        quality = ["-crf", "32"] if words[1] in ("libx264", "libx265") else []
        ffmpeg("-i", reference, *filters, "-fps_mode", "passthrough", *words, *quality, clip)
        return clip, reference

    def work(self):
        self.serial += 1
        return self.folder / f"{self.name}{self.serial}"

    def run(self, *words, status=0, env=None, before=""):
        """The command; its output. before is Python that is run first, to plant faults."""
        start = [sys.executable, "-B", "-c", f"import sys\n{before}\nfrom vmaf_gpu.batch.cli import main\n"
                                             "sys.exit(main())"]
        done = subprocess.run([*start, *map(str, words)], capture_output=True, text=True, check=False, timeout=600,
                              errors="backslashreplace", env={**os.environ, "PYTHONPATH": str(PACKAGES), **(env or {})})
        text = done.stdout + done.stderr
        if status is not None:
            expect(done.returncode == status, f"status of {' '.join(map(str, words))[-150:]}",
                   (done.returncode, text[-1500:]))
        expect("Traceback" not in text, f"no traceback of {' '.join(map(str, words))[-150:]}", text[-1500:])
        return done.returncode, text

    def manifest(self, *pairs):
        path = self.folder / f"manifest{self.serial}.jsonl"
        path.write_text("".join(json.dumps({**pair, "ref": str(pair["ref"]), "dis": str(pair["dis"])}) + "\n"
                                for pair in pairs))
        return path

    def plan(self, size, *pairs, words=()):
        work = self.work()
        self.run("plan", self.manifest(*pairs), work, "--frames-per-task", size, *self.programs, *words)
        return work

    def tasks(self, work, status=0, before="", words=()):
        """Runs all tasks one after the other."""
        plan = json.loads((work / "plan.json").read_text())
        return [self.run("task", work, number, *self.programs, *words, status=status, before=before)
                for number in range(len(plan["tasks"]))]

    def submit(self, work, status=0, jobs=2):
        return self.run("submit", work, *self.programs, "--", "--jobs", jobs, "--devices", "cpu", status=status)

    def merge(self, work, status=0, words=()):
        return self.run("merge", work, *self.programs, "--formats", "json,csv", "--precision", "max", *words,
                        status=status)

    def whole(self, clip, reference, *words):
        """CSV of one run in one piece, by the tool alone."""
        path = self.folder / "whole.csv"
        subprocess.run([self.tool, "-q", "-r", reference, "-d", clip, "--csv", "--precision", "max", "-o", path,
                        *words], check=True, timeout=300)
        return path.read_text()


def without_rate(text):
    return re.sub(r'"fps": [^,]*,', "", text)


def result_digest(work):
    """SHA-256 of all results of a work folder; fps is of the run, not of the videos."""
    digest = hashlib.sha256()
    for path in sorted((work / "results").glob("*.*")):
        digest.update(path.name.encode() + b"\0" + without_rate(path.read_text()).encode())
    return digest.hexdigest()


def options(**more):
    """The command line of a test; more: words of add_argument() by name."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--ffmpeg")
    for name, words in more.items():
        parser.add_argument(f"--{name}", **words)
    return parser.parse_args()


@contextlib.contextmanager
def prepared(tool=None, filtering=None):
    """A Lab in a folder of its own."""
    need_encoder()
    with tempfile.TemporaryDirectory() as folder:
        yield Lab(folder, tool or sys.argv[1], filtering)
