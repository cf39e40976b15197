#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Run programs made for FFmpeg's libvmaf with vmaf_gpu: dropin.py FFMPEG FFPROBE FOLDER

Their command lines and log parsers are their own; the wrapper tools/dropin/ffmpeg
renames the filter. ffmpeg-quality-metrics and easyvmaf come from PyPI (into
FOLDER) and are run as they are; so is ab-av1 if there is one in PATH, otherwise its
command line is written out. Of FFMetrics, a Windows program without source, the
command lines that users have reported are run. What they read must equal the log
of a plain run.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WRAPPER, MODELS = ROOT / "tools/dropin", ROOT / "models"
BASE = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        "--root-user-action=ignore"]


class Failure(Exception):
    pass


class Bench:
    def __init__(self, ffmpeg, ffprobe, folder):
        self.ffmpeg, self.ffprobe = os.path.realpath(ffmpeg), os.path.realpath(ffprobe)
        self.folder = pathlib.Path(folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.bin = self.folder / "bin"
        self.bin.mkdir(exist_ok=True)
        for name, target in (("ffmpeg", WRAPPER / "ffmpeg"), ("ffprobe", self.ffprobe)):
            link = self.bin / name
            link.unlink(missing_ok=True)
            link.symlink_to(target)
        text = subprocess.run([self.ffmpeg, "-version"], check=True, capture_output=True,
                              text=True).stdout
        match = re.match(r"ffmpeg version n?(\d+)\.(\d+)", text)
        self.version = tuple(map(int, match.groups())) if match else (99, 0)

    def environment(self, packages=None):
        env = dict(os.environ, VMAF_GPU_FFMPEG=self.ffmpeg, VMAF_GPU_BACKEND="cpu",
                   FFMPEG=str(self.bin / "ffmpeg"), FFPROBE=str(self.bin / "ffprobe"))
        env["PATH"] = f"{self.bin}:{env['PATH']}"
        if packages:
            env["PYTHONPATH"] = str(packages)
        return env

    def run(self, command, **options):
        done = subprocess.run([str(word) for word in command], cwd=self.folder,
                              capture_output=True, text=True, timeout=300, **options)
        if done.returncode:
            raise Failure(f"{command[0]} exited with {done.returncode}:\n{done.stderr[-2000:]}")
        return done

    def install(self, package):
        target = self.folder / package.replace("=", "_")
        if not target.is_dir():
            self.run(BASE + ["--target", target, package])
        return target

    def make_clips(self):
        source = "testsrc2=size=320x180:rate=10:duration=2,format=yuv420p"
        for name, graph in (("ref.nut", source), ("dist.nut", source + ",avgblur=2")):
            self.run([self.ffmpeg, "-v", "error", "-y", "-f", "lavfi", "-i", graph, "-c:v",
                      "rawvideo", name])

    def plain_scores(self, options, before="null"):
        """Frames of the log of a plain run; both inputs go through the filters `before`."""
        self.run([self.ffmpeg, "-v", "error", "-y", "-i", "dist.nut", "-i", "ref.nut", "-lavfi",
                  f"[0:v]{before}[d];[1:v]{before}[r];"
                  f"[d][r]vmaf_gpu=backend=cpu:log_fmt=json:log_path=plain.json:{options}",
                  "-f", "null", "-"])
        return json.loads((self.folder / "plain.json").read_text())["frames"]

    def plain_mean(self, options, before="null", name="vmaf"):
        values = [frame["metrics"][name] for frame in self.plain_scores(options, before)]
        return sum(values) / len(values)


def equal(what, got, wanted):
    if got != wanted:
        raise Failure(f"{what}: {got!r} instead of {wanted!r}")


def close(what, got, wanted, margin=1e-6):
    if abs(got - wanted) > margin:
        raise Failure(f"{what}: {got!r} instead of {wanted!r}")


def ab_av1(bench):
    """`ab-av1 vmaf` prints the score that it finds behind "VMAF score: "."""
    # Its prefix for a pair of this size: small pictures are scaled to the model's 1080p.
    before = "format=yuv420p,scale=1920:-1:flags=bicubic"
    wanted = bench.plain_mean("n_threads=2", before)
    if shutil.which("ab-av1"):
        done = bench.run(["ab-av1", "vmaf", "--reference", "ref.nut", "--distorted", "dist.nut"],
                         env=bench.environment(), stdin=subprocess.DEVNULL)
        close("the program's score", float(done.stdout), wanted, 1e-4)
        return "passed, the program itself"
    sync = "ts_sync_mode=nearest:" if bench.version >= (5, 2) else ""
    graph = (f"[0:v]{before},setpts=PTS-STARTPTS,settb=AVTB[dis];"
             f"[1:v]{before},setpts=PTS-STARTPTS,settb=AVTB[ref];"
             f"[dis][ref]libvmaf=shortest=true:{sync}n_threads=2")
    done = bench.run([bench.bin / "ffmpeg", "-r", "25", "-i", "dist.nut", "-r", "25", "-i",
                      "ref.nut", "-filter_complex", graph, "-an", "-sn", "-dn", "-f", "null", "-"],
                     env=bench.environment(), stdin=subprocess.DEVNULL)
    lines = re.split("[\r\n]", done.stderr)
    score = [line for line in lines if "VMAF score: " in line][-1].split("VMAF score: ")[1].strip()
    close("the score line", float(score), wanted)
    frames = [re.search(r"frame=\s*(\d+)", line) for line in lines]
    equal("frames of the progress line", [int(m.group(1)) for m in frames if m][-1], 20)
    return "passed, the command line and the score line; no ab-av1 in PATH"


def av1an_log(bench, graph, *outputs):
    """Starts the wrapper as the tool does: the reference comes from a second ffmpeg through a pipe."""
    env = bench.environment()
    source = subprocess.Popen([str(bench.bin / "ffmpeg"), "-i", "ref.nut", "-strict", "-1", "-f", "yuv4mpegpipe", "-"],
                              cwd=bench.folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    with source:
        bench.run([bench.bin / "ffmpeg", "-loglevel", "error", "-hide_banner", "-nostdin", "-y", "-thread_queue_size", "1024",
                   "-r", "60", "-i", "dist.nut", "-r", "60", "-i", "-", "-filter_complex", graph, *outputs, "-f", "null", "-"],
                  env=env, stdin=source.stdout)


def av1an(bench):
    """Target quality of Av1an (commit 82a911c): what it looks for, both kinds of its commands, and what it reads."""
    told = bench.run([bench.bin / "ffmpeg", "-h"], env=bench.environment()).stderr
    if "--enable-libvmaf" not in told:
        raise Failure("ffmpeg -h does not name --enable-libvmaf")
    for zero in "", "\\:motion.motion_force_zero=true":
        model = f"version=vmaf_v0.6.1{zero}"
        side = "scale=1920x1080:flags=bicubic:force_original_aspect_ratio=decrease,setpts=PTS-STARTPTS,setsar=1"
        av1an_log(bench, f"[0:v]{side}[distorted];[1:v]{side}[ref];[distorted][ref]libvmaf=log_fmt='json':eof_action=endall"
                         f":log_path=av1an.json:model='{model}':n_threads=2")
        got = json.loads((bench.folder / "av1an.json").read_text())["frames"]
        wanted = bench.plain_scores(f"model='{model}'", side)
        equal("scores", [one["metrics"]["vmaf"] for one in got], [one["metrics"]["vmaf"] for one in wanted])
    model = "version=vmaf_v0.6.1\\:motion.motion_force_zero=true"
    graph = "[1:v]format=yuv420p[ref];[0:v]format=yuv420p[dis];" + "".join(
        f"[{name}]extractplanes=y+u+v[{name}_y][{name}_u][{name}_v];" for name in ("dis", "ref"))
    graph += ";".join(f"[dis_{plane}][ref_{plane}]libvmaf=log_path={plane}.json:log_fmt=json:n_threads=2:n_subsample=1:"
                      f"model='{model}':eof_action=endall[out_{plane}]" for plane in "yuv")
    av1an_log(bench, graph, *(word for plane in "yuv" for word in ("-map", f"[out_{plane}]")), "-an", "-sn", "-dn")
    for plane in "yuv":
        got = json.loads((bench.folder / f"{plane}.json").read_text())["frames"]
        equal(f"frames of plane {plane}", len(got), 20)
        wanted = bench.plain_scores(f"model='{model}'", f"format=yuv420p,extractplanes={plane}")
        equal(f"scores of plane {plane}", [one["metrics"]["vmaf"] for one in got],
              [one["metrics"]["vmaf"] for one in wanted])
    return "passed, its command lines; the program itself has not been run"


def ffmetrics(bench):
    """Command lines and probes of its users' reports, before and after built-in models."""
    (bench.folder / "model.json").write_text((MODELS / "vmaf_v0.6.1.json").read_text())
    black = ["-f", "lavfi", "-i", "color=c=black:s=640x480:d=1"]
    env = bench.environment()
    for graph in ("[0:v][0:v]libvmaf=model=version=vmaf_v0.6.1",
                  "[0:v][0:v]libvmaf=model_path='model.json'"):
        bench.run([bench.bin / "ffmpeg", "-hide_banner", *black, "-lavfi", graph, "-f", "null", "-"],
                  env=env)
    wanted = bench.plain_mean("n_threads=2")
    for model in ("phone_model=0:pool=mean:model_path=model.json", "pool=mean:model=path=model.json",
                  "pool=mean:model=version=vmaf_v0.6.1"):
        graph = ("[0:v]setpts=PTS-STARTPTS[main];[1:v]setpts=PTS-STARTPTS[ref];"
                 f"[main][ref]libvmaf='eof_action=endall:{model}'")
        done = bench.run([bench.bin / "ffmpeg", "-hide_banner", "-nostdin", "-i", "dist.nut", "-i",
                          "ref.nut", "-lavfi", graph, "-f", "null", "-"], env=env)
        score = re.findall(r"VMAF score: (\S+)", done.stderr)
        equal("score lines", len(score), 1)
        close(model, float(score[0]), wanted)
    return "passed, reported command lines only"


def quality_metrics(bench):
    # From 3.8 on it needs the scale filter of FFmpeg 7.1.
    package = "ffmpeg-quality-metrics==" + ("3.13.0" if bench.version >= (7, 1) else "3.5.3")
    packages = bench.install(package)
    asked = "feature='name=psnr\\:enable_apsnr=true|name=ciede|name=float_ssim'"
    for words, options, columns in (
            ([], "shortest=1", {"vmaf"}),
            (["--vmaf-features", "psnr:enable_apsnr=true", "ciede", "float_ssim"],
             "shortest=1:" + asked, {"vmaf", "psnr_y", "psnr_cr", "ciede2000", "float_ssim"})):
        done = bench.run([sys.executable, "-m", "ffmpeg_quality_metrics", "dist.nut", "ref.nut",
                          "--metrics", "vmaf", "--vmaf-threads", "2", "--output-format", "json",
                          *words], env=bench.environment(packages))
        read = json.loads(done.stdout)
        plain = bench.plain_scores(options)
        equal("frames", len(read["vmaf"]), len(plain))
        for ours, frame in zip(read["vmaf"], plain):
            metrics = {key: value for key, value in ours.items() if key != "n"}
            equal(f"frame {ours['n']}", metrics,
                  {key: value for key, value in frame["metrics"].items() if key in metrics})
            equal(f"columns that frame {ours['n']} lacks", columns - set(metrics), set())
    return "passed, also with features"


def easyvmaf(bench):
    if bench.version < (8, 1):
        return "SKIPPED, easyvmaf 5.0.0 refuses FFmpeg before 8.1"
    packages = bench.install("easyvmaf==5.0.0")
    tens = "format=yuv420p10le,scale=1920:1080:flags=bicubic"
    for layout in ("json", "xml", "csv"):
        bench.run([sys.executable, "-m", "easyvmaf", "-d", "dist.nut", "-r", "ref.nut", "--threads",
                   "2", "--vmaf-version", "1", "0.6", "--output-format", layout],
                  env=bench.environment(packages))
        equal(f"psnr_y, which it asks for, in its log in {layout}",
              "psnr_y" in (bench.folder / f"dist_vmaf.{layout}").read_text(), True)
        summary = json.loads((bench.folder / "dist_vmaf_summary.json").read_text())
        scores = summary["vmaf"]["scores"] if "vmaf" in summary else summary["scores"]
        for name, version in (("vmaf_v1_hd", "vmaf_v1.0.16_3d0h"), ("vmaf_hd", "vmaf_v0.6.1"),
                              ("vmaf_hd_neg", "vmaf_v0.6.1neg")):
            overrides = ""
            if name == "vmaf_v1_hd":
                overrides = r"\\:cambi.enc_width=320\\:cambi.enc_height=180\\:cambi.enc_bitdepth=8"
            close(f"{name} from {layout}", scores[name], bench.plain_mean(
                f"model=version={version}{overrides}", tens), 1e-5)
    return "passed, json, xml and csv"


def wrapper(bench):
    """Returns what the wrapper renames and what it leaves alone."""
    env = bench.environment()
    echo = bench.folder / "echo"
    echo.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
    echo.chmod(0o755)
    env["VMAF_GPU_FFMPEG"] = str(echo)
    for backend, given, wanted in (
            ("", "[a][b]libvmaf", "[a][b]vmaf_gpu"),
            ("cpu", "[a][b]libvmaf", "[a][b]vmaf_gpu=backend=cpu"),
            ("hip", "null;[a][b]libvmaf=model=version=x[c]",
             "null;[a][b]vmaf_gpu=backend=hip:model=version=x[c]"),
            ("cpu", "libvmaf_cuda=shortest=1,libvmaf@q=n_threads=2",
             "vmaf_gpu=backend=cuda:shortest=1,vmaf_gpu@q=backend=cpu:n_threads=2"),
            ("", "[a][b]libvmaf_cuda[c]", "[a][b]vmaf_gpu=backend=cuda[c]"),
            ("", "movie=/tmp/libvmaf=1.mkv", "movie=/tmp/libvmaf=1.mkv"),
            ("", "libvmaf=shortest=1:feature=name=psnr", "vmaf_gpu=shortest=1:feature=name=psnr"),
            ("cpu", "[a][b]libvmaf=feature='name=psnr|name=vif'[c]",
             "[a][b]vmaf_gpu=backend=cpu:feature='name=psnr|name=vif'[c]"),
            ("", "psnr,libvmaf=feature=name=psnr", "psnr,vmaf_gpu=feature=name=psnr")):
        env["VMAF_GPU_BACKEND"] = backend
        done = bench.run([bench.bin / "ffmpeg", "-i", "libvmaf", "-lavfi", given, "libvmaf"], env=env)
        equal(given, done.stdout.splitlines(), ["-i", "libvmaf", "-lavfi", wanted, "libvmaf"])
    listing = bench.run([bench.bin / "ffmpeg", "-hide_banner", "-filters"], env=bench.environment())
    # FFmpeg's own line of its filter libvmaf, the same in 5.1, 7.1 and 9.0 but for the flags.
    own = re.findall(r"^ [T.]([S.][C.]?) vmaf_gpu ", listing.stdout, re.M)
    equal("vmaf_gpu in the list", len(own), 1)
    equal("libvmaf in the list", re.findall("^.* libvmaf .*$", listing.stdout, re.M),
          [" ." + "." * len(own[0]) + " libvmaf           VV->V      Calculate the VMAF between two video streams."])
    if "--enable-libvmaf " in bench.run([bench.ffmpeg, "-version"]).stdout:
        genuine = bench.run([bench.ffmpeg, "-hide_banner", "-filters"]).stdout
        equal("its line by FFmpeg with libvmaf", re.findall("^.* libvmaf .*$", genuine, re.M),
              re.findall("^.* libvmaf .*$", listing.stdout, re.M))


def main():
    bench = Bench(*sys.argv[1:4])
    bench.make_clips()
    failed = 0
    for test in (wrapper, ab_av1, av1an, ffmetrics, quality_metrics, easyvmaf):
        try:
            print(f"dropin: {test.__name__}: {test(bench) or 'passed'}")
        except (Failure, KeyError, ValueError, OSError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"dropin: {test.__name__}: FAILED: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
