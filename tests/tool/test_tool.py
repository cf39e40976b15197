#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The command-line tool and the benchmark, as a user runs them: every input
layout, the log formats, and an exit code with a message for every fault.

    test_tool.py TOOL BENCH [unittest options]
"""
import json
import os
import random
import shutil
import subprocess
import sys
import unittest

import runs

TOOL, BENCH = sys.argv[1:3]
MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../models/vmaf_v0.6.1neg.json")
WIDTH, HEIGHT, FRAMES = 53, 35, 3  # odd, so that chroma is rounded up


def planes(chroma, width=WIDTH, height=HEIGHT):
    half_w = (width + 1) // 2 if chroma in ("420", "422") else width
    half_h = (height + 1) // 2 if chroma == "420" else height
    return [(width, height)] + ([] if chroma == "400" else [(half_w, half_h)] * 2)


def frames(chroma, depth, seed, alpha=False):
    """Pictures as lists of bytes; luma is a texture, chroma only has to be skipped."""
    rng = random.Random(seed)
    result = []
    for t in range(FRAMES):
        data = bytearray()
        for index, (width, height) in enumerate(planes(chroma) + [(WIDTH, HEIGHT)] * alpha):
            for y in range(height):
                for x in range(width):
                    value = rng.randrange(256)
                    if index == 0:
                        value = (x * x + 2 * y * y + 9 * t * x + rng.randrange(16 * seed)) & 255
                    value = value << (depth - 8)
                    data += value.to_bytes(1 if depth == 8 else 2, "little")
        result.append(bytes(data))
    return result


def y4m(colour, pictures, size=(WIDTH, HEIGHT)):
    tag = f" C{colour}" if colour else ""
    head = f"YUV4MPEG2 W{size[0]} H{size[1]} F25:1 Ip A1:1{tag} XEXTRA=1\n".encode()
    return head + b"".join(b"FRAME\n" + data for data in pictures)


class Tool(runs.Case):
    program = TOOL

    def scores(self, *args, stdin=None):
        log = self.path("log.json")
        self.run_tool(*args, "--backend", "cpu", "-q", "-o", log, "--json", "--precision", "max",
                      stdin=stdin)
        with open(log, encoding="utf-8") as file:
            return [frame["metrics"] for frame in json.load(file)["frames"]]

    def inputs(self, colour="420", chroma="420", depth=8):
        return (self.path("r.y4m", y4m(colour, frames(chroma, depth, 1))),
                self.path("d.y4m", y4m(colour, frames(chroma, depth, 5))))

    def test_reg13_every_colour_space_at_odd_sizes_scores_the_same(self):
        """Luma is the same whatever chroma follows it."""
        spaces = {8: [("", "420"), ("420", "420"), ("420jpeg", "420"), ("420mpeg2", "420"),
                      ("420paldv", "420"), ("422", "422"), ("444", "444"), ("mono", "400")],
                  10: [("420p10", "420"), ("422p10", "422"), ("444p10", "444"),
                       ("mono10", "400")],
                  12: [("420p12", "420"), ("mono12", "400")],
                  16: [("420p16", "420"), ("422p16", "422"), ("444p16", "444"),
                       ("mono16", "400")]}
        for depth, names in spaces.items():
            seen = []
            for colour, chroma in names:
                # The luma of a texture must not depend on the chroma drawn after it.
                pictures = [[luma + rest for luma, rest in zip(
                    (p[:WIDTH * HEIGHT * (1 if depth == 8 else 2)]
                     for p in frames("400", depth, seed)),
                    (p[WIDTH * HEIGHT * (1 if depth == 8 else 2):]
                     for p in frames(chroma, depth, seed)))] for seed in (1, 5)]
                seen.append(self.scores(
                    "--formats", "asis", "-r", self.path("r.y4m", y4m(colour, pictures[0])),
                    "-d", self.path("d.y4m", y4m(colour, pictures[1]))))
                self.assertEqual(len(seen[-1]), FRAMES)
                self.assertEqual(seen[-1], seen[0], colour)
            self.assertGreater(seen[0][1]["integer_motion2"], 0)
            self.assertLess(seen[0][0]["vmaf"], 99)

    def test_limits_of_the_command_line(self):
        reference, distorted = self.inputs()
        text = self.run_tool("-r", reference, "-d", distorted, "-w", "2147483647", "-h", "16",
                             "-p", "420", "-b", "8", code=1)[1]
        self.assertIn("at most 65535x65535", text)
        spec = "version=vmaf_v0.6.1" + ":disable_clip=true" * 65
        text = self.run_tool("-r", reference, "-d", distorted, "-m", spec, code=1)[1]
        self.assertIn("more than 64 options", text)

    def test_an_input_is_not_replaced_by_the_log(self):
        reference, distorted = self.inputs()
        with open(reference, "rb") as file:
            before = file.read()
        text = self.run_tool("-r", reference, "-d", distorted, "--backend", "cpu", "-o", reference,
                             code=1)[1]
        self.assertIn("is an input", text)
        with open(reference, "rb") as file:
            self.assertEqual(before, file.read())

    def test_alpha_is_skipped(self):
        plain = self.scores("-r", self.path("r.y4m", y4m("444", frames("444", 8, 1))),
                            "-d", self.path("d.y4m", y4m("444", frames("444", 8, 1))))
        alpha = self.scores("-r", self.path("r.y4m", y4m("444alpha", frames("444", 8, 1, True))),
                            "-d", self.path("d.y4m", y4m("444alpha", frames("444", 8, 1, True))))
        self.assertEqual(len(plain), len(alpha))

    def test_raw_and_standard_input(self):
        reference, distorted = self.inputs("420p10", "420", 10)
        expected = self.scores("-r", reference, "-d", distorted)
        raw = ["-w", str(WIDTH), "-h", str(HEIGHT), "-p", "420", "-b", "10"]
        self.assertEqual(expected, self.scores(
            "-r", self.path("r.yuv", b"".join(frames("420", 10, 1))),
            "-d", self.path("d.yuv", b"".join(frames("420", 10, 5))), *raw))
        with open(distorted, "rb") as file:
            self.assertEqual(expected, self.scores("-r", reference, "-d", "-", stdin=file.read()))

    def test_pipes_with_a_name(self):
        reference, distorted = self.inputs()
        expected = self.scores("-r", reference, "-d", distorted)
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        with subprocess.Popen(["cp", distorted, fifo]):
            self.assertEqual(expected, self.scores("-r", reference, "-d", fifo))
        text = self.path("text", b"no video, but longer than the signature")
        with subprocess.Popen(["cp", text, fifo], stderr=subprocess.DEVNULL):
            self.assertIn("not Y4M, and ffmpeg cannot read a pipe", self.run_tool("-r", reference, "-d", fifo, code=1)[1])

    def test_numbers_in_hexadecimal_and_octal(self):
        raw = ["-r", self.path("r.yuv", b"".join(frames("420", 8, 1))),
               "-d", self.path("d.yuv", b"".join(frames("420", 8, 5))), "-p", "420"]
        expected = self.scores(*raw, "-w", str(WIDTH), "-h", str(HEIGHT), "-b", "8",
                               "--frame_cnt", "2")
        self.assertEqual(expected, self.scores(*raw, "-w", hex(WIDTH), "-h", f"0{HEIGHT:o}",
                                               "-b", "0X8", "--frame_cnt", "0x2"))
        for wrong in ("0x", "08", "0x1g", "1e2"):
            _, text = self.run_tool(*raw, "-w", wrong, "-h", str(HEIGHT), "-b", "8", code=1)
            self.assertIn(f"'{wrong}'", text)

    def test_depths_may_differ(self):
        reference = self.path("r.y4m", y4m("420", frames("420", 8, 1)))
        deep = self.path("r10.y4m", y4m("420p10", frames("420", 10, 1)))
        distorted = self.path("d.y4m", y4m("420p10", frames("420", 10, 5)))
        self.assertEqual(self.scores("-r", deep, "-d", distorted),
                         self.scores("-r", reference, "-d", distorted, "--formats", "asis"))

    def test_what_cannot_be_raw_video_of_that_kind(self):
        size = ["-w", str(WIDTH), "-h", str(HEIGHT), "-p", "420"]
        reference, _ = self.inputs()
        raw = self.path("r.yuv", b"".join(frames("420", 8, 1)))
        _, text = self.run_tool("-r", raw, "-d", reference, *size, "-b", "8", code=1)
        self.assertIn("a Y4M file, whose header says what it is", text)
        for shift, cause in ((6, "P010"), (0, "another bit depth")):
            data = b"".join(((int.from_bytes(picture[i:i + 2], "little") | (0 if shift else 1024)) << shift & 0xffff)
                            .to_bytes(2, "little") for picture in frames("420", 10, 1)
                            for i in range(0, len(picture), 2))
            _, text = self.run_tool("-r", self.path("10.yuv", b"".join(frames("420", 10, 1))), "-d",
                                    self.path("shifted.yuv", data), *size, "-b", "10", code=1)
            self.assertIn("samples above 1023", text)
            self.assertIn(cause, text)

    def old_ffmpeg(self):
        """Returns the tool with an FFmpeg 6.1, which does not convert as `libvmaf` has it done in later versions."""
        folder = self.path("old")
        os.makedirs(folder, exist_ok=True)
        program = os.path.join(folder, "ffmpeg")
        with open(program, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexec 3>&1\n" + str(shutil.which("ffmpeg")) +
                       " \"$@\" 2>&1 >&3 3>&- | sed 's/  libavfilter *[0-9]*/  libavfilter 9/' >&2\n")
        os.chmod(program, 0o700)
        return dict(os.environ, PATH=f"{folder}:/usr/bin:/bin", VMAF_GPU_FFMPEG="ffmpeg")

    def stand_in(self, size, pixels, video, container=""):
        """Returns a tool that finds an FFmpeg that says this of a file, and decodes it so."""
        self.path("decoded", video)
        said = runs.probed(f"pts:      0 fmt:{pixels} cl:left sar:1/1 s:{size} i:P iskey:1", container)
        program = self.path("ffmpeg", f"""#!/bin/sh
case "$*" in
*showinfo*) echo '{said}' >&2 ;;
*) cat '{self.path("decoded")}' ;;
esac
""".encode())
        os.chmod(program, 0o700)
        return dict(os.environ, VMAF_GPU_FFMPEG=program)

    def test_what_the_container_crops_is_named(self):
        """FFmpeg 7.1 and later crop it: left, right, top, bottom. Scaling it up would give a score."""
        cropped, other = self.path("cropped.mkv", b"any"), self.inputs()[0]
        for sides, told in ("4/3/1/2", f"the container of {{0}} crops {WIDTH}x{HEIGHT}: take all of it, e.g. ffmpeg "
                                       f"-apply_cropping codec -i \"{cropped}\""), \
                           ("0/0/0/0", "crop"):
            env = self.stand_in(f"{WIDTH - 7}x{HEIGHT - 3}", "yuv420p", b"", f"[info]         Frame cropping: {sides}\n")
            for words, name in (["-r", other, "-d", cropped], "main"), (["-r", cropped, "-d", other], "reference"):
                _, text = self.run_tool(*words, code=1, env=env)
                self.assertIn(told.format(name), text)
                self.assertEqual("-apply_cropping" in text, sides != "0/0/0/0")

    def test_names_in_commands_are_quoted(self):
        """A shell gives ffmpeg the file's name, and runs nothing."""
        args = self.path("args")
        program = self.path("ffmpeg", f"#!/bin/sh\nprintf '%s\\n' \"$@\" >'{args}'\n".encode())
        os.chmod(program, 0o700)
        reference = self.inputs()[0]
        small = y4m("420", [bytes(32 * 24 * 3 // 2)], (32, 24))
        for name, given in ("./-it's 100%d:x $(id) \"q\".y4m", "file:"), ("Film $5 \xfc.y4m", ""), ("a:b.y4m", "file:"), \
                           ("it's.y4m", ""), ("back\\slash`!`'.y4m", ""):
            self.path(name, small)
            _, text = self.run_tool("-r", os.path.abspath(reference), "-d", name, code=1, cwd=self.folder)
            command = text[text.index(", e.g. ffmpeg ") + len(", e.g. "):].splitlines()[0]
            subprocess.run(["bash", "-c", command], check=True, env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})
            with open(args, encoding="utf-8") as file:
                self.assertEqual(file.read().splitlines()[:2], ["-i", given + name])

    def test_odd_widths_of_an_old_ffmpeg_are_its_fault(self):
        """FFmpeg 5.1 leaves the last byte of each row of chroma out, above 8 bits."""
        for pictures, colour, chroma in (1, "420p10", "420"), (3, "420p10", "420"), (1, "422p16", "422"):
            depth, made = int(colour[4:]), []
            for data in frames(chroma, depth, 5)[:pictures]:
                luma, rows = WIDTH * HEIGHT * 2, planes(chroma)[1]
                torn = b"".join(data[at:at + WIDTH] for at in range(luma, len(data), rows[0] * 2))
                made.append(data[:luma] + torn)
            env = self.stand_in(f"{WIDTH}x{HEIGHT}", f"yuv{chroma}p{depth}le", y4m(colour, made))
            reference = self.inputs(colour, chroma, depth)[0]
            _, text = self.run_tool("-r", reference, "-d", self.path("odd.mkv", b"any"), "--backend", "cpu", code=1, env=env)
            self.assertIn("this ffmpeg writes pictures of odd width with more than 8 bits wrong as Y4M", text)

    def test_what_helps_is_data_for_other_programs(self):
        """A line of tabs each, and nothing of a graph."""
        form = "format=yuv420p:size=640x360"
        for main, reference, code, line in (
                ("interlaced=1", "", 0, "1\t0\t\tbwdif=mode=send_frame\t\t\t\tmain is interlaced, reference is progressive: "
                                        "deinterlace main"),
                ("size=320x180", "", 1, "0\t1\t\tscale=640:360:flags=bicubic\t\t\t\tmain is 320x180 but reference is 640x360; "
                                        "scale one of them"),
                ("size=600x340", "stored=640x360", 1, "0\t0\t\t\tcrop=600:340:20:10\t-apply_cropping codec\t\tmain is 600x340 but "
                                                      "reference is 640x360; crop reference or pad main"),
                ("transfer=bt709", "transfer=linear", 0, "1\t0\t\t\tzscale=t=bt709:m=bt709:r=tv,format=yuv420p\t\t\treference has "
                                                         "linear light (transfer linear), as it is between two filters and never "
                                                         "shown: give reference its curve again")):
            done = subprocess.run([TOOL, "--tags_dist", f"{form}:{main}".strip(":"), "--tags_ref", f"{form}:{reference}".strip(":")],
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout.splitlines()[:1], done.stdout.splitlines()[3:]), (code, [""], [line]))
            self.assertNotIn("vmaf_gpu=", done.stderr + done.stdout)

    def test_what_y4m_says_of_range_and_fields(self):
        pictures = frames("420", 8, 1)
        plain = self.path("r.y4m", y4m("420", pictures))
        data = y4m("420", frames("420", 8, 5))
        full = self.path("full.y4m", data.replace(b"XEXTRA=1", b"XCOLORRANGE=FULL", 1))
        _, text = self.run_tool("-r", plain, "-d", full, "--backend", "cpu", code=1, env=self.old_ffmpeg())
        self.assertIn("main has full range, reference has no tagged range: FFmpeg converts reference, as for libvmaf (--formats asis: "
                      "no conversion)", text)
        self.assertIn("has to be converted, by FFmpeg 7.0 or later", text)
        self.assertEqual(self.scores("-r", plain, "-d", full, "--formats", "asis"),
                         self.scores("-r", plain, "-d", self.path("d.y4m", data)))
        _, text = self.run_tool("-r", plain, "-d", full, "--backend", "cpu", "--formats", "asis")
        self.assertIn("the samples are compared as they are", text)
        fields = self.path("fields.y4m", data.replace(b" Ip ", b" It ", 1))
        self.assertIn("main is interlaced, reference is progressive",
                      self.run_tool("-r", plain, "-d", fields, "--backend", "cpu")[1])

    def test_a_file_with_the_name_of_standard_input(self):
        """The tool does not read the other file when standard input has to be converted."""
        reference, distorted = self.inputs()
        program = self.path("ffmpeg", f"#!/bin/sh\necho '  libavfilter 12' >&2\ncat '{reference}'\n".encode())
        os.chmod(program, 0o700)
        self.path("-", b"any")
        _, text = self.run_tool("-r", "-", "-d", distorted, stdin=y4m("444", frames("444", 8, 1)), code=1,
                                cwd=self.folder, env=dict(os.environ, VMAF_GPU_FFMPEG=program))
        self.assertIn("- has to be converted", text)

    def test_a_refusal_names_the_ffmpeg_that_read(self):
        """Another ffmpeg may read the file; which one runs depends on the build and on the environment."""
        program = self.path("ffmpeg", b"#!/bin/sh\nexit 1\n")
        os.chmod(program, 0o700)
        _, text = self.run_tool("-r", self.inputs()[0], "-d", self.path("film.mkv", b"any"), code=1,
                                env=dict(os.environ, VMAF_GPU_FFMPEG=program))
        self.assertIn(f"film.mkv: not a Y4M file, and {program} cannot read it", text)

    def test_commands_of_the_other_program(self):
        """vmaf_gpu and vmaf-gpu differ in one character."""
        for word in "ladder", "plan", "score", "search", "status", "submit", "task":
            _, text = self.run_tool(word, "--crf", "20", code=1)
            self.assertEqual(text, f"vmaf_gpu: {word} is a command of another program, vmaf-gpu with a hyphen: "
                                   f"vmaf-gpu {word} --help\n")

    def test_counting_and_skipping(self):
        reference, distorted = self.inputs()
        pair = ["-r", reference, "-d", distorted]
        self.assertEqual(len(self.scores(*pair, "--frame_cnt", "2")), 2)
        self.assertEqual(len(self.scores(*pair, "--frame_cnt", "99")), FRAMES)
        self.assertEqual(len(self.scores(*pair, "--subsample", "2")), 2)
        skipped = self.scores(*pair, "--frame_skip_ref", "1", "--frame_skip_dist", "1")
        full = self.scores(*pair)
        self.assertEqual(skipped[1]["integer_vif_scale0"], full[2]["integer_vif_scale0"])
        self.assertIn("reference ends 1 frame (0.040 s) before main", self.run_tool(*pair, "--frame_skip_ref", "1")[1])
        _, text = self.run_tool(*pair, "--frame_skip_ref", "9", code=1)
        self.assertIn("only 3 of the 9", text)

    def test_models_and_features(self):
        reference, distorted = self.inputs()
        pair = ["-r", reference, "-d", distorted]
        two = self.scores(*pair, "-m", "version=vmaf_v0.6.1", "-m", "version=vmaf_v0.6.1neg")
        self.assertIn("vmaf_v0.6.1neg", two[0])
        self.assertEqual([f["vmaf"] for f in two], [f["vmaf"] for f in self.scores(*pair)])
        named = self.scores(*pair, "-m", "version=vmaf_v0.6.1:name=mine:disable_clip")
        self.assertIn("mine", named[0])
        gain = self.scores(*pair, "-m", "version=vmaf_v0.6.1:adm.adm_enhn_gain_limit=1.0")
        self.assertIn("integer_adm2_egl_1", gain[0])
        only = self.scores(*pair, "-n", "--feature", "vif=vif_enhn_gain_limit=1.0", "--feature",
                           "motion")
        self.assertIn("integer_vif_scale0_egl_1", only[0])
        self.assertNotIn("vmaf", only[0])
        # path= is a file, whatever its name is.
        shutil.copy(MODEL, self.path("vmaf_v0.6.1"))
        shutil.copy(MODEL, self.path("mine.json"))
        for name in "vmaf_v0.6.1", "mine.json":
            done = subprocess.run([os.path.abspath(TOOL), *pair, "-m", f"path={name}:name=mine", "--csv", "--precision",
                                   "max", "-o", "log"],
                                  cwd=self.folder, capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.path("log"), encoding="utf-8") as file:
                values = [float(line.split(",")[-2]) for line in file.read().splitlines()[1:]]
            self.assertEqual(values, [f["vmaf_v0.6.1neg"] for f in two])

    def test_options_of_libvmafs_tool(self):
        reference, distorted = self.inputs()
        pair = ["-r", reference, "-d", distorted, "-n", "--feature", "psnr", "-o", self.path("log")]
        means = {}
        for pool in ("min", "mean", "max"):
            _, text = self.run_tool(*pair, "--pool", pool, "--csv")
            means[pool] = float(text.split("psnr_y: ")[1].split()[0])
        with open(self.path("log"), encoding="utf-8") as file:
            values = [float(line.split(",")[1]) for line in file.read().splitlines()[1:]]
        self.assertEqual(len(values), FRAMES)
        self.assertEqual((means["min"], means["max"]), (min(values), max(values)))
        self.assertTrue(means["min"] < means["mean"] < means["max"])
        _, text = self.run_tool(*pair, "-c", "0xffff", "--gpumask", "1", "stray")
        self.assertIn("warning: the argument 'stray' is ignored", text)
        self.assertNotIn("mask", text)

    def names(self, *args):
        log = self.path("names.csv")
        self.run_tool(*args, "--backend", "cpu", "-q", "-o", log, "--csv")
        with open(log, encoding="utf-8") as file:
            return file.readline().strip().rstrip(",").split(",")[1:]

    def test_no_prediction_keeps_what_models_read(self):
        reference, distorted = self.inputs()
        pair = ["-r", reference, "-d", distorted]
        model = ["-m", "version=vmaf_v0.6.1"]
        self.assertEqual(self.names(*pair, *model)[:-1], self.names(*pair, *model, "-n"))
        both = [*model, "--feature", "psnr"]
        self.assertEqual(self.names(*pair, *both)[:-1], self.names(*pair, *both, "-n"))
        _, text = self.run_tool(*pair, "-n", *model)
        self.assertIn("integer_adm2: ", text)
        self.assertNotIn("vmaf_v0.6.1", text)
        # Two models of one name are no conflict if they have no series.
        self.assertEqual(self.names(*pair, *model, "-n"), self.names(*pair, *model, *model, "-n"))

    def test_v7_changes_the_first_request_of_float_ssim(self):
        size = (320, 240)  # two pictures of noise
        clip = [y4m("420", [random.Random(seed).randbytes(size[0] * size[1] * 3 // 2)], size)
                for seed in (1, 5)]
        pair = ["-r", self.path("r.y4m", clip[0]), "-d", self.path("d.y4m", clip[1]), "-n"]
        plain = self.scores(*pair, "--feature", "float_ssim")[0]["float_ssim"]
        decibels = self.scores(*pair, "--feature", "float_ssim=scale=1:enable_db=true:clip_db=true")
        decibels = decibels[0]["float_ssim"]
        self.assertNotEqual(plain, decibels)
        own = ["--feature", "float_ssim"]
        for args, expected in (([*own, "--aom_ctc", "v7.0"], decibels),
                               (["--aom_ctc", "v7.0", *own], decibels),
                               ([*own, "--aom_ctc", "v6.0"], plain)):
            self.assertEqual(self.scores(*pair, *args)[0]["float_ssim"], expected, args)

    def test_output(self):
        reference, distorted = self.inputs()
        pair = ["-r", reference, "-d", distorted]
        _, text = self.run_tool(*pair)
        self.assertRegex(text, r"(?m)^vmaf_v0\.6\.1: \d+\.\d{6}$")
        self.assertRegex(text, "backend (cpu|cuda|hip)")
        self.assertEqual(self.run_tool(*pair, "-q")[1], "")
        for option, first in (("--xml", "<VMAF"), ("--json", "{"), ("--csv", "Frame,"),
                              ("--sub", "{0}{1}")):
            out, _ = self.run_tool(*pair, "-q", "-o", "-", option)
            self.assertTrue(out.startswith(first), out[:40])
        self.assertTrue(self.run_tool(*pair, "-q", "-o", "-")[0].startswith("<VMAF"))
        self.assertRegex(self.run_tool("--version")[0], r"^\d+\.\d+\.\d+\nReport bugs to[^\n]+\n$")
        self.assertIn("cpu", self.run_tool("--list-devices")[0])
        self.assertIn("--reference", self.run_tool("--help")[0])

    def test_broken_inputs(self):
        reference, distorted = self.inputs()
        whole = y4m("420", frames("420", 8, 1))
        small = y4m("420", [bytes(32 * 32 * 3 // 2)], (32, 32))
        cases = [
            (whole[:-1], "cut short"),
            (whole[:len(whole) // 2], "cut short"),
            (whole.replace(b"FRAME", b"FRAMX", 1), "does not begin with FRAME"),
            (b"", "not a Y4M file"),
            (b"YUV4MPEG2", "header"),
            (b"YUV4MPEG2 W53 H35", "header"),
            (b"YUV4MPEG2 H35\n", "no width"),
            (b"YUV4MPEG2 W-3 H35\n", "bad width"),
            (b"YUV4MPEG2 W53 H99999999999\n", "bad height"),
            (b"YUV4MPEG2 W53 H35 C411\n", "C411"),
            (b"YUV4MPEG2 W53 H35 C420p17\n", "C420p17"),
            (b"YUV4MPEG2 W53 H35 Cmonojpeg\n", "Cmonojpeg is not"),
            (b"YUV4MPEG2 W53 H35 " + b"X" * 5000 + b"\n", "longer than"),
            (b"\x00\x01\x02" * 100, "not a Y4M file"),
            (whole.split(b"FRAME")[0], "no pictures"),
            (small, "32x32"),
            (y4m("422", frames("422", 8, 1)), "has to be converted"),
        ]
        env = self.old_ffmpeg()
        for data, expected in cases:
            # An empty clip ends both inputs, so that no other message can come first.
            other = data if expected == "no pictures" else None
            _, text = self.run_tool("-r", self.path("bad.y4m", data), "-d",
                                    self.path("bad2.y4m", other) if other else distorted, code=1, env=env)
            self.assertIn(expected, text)
        raw = ["-w", str(WIDTH), "-h", str(HEIGHT), "-p", "420", "-b", "8"]
        data = b"".join(frames("420", 8, 1))
        _, text = self.run_tool("-r", self.path("r.yuv", data), "-d",
                                self.path("d.yuv", data[:-5]), *raw, code=1)
        self.assertIn("no whole number of pictures", text)
        del reference

    def test_bad_command_lines(self):
        reference, distorted = self.inputs()
        pair = ["-r", reference, "-d", distorted]
        cases = [
            ([], "needed"),
            (["-r", reference], "needed"),
            ([*pair, "--nonsense"], "nonsense"),
            (["-r", "-", "-d", "-"], "standard input"),
            (["-r", "/no/such.y4m", "-d", distorted], "/no/such.y4m"),
            ([*pair, "-w", "64"], "raw input needs"),
            ([*pair, "-w", "x"], "--width"),
            ([*pair, "-p", "411"], "411"),
            ([*pair, "--threads", "-1"], "--threads"),
            ([*pair, "--ring", "65"], "1 to 64"),
            ([*pair, "--subsample", "0"], "--subsample"),
            ([*pair, "--chunk", "2:", "--frame_skip_ref", str(2**63 - 1)], "--frame_skip_ref: '9"),
            ([*pair, "--precision", "5"], "6 to 17, or max"),
            ([*pair, "--precision", "18"], "6 to 17"),
            ([*pair, "--compat", "2.0"], "3.2 or 3.1"),
            ([*pair, "--pool", "median"], "harmonic_mean"),
            ([*pair, "-m", "version=vmaf_v0.6.1:pool=harmonic_mean"], "--pool harmonic_mean"),
            ([*pair, "--cpumask", "-2"], "--cpumask"),
            ([*pair, "--aom_ctc", "v8.0"], "v1.0 to v7.0"),
            ([*pair, "--aom_ctc", "v1.00"], "v1.0 to v7.0"),
            ([*pair, "--nflx_ctc", "v2.0"], "expected v1.0"),
            ([*pair, "-m", "vmaf_v0.6.1"], "version=NAME"),
            ([*pair, "-m", "version=vmaf_v9"], "vmaf_v9"),
            ([*pair, "-m", "path=/no/such.json"], "/no/such.json"),
            ([*pair, "-m", "path=vmaf_v0.6.1"], "cannot read model file './vmaf_v0.6.1'"),
            ([*pair, "-m", "version=vmaf_v0.6.1:nonsense=1"], "nonsense"),
            ([*pair, "-m", "version=vmaf_v0.6.1:1"], "'1'"),
            ([*pair, "-m", "version=vmaf_v0.6.1:nonsense.debug=true"], "nonsense"),
            ([*pair, "-m", "version=vmaf_v0.6.1:adm.nonsense=1"], "nonsense"),
            ([*pair, "--feature", "adm=1"], "'1'"),
            ([*pair, "--feature", "adm=debug"], "'debug'"),
            ([*pair, "--feature", "adm=debug=1"], "true or false"),
            ([*pair, "--feature", "nonsense"], "nonsense"),
            ([*pair, "--feature", "vif=nonsense=1"], "nonsense"),
            ([*pair, "-n"], "--feature"),
            ([*pair, "--backend", "abacus"], "abacus"),
            ([*pair, "--backend", "x" * 100], "too long"),
            ([*pair, "--backend", "cpu", "--device", "1"], "cpu"),
            ([*pair, "-o", "/no/such/folder/log"], "/no/such/folder/log"),
        ]
        for args, expected in cases:
            _, text = self.run_tool(*args, code=1)
            self.assertIn(expected, text, args)
            self.assertNotIn("AddressSanitizer", text)

    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("SKIP: no /dev/full here")
        reference, distorted = self.inputs()
        with open("/dev/full", "wb") as full:
            result = subprocess.run([TOOL, "-r", reference, "-d", distorted, "-q", "-o", "-"],
                                    stdout=full, stderr=subprocess.PIPE, timeout=60)
            self.assertNotEqual(result.returncode, 0)
            for words in ("--help",), ("report", "--help"), ("merge", "--help"):
                result = subprocess.run([TOOL, *words], stdout=full, stderr=subprocess.PIPE, timeout=60)
                self.assertNotEqual(result.returncode, 0, words)


class Benchmark(unittest.TestCase):
    def run_bench(self, *args):
        return subprocess.run([BENCH, "--backend=cpu", "--size=64x48", "--frames=5", *args],
                              capture_output=True, timeout=60)

    def test_the_last_column_is_frames_per_second(self):
        for args in (["--depth=8"], ["--depth=10", "--threads=2", "--ring=2"], ["--latency"],
                     ["--model=vmaf_v0.6.1", "--model=vmaf_v0.6.1neg"], ["--feature=vif"]):
            result = self.run_bench("--csv", *args)
            self.assertEqual(result.returncode, 0, result.stderr.decode())
            head, last = result.stdout.decode().strip().splitlines()[-2:]
            self.assertEqual(len(head.split(",")), len(last.split(",")))
            self.assertTrue(head.endswith(",fps"))
            self.assertGreater(float(last.split(",")[-1]), 0)

    def test_faults(self):
        for args in (["--depth=7"], ["--size=64"], ["--size=64x48x2"], ["--backend=abacus"],
                     ["--model=nonsense"], ["--resident"], ["--nonsense"], ["--size=8x8"]):
            result = self.run_bench(*args)
            self.assertNotEqual(result.returncode, 0, args)
            self.assertTrue(result.stderr or result.stdout)


if __name__ == "__main__":
    program = unittest.main(argv=[sys.argv[0], *sys.argv[3:]], exit=False)
    if program.result.testsRun == 0:
        sys.exit("no test was selected")
    sys.exit(0 if program.result.wasSuccessful() else 1)
