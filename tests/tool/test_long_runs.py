#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The tool while it runs: progress on a terminal, signals, a log that cannot be written, frame
rates, devices, and video that is read through ffmpeg.

    test_long_runs.py TOOL [Run|Memory]
"""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import stat
import struct
import subprocess
import sys
import termios
import threading
import time
import unittest

import runs

TOOL = sys.argv[1]
SIZE = 64


def header(rate="25:1"):
    return f"YUV4MPEG2 W{SIZE} H{SIZE} F{rate} C420\n".encode()


def picture(step, t):
    row = bytes((x * step + 5 * t) & 255 for x in range(SIZE))
    return b"FRAME\n" + row * SIZE + bytes([128]) * (SIZE * SIZE // 2)


def clip(step, count, rate="25:1"):
    return header(rate) + b"".join(picture(step, t) for t in range(count))


def unread(file):
    """Bytes that wait in a FIFO."""
    return struct.unpack("i", fcntl.ioctl(file, termios.FIONREAD, b"\0" * 4))[0]


class Run(runs.Case):
    program, options = TOOL, ("--backend", "cpu")

    def setUp(self):
        super().setUp()
        self.reference = self.path("r.y4m", clip(3, 12))
        self.distorted = self.path("d.y4m", clip(4, 12))

    def log(self, *args, env=None, cwd=None):
        path = self.path("log.json")
        _, text = self.run_tool(*args, "--json", "-o", path, "--precision", "max", env=env, cwd=cwd)
        with open(path, encoding="utf-8") as file:
            return json.load(file), text

    def pair(self, **changes):
        return ["-r", changes.get("r", self.reference), "-d", changes.get("d", self.distorted)]

    def test_log_has_times_and_title(self):
        d = self.path("ntsc.y4m", clip(4, 12, "24000:1001"))
        r = self.path("ntsc_r.y4m", clip(3, 12, "24000:1001"))
        log, text = self.log(*self.pair(r=r, d=d), "--title", "a b", "--frame_skip_dist", "2",
                             "--frame_skip_ref", "2")
        self.assertEqual(log["vmaf_gpu"]["title"], "a b")
        self.assertEqual(log["vmaf_gpu"]["time_base"], "1001/24000")
        self.assertEqual([f["pts"] for f in log["frames"]], list(range(2, 12)))
        self.assertAlmostEqual(log["frames"][3]["time"], 5 * 1001 / 24000, places=8)
        self.assertNotIn("frames/s", text)
        samples = self.path("r.yuv", bytes(range(250)) * 289)
        raw, _ = self.log(*self.pair(r=samples, d=samples), "-w", "17", "-h", "17", "-p", "400", "-b", "8",
                          "--frame_cnt", "1")
        self.assertNotIn("time", raw["frames"][0])

    def test_rates_that_differ(self):
        d = self.path("d30.y4m", clip(4, 12, "30:1"))
        log, text = self.log(*self.pair(d=d))
        message = "the reference has 25.000 frames/s, the distorted video 30.000"
        self.assertIn(message, text)
        self.assertIn(message, log["vmaf_gpu"]["warnings"][1])
        same, text = self.log(*self.pair(d=self.path("d50.y4m", clip(3, 12, "50:2"))))
        self.assertNotIn("frames/s", text)
        self.assertEqual(len(same["vmaf_gpu"]["warnings"]), 1) # the warning about the size

    def test_unwritable_log_is_found_first(self):
        for path in ("/no/such/folder/log", self.folder):
            # A reference that is never written: nothing may wait for it.
            fifo = self.path("fifo")
            if not os.path.exists(fifo):
                os.mkfifo(fifo)
            _, text = self.run_tool(*self.pair(r=fifo), "-o", path, code=1)
            self.assertIn(path, text)
            self.assertNotIn("backend", text)

    def test_devices(self):
        listed = self.run_tool("--list-devices")[0]
        self.assertIn("cpu", listed)
        self.assertNotIn("emu", listed)
        everything = subprocess.run([TOOL, "--list-devices", "--backend", "emu"], check=True,
                                    capture_output=True, timeout=60).stdout.decode()
        if "emu" not in everything:
            self.skipTest("SKIP: this build has no emulator")
        self.assertIn("emu32", everything)

    # ----------------------------------------------------------------- progress

    def terminal(self, *args):
        """Returns what the tool prints to a terminal."""
        try:
            main, child = pty.openpty()
        except OSError: # a root folder without /dev/pts
            self.skipTest("SKIP: this system gives no pseudo-terminal")
        with subprocess.Popen([TOOL, "--backend", "cpu", *args], stderr=child,
                              stdin=subprocess.DEVNULL) as process:
            os.close(child)
            text = b""
            while select.select([main], [], [], 60)[0]:
                try:
                    part = os.read(main, 65536)
                except OSError: # Linux: the other end is closed
                    break
                if not part:
                    break
                text += part
            self.assertEqual(process.wait(60), 0, text)
        os.close(main)
        return text.decode()

    def test_progress(self):
        text = self.terminal(*self.pair(), "--frame_skip_dist", "2")
        self.assertRegex(text, r"\r\[#{20}\] 10 of 10 frames, [\d.]+ FPS\x1b\[K\r?\n")
        self.assertRegex(self.terminal(*self.pair(), "--frame_cnt", "7"), r"\r\[#{20}\] 7 of 7 frames")
        self.assertNotIn("frames", self.terminal(*self.pair(), "-q"))

    def feed(self, pauses):
        """A FIFO that gets the distorted clip, with pauses in seconds before some pictures."""
        fifo = self.path("fifo")
        os.mkfifo(fifo)

        def write():
            with open(fifo, "wb", buffering=0) as file:
                file.write(header())
                for t in range(12):
                    time.sleep(pauses.get(t, 0))
                    try:
                        file.write(picture(4, t))
                    except BrokenPipeError: # the tool has all that it wants
                        return
        thread = threading.Thread(target=write, daemon=True) # nobody may open the other end
        thread.start()
        self.addCleanup(thread.join, 5)
        return fifo

    def test_progress_without_a_size(self):
        self.assertRegex(self.terminal(*self.pair(d=self.feed({}))), r"\r12 frames, [\d.]+ FPS")

    def test_progress_elsewhere(self):
        """A line every five seconds, where stderr is no terminal."""
        _, text = self.run_tool(*self.pair(d=self.feed({5: 5.2})), "--frame_cnt", "11")
        self.assertRegex(text, r"\nvmaf_gpu: \d+ of 11 frames, [\d.]+ FPS, 0:00:\d\d left\n")
        self.assertRegex(text, r"\nvmaf_gpu: 11 of 11 frames, [\d.]+ FPS\n")
        self.assertNotIn("FPS", self.run_tool(*self.pair())[1])

    def test_time_left(self):
        fifo = self.feed({5: 1.0, 6: 0.3})
        text = self.terminal(*self.pair(d=fifo), "--frame_cnt", "11")
        left = re.findall(r"\r\[[#-]{20}\] (\d+) of 11 frames, ([\d.]+) FPS, 0:00:(\d\d) left\x1b\[K", text)
        self.assertTrue(left, text)
        for done, rate, seconds in left:
            self.assertAlmostEqual((11 - int(done)) / float(rate), int(seconds), delta=0.6)

    # ------------------------------------------------------------------ signals

    def stopped(self, number, pairs, *words, source_ends=False):
        """The log of a run that is stopped after so many pairs, by a source that waits. source_ends: at the same time,
        as a program before a pipe does at Ctrl-C."""
        fifo, log = self.path("fifo"), self.path("log.json")
        if os.path.exists(log):
            os.remove(log)
        if not os.path.exists(fifo):
            os.mkfifo(fifo)
        with subprocess.Popen([TOOL, "--backend", "cpu", "-r", self.reference, "-d", fifo, "--json",
                               "-o", log, *words], stderr=subprocess.PIPE) as process:
            with open(fifo, "wb") as file:
                file.write(header() + b"".join(picture(4, t) for t in range(pairs)))
                file.flush()
                while unread(file):
                    time.sleep(0.05)
                time.sleep(0.3) # time from the last byte to the last pair
                if source_ends:
                    process.send_signal(signal.SIGSTOP)
                process.send_signal(number)
                if source_ends:
                    file.close()
                    process.send_signal(signal.SIGCONT)
                text = process.stderr.read().decode()
                code = process.wait(30)
        self.assertEqual(code, 128 + number, text)
        return log, text

    def test_signals_end_an_ffmpeg_that_says_nothing(self):
        """A stand-in ffmpeg waits, as for a server: while it is asked what a file is, and while it should decode."""
        video, pids = self.path("video", b"no Y4M, but longer than its signature"), self.path("pids")
        told = runs.probed(f"fmt:yuv420p s:{SIZE}x{SIZE} i:P")
        for condition in "", f"case \"$*\" in *showinfo*) echo '{told}' >&2; exit 0;; esac":
            program = self.path("ffmpeg", f"#!/bin/sh\n{condition}\necho $$ >>'{pids}'\nexec sleep 100\n".encode())
            os.chmod(program, 0o755)
            for number in signal.SIGINT, signal.SIGTERM:
                open(pids, "wb").close()
                with subprocess.Popen([TOOL, "--backend", "cpu", "-r", self.reference, "-d", video], stderr=subprocess.PIPE,
                                      env={**os.environ, "VMAF_GPU_FFMPEG": program}) as process:
                    while os.stat(pids).st_size == 0:
                        time.sleep(0.05)
                    time.sleep(0.2)
                    process.send_signal(number)
                    text = process.stderr.read().decode()
                    self.assertEqual(process.wait(30), 128 + number, text)
                self.assertIn("stopped by a signal", text)
                with open(pids, encoding="utf-8") as file:
                    for pid in file.read().split():
                        self.assertFalse(os.path.exists(f"/proc/{pid}"), condition)

    def test_signals_write_the_log(self):
        full, _ = self.log(*self.pair())
        signal.signal(signal.SIGHUP, signal.SIG_DFL) # a test under nohup
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            path, text = self.stopped(number, 7)
            self.assertIn("stopped by a signal after 7 pairs", text)
            with open(path, encoding="utf-8") as file:
                log = json.load(file)
            self.assertEqual(len(log["frames"]), 7)
            self.assertIn("stopped by a signal after 7 pairs", log["vmaf_gpu"]["warnings"])
            self.assertEqual(log["incomplete"], "stopped by a signal after 7 pairs")
            for i in range(6): # the last one has no successor now
                self.assertAlmostEqual(log["frames"][i]["metrics"]["vmaf"],
                                       full["frames"][i]["metrics"]["vmaf"], places=5)
        path, text = self.stopped(signal.SIGTERM, 0)
        self.assertFalse(os.path.exists(path))
        self.assertIn("no pictures", text)
        self.assertEqual([name for name in os.listdir(self.folder) if "vmaf_gpu_log" in name], [])

    def test_a_signal_is_not_the_end_of_an_input(self):
        """Pairs by number and by times: no message says that main ends before reference, and the log is incomplete."""
        self.reference = self.path("long.y4m", clip(4, 90))
        for words in ((), ("--pair", "auto"), ("--pair", "time"), ("--pair", "framesync")):
            for source_ends in (False, True):
                path, text = self.stopped(signal.SIGINT, 80, *words, source_ends=source_ends)
                with open(path, encoding="utf-8") as file:
                    log = json.load(file)
                with self.subTest(words, source_ends=source_ends):
                    self.assertRegex(log["incomplete"], r"^stopped by a signal after \d+ pairs$")
                    self.assertEqual(text.count(log["incomplete"]), 1)
                    for said in (text, *log["vmaf_gpu"]["warnings"]):
                        self.assertNotRegex(said, r"\bends\b|drops|not in the score|truncated")
                    if words:
                        self.assertEqual(log["pairing"]["at_least"], 1)
                        self.assertEqual(log["pairing"]["unpaired_reference"]["end"], 0)

    def test_errors_keep_the_scores_before_them(self):
        full, _ = self.log(*self.pair())
        self.assertNotIn("incomplete", full)
        film = self.path("film.mkv", b"\x1aE\xdf\xa3 anything")
        env = self.fake_ffmpeg(f"cat {self.distorted}; exit 3\n")
        log = self.path("log.json")
        for d, expected, pairs in ((self.path("cut.y4m", clip(4, 10)[:-100]), "cut short", 9),
                                   (film, "ffmpeg failed after picture 12", 12)):
            _, text = self.run_tool(*self.pair(d=d), "--json", "-o", log, "--precision", "max",
                                    code=1, env=env)
            self.assertIn(expected, text)
            self.assertIn(f"the log has {pairs} pairs and is incomplete", text)
            with open(log, encoding="utf-8") as file:
                scores = json.load(file)
            self.assertIn(expected, scores["incomplete"])
            self.assertEqual(len(scores["frames"]), pairs)
            count = pairs if pairs == 12 else pairs - 1 # the last one has no successor now
            self.assertEqual([f["metrics"] for f in scores["frames"][:count]],
                             [f["metrics"] for f in full["frames"][:count]])

    # ------------------------------------------------------------------- ffmpeg

    def fake_ffmpeg(self, script):
        program = self.path("ffmpeg")
        with open(program, "w", encoding="utf-8") as file:
            told = runs.probed(f"fmt:yuv420p sar:0/1 s:{SIZE}x{SIZE} i:P")
            file.write(f"#!/bin/sh\ncase \"$*\" in *showinfo*) echo '{told}' >&2; exit;; esac\n" + script)
        os.chmod(program, stat.S_IRWXU)
        return dict(os.environ, PATH=self.folder + ":/usr/bin:/bin", VMAF_GPU_FFMPEG="ffmpeg")

    def test_video_through_ffmpeg(self):
        plain, _ = self.log(*self.pair())
        film = self.path("film.mkv", b"\x1aE\xdf\xa3 anything")
        env = self.fake_ffmpeg(f'echo "$@" >{self.folder}/args\ncat {self.distorted}\n')
        log, text = self.log(*self.pair(d=film), env=env)
        self.assertEqual(log["frames"], plain["frames"])
        self.assertIn(f"{film} is read through ffmpeg\n", text)
        with open(self.path("args"), encoding="utf-8") as file:
            self.assertRegex(file.read(), rf"-i file:{re.escape(film)} .*-f yuv4mpegpipe -$")
        _, text = self.run_tool(*self.pair(d=film), "-q", env=env)
        self.assertEqual(text, "")
        named = dict(env, PATH="/usr/bin:/bin", VMAF_GPU_FFMPEG=self.path("ffmpeg"))
        log, text = self.log(*self.pair(d=film), env=named)
        self.assertEqual(log["frames"], plain["frames"])
        self.assertIn(f"{film} is read through {self.folder}/ffmpeg\n", text)
        # ffmpeg would take what is before a colon for a protocol.
        self.path("a: b.mkv", b"\x1aE\xdf\xa3 anything")
        for name in "a: b.mkv", "./a: b.mkv":
            log, _ = self.log(*self.pair(d=name), env=env, cwd=self.folder)
            self.assertEqual(log["frames"], plain["frames"])
            with open(self.path("args"), encoding="utf-8") as file:
                self.assertIn(f"-i file:{name} -filter_complex", file.read())
        # Stopped early: ffmpeg must not keep the tool waiting.
        env = self.fake_ffmpeg(f"cat {self.distorted}\nexec sleep 1000\n")
        self.run_tool(*self.pair(d=film), "--frame_cnt", "5", env=env)

    def test_the_ffmpeg_that_belongs_to_the_tool(self):
        """VMAF_GPU_FFMPEG, else one beside the tool, else one in the folder ffmpeg of its build, else that in PATH."""
        film = self.path("film.mkv", b"\x1aE\xdf\xa3 anything")
        env = dict(self.fake_ffmpeg(f"cat {self.distorted}\n"), VMAF_GPU_FFMPEG="")
        program = self.path("ffmpeg")
        root = self.path("build")
        os.makedirs(os.path.join(root, "tools"))
        os.makedirs(os.path.join(root, "ffmpeg"))
        os.symlink(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(TOOL))), "src"), os.path.join(root, "src"))
        tool = shutil.copy(TOOL, os.path.join(root, "tools"))
        built, beside = (os.path.join(root, folder, "ffmpeg") for folder in ("ffmpeg", "tools"))
        for copied, named, found in ((None, "", "ffmpeg"), (built, "", built), (beside, "", beside), (None, program, program)):
            if copied is not None:
                shutil.copy(program, copied)
            done = subprocess.run([tool, *self.pair(d=film)], env=dict(env, VMAF_GPU_FFMPEG=named), capture_output=True,
                                  text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{film} is read through {found}\n", done.stderr)

    def test_what_ffmpeg_says_of_a_file(self):
        """A turned main is converted, in the words of every FFmpeg; texts of the file itself are no tags."""
        film, other, said = (self.path(name, b"\x1aE\xdf\xa3 anything") for name in ("film.mkv", "other.mkv", "said"))
        told = runs.probed(f"fmt:yuv420p s:{SIZE}x{SIZE} i:P")
        script = (f"case \"$*\" in *other.mkv*) tag=smpte170m;; *) tag=bt709; sed 1q '{said}' >&2;; esac\n"
                  f"case \"$*\" in *showinfo*) echo \"[info]   libavfilter    12.  1.102\n{told}\n"
                  "[Parsed_showinfo_0 @ 0x1] [info] color_space:$tag\" >&2; exit;; esac\n"
                  f"case \"$*\" in *color_spaces*) echo \"$@\" >'{said}.by';; esac\ncat '{self.distorted}'\n")
        program = self.path("ffmpeg", b"#!/bin/sh\n" + script.encode())
        os.chmod(program, stat.S_IRWXU)
        env = dict(os.environ, VMAF_GPU_FFMPEG=program)
        for line, converted in (("[AVFilterGraph @ 0x1] query_formats: 4 queried, 9 merged", "film"),
                                ("type:I [AVFilterGraph @ 0x1] query_formats: 5 queried, 12 merged", "film"),
                                ("[AVFilterGraph @ 0x1] query_formats: 3 queried, 6 merged", "other"),
                                ("[info]     title           : displaymatrix: rotation of 90", "other"),
                                ("[info]     title           : [Parsed_showinfo_0 @ 0x1] i:T", "other"),
                                ("[info] Input #0, matroska, from 'x[Parsed_showinfo_0 @ 0x1] i:T", "other")):
            with self.subTest(line):
                self.path("said", line.encode() + b"\n")
                _, text = self.run_tool(*self.pair(r=other, d=film), env=env)
                self.assertNotIn("interlaced", text)
                with open(said + ".by", encoding="utf-8") as file:
                    self.assertIn(f"{converted}.mkv -filter_complex", file.read())

    def test_faults_of_ffmpeg(self):
        film = self.path("film.mkv", b"\x1aE\xdf\xa3 anything")
        for script, expected in (("exit 1", "ffmpeg cannot read it"),
                                 (f"cat {self.distorted}; exit 3", "ffmpeg failed after picture 12"),
                                 (f"head -c 20000 {self.distorted}; kill -9 $$", "ffmpeg was killed after picture"),
                                 (f"head -c 20000 {self.distorted}", "cut short")):
            _, text = self.run_tool(*self.pair(d=film), code=1, env=self.fake_ffmpeg(script + "\n"))
            self.assertIn(expected, text)
        # What it says is on no disk, which may be full: damage would be lost.
        place = self.path("place")
        self.run_tool(*self.pair(d=film), env=self.fake_ffmpeg(f"readlink /proc/$$/fd/2 >'{place}'; cat {self.distorted}\n"))
        with open(place, encoding="utf-8") as file:
            self.assertRegex(file.read(), "^/memfd:")
        _, text = self.run_tool(*self.pair(d=film), code=1,
                                env=dict(os.environ, PATH="/no/such", VMAF_GPU_FFMPEG="ffmpeg"))
        self.assertIn("not a Y4M file, and ffmpeg cannot be started", text)

    def test_images_and_alpha(self):
        """A pattern of names of images is a video. Alpha is no part of the comparison."""
        program = shutil.which("ffmpeg")
        if program is None:
            self.skipTest("SKIP: no ffmpeg in PATH")
        wanted, _ = self.log(*self.pair())
        made = [self.path(name) for name in ("d%04d.png", "r-%d.png", "d.mkv", "d.nut")]
        for source, file, words in ((self.distorted, made[0], ("-vf", "extractplanes=y")),
                                    (self.reference, made[1], ("-vf", "extractplanes=y", "-start_number", "3")),
                                    (self.distorted, made[2], ("-c:v", "ffv1", "-pix_fmt", "yuva420p")),
                                    (self.distorted, made[3], ("-c:v", "rawvideo", "-pix_fmt", "nv12"))):
            subprocess.run([program, "-v", "error", "-nostdin", "-y", "-i", source, *words, file], check=True, timeout=60)
        for main, reference in ((made[0], made[1]), (made[2], self.reference), (made[3], self.reference)):
            with self.subTest(main, reference=reference):
                log, _ = self.log(*self.pair(r=reference, d=main), "--formats", "asis")
                self.assertEqual([f["metrics"] for f in log["frames"]], [f["metrics"] for f in wanted["frames"]])
        for size in "8:0", "0:8", "-8:0", "0:-2": # change of size of one picture in the middle
            across, down = (int(number) for number in size.split(":"))
            subprocess.run([program, "-v", "error", "-nostdin", "-y", "-i", self.distorted, "-frames:v", "1", "-vf",
                            f"extractplanes=y,scale={64 + across}:{64 + down}", made[0] % 5], check=True, timeout=60)
            _, text = self.run_tool(*self.pair(r=made[0], d=made[0]), "--formats", "asis", code=1)
            self.assertIn(f"changes from 64x64 to {64 + across}x{64 + down} at 0.16 s; make it one video first", text)
        _, text = self.run_tool(*self.pair(d=self.path("none%04d.png")), code=1)
        self.assertIn("none%04d.png", text)

    def test_pictures_that_change(self):
        """Time, both values and a command that helps; sizes and formats with every ffmpeg."""
        program = shutil.which("ffmpeg")
        if program is None:
            self.skipTest("SKIP: no ffmpeg in PATH")
        reference, whole, fixed = self.path("two.mjpeg"), self.path("joined.mjpeg"), self.path("fixed.mkv")
        parts = [self.path(f"part{n}.mjpeg") for n in range(2)]
        make = [program, "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", "testsrc2=s=64x64:r=25:d=0.4"]

        def join(words, name):
            for part, more in zip(parts, ([], words)):
                subprocess.run([*make, *more, *(["-pix_fmt", "yuvj420p"] if "-pix_fmt" not in more else []), "-c:v", "mjpeg",
                                "-q:v", "2", part], check=True, timeout=60)
            with open(name, "wb") as file:
                for part in parts:
                    with open(part, "rb") as source:
                        file.write(source.read())
        join([], reference)
        for words, change in ((("-vf", "scale=32:48"), "64x64 to 32x48"), (("-pix_fmt", "yuvj422p"), "yuvj420p to yuvj422p")):
            join(words, whole)
            _, text = self.run_tool(*self.pair(r=reference, d=whole), "--formats", "asis", code=1)
            self.assertRegex(text, rf"joined.mjpeg: changes from {change} at 0\.\d+ s; make it one video first, e.g. ffmpeg")
            self.assertNotIn("decoder reported errors", text)
            command = re.search("e.g. ffmpeg -i INPUT (.*) FILE.mkv", text)[1].split()
            subprocess.run([program, "-v", "error", "-nostdin", "-y", "-i", whole, *command, fixed], check=True, timeout=60)
            log, _ = self.log(*self.pair(r=reference, d=fixed), "--formats", "asis")
            self.assertEqual((len(log["frames"]), log["pairing"]["main_frames"]), (20, 20))

    def test_what_a_decoder_says(self):
        """Marked frames are counted, in the words of the filter; errors that are only logged, by the first one."""
        film = self.path("film.mkv", b"\x1aE\xdf\xa3 anything")
        line = "[vist#0:0/h264 @ 0x1] [warning] corrupt decoded frame"
        for said, told in ((f"'{line}' '{line}'", "2 frames of main are damaged: the decoder reported errors"),
                           ("'[h264 @ 0x1] [error] the first' '[h264 @ 0x1] [error] the second'", "errors, and .*: the first"),
                           ("'[info]     title: [error] no' '[h264 @ 0x1] [warning] no'", None)):
            env = self.fake_ffmpeg(f"cat {self.distorted}; printf '%s\\n' {said} >&2\n")
            log, text = self.log(*self.pair(d=film), env=env)
            self.assertEqual(len(log["frames"]), 12)
            warnings = "\n".join(log["vmaf_gpu"]["warnings"])
            if told is None:
                self.assertNotIn("decoder", warnings + text)
                continue
            self.assertRegex(warnings, told)
            self.assertNotIn("the second", text)
            _, text = self.run_tool(*self.pair(d=film), "--strict", env=env, code=1)
            self.assertRegex(text, f"strict: .*{told}")

    def test_the_real_ffmpeg(self):
        program = shutil.which("ffmpeg")
        if program is None:
            self.skipTest("SKIP: no ffmpeg in PATH")
        film = self.path("film.mkv")
        for depth in ("yuv420p", "yuv422p10le"):
            clips = []
            for source in (self.reference, self.distorted):
                clips.append(self.path(os.path.basename(source) + depth + ".y4m"))
                subprocess.run([program, "-v", "error", "-nostdin", "-y", "-i", source, "-pix_fmt",
                                depth, "-strict", "-1", clips[-1]], check=True, timeout=60)
            subprocess.run([program, "-v", "error", "-nostdin", "-y", "-i", clips[1], "-c:v", "ffv1",
                            film], check=True, timeout=60)
            plain, _ = self.log(*self.pair(r=clips[0], d=clips[1]))
            log, _ = self.log(*self.pair(r=clips[0], d=film))
            self.assertEqual([f["metrics"] for f in log["frames"]],
                             [f["metrics"] for f in plain["frames"]])
        # RGB has to be converted, which this ffmpeg may not know to do as the filter does.
        subprocess.run([program, "-v", "error", "-nostdin", "-y", "-i", clips[1], "-c:v", "ffv1", "-pix_fmt",
                        "bgr0", film], check=True, timeout=60)
        version = subprocess.run([program, "-version"], capture_output=True, check=True).stdout.decode()
        is_new = int(re.search(r"libavfilter +(\d+)", version)[1]) >= 10
        _, text = self.run_tool(*self.pair(r=clips[1], d=film), code=0 if is_new else 1)
        self.assertEqual("has to be converted, by FFmpeg 7.0 or later" in text, not is_new)


class Memory(runs.Case):
    program, options = TOOL, ("--backend", "cpu")

    def test_memory_does_not_grow(self):
        fifo, reference = self.path("fifo"), self.path("reference.yuv", b"")
        os.mkfifo(fifo)
        os.truncate(reference, 17 * 17 * 80000)

        def used(count, *args):
            """KiB of a run when it has read nearly all of its pairs."""
            tool = subprocess.Popen(
                [TOOL, "--backend", "cpu", "-r", reference, "-d", fifo, "-w", "17", "-h", "17",
                 "-p", "400", "-b", "8", "--no_prediction", "--feature", "psnr=enable_chroma=false",
                 "-q", "--threads", "1", *args], env={**os.environ, "MALLOC_ARENA_MAX": "1"})  # arenas come and go
            with open(fifo, "wb") as file:
                for _ in range(count // 100):
                    file.write(bytes(17 * 17 * 100))
                file.flush()
                with open(f"/proc/{tool.pid}/status", encoding="ascii") as status:
                    size = re.search(r"VmRSS:\s*([0-9]+) kB", status.read())
            self.assertEqual(tool.wait(timeout=60), 0)
            return int(size[1])

        log = self.path("log")
        for args in ((), ("--csv", "-o", log), ("--csv=strict", "-o", log), ("--sub", "-o", log)):
            few, many = used(20000, *args), used(80000, *args)
            self.assertLess(many - few, 512, args) # 9 bytes a pair
        with open(log, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual([line.split("}")[0] for line in lines], ["{%d" % i for i in range(80000)])
        self.assertGreater(used(80000, "--json", "-o", log) - used(20000, "--json", "-o", log), 1024)


if __name__ == "__main__":
    program = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False)
    if program.result.testsRun == 0:
        sys.exit("no test was selected")
    sys.exit(0 if program.result.wasSuccessful() else 1)
