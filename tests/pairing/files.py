# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Video files of the pairing tests: recipes, and the encoder that cooks and keeps them.

The system's ffmpeg encodes; the FFmpeg under test never writes a file. What the files are
compared with, and what is expected, is in cases.py.
"""
import hashlib
import os
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path

import content

GENERATOR = "5"  # part of every file's name: change it when a recipe means something else

RATES = {"23.976": "24000/1001", "29.97": "30000/1001", "59.94": "60000/1001"}

# {q} is the quality on x264's scale of 0 ... 51; {n} maps it to 1 ... 31.
CODECS = {
    "h264": "-c:v libx264 -preset superfast -crf {q} -x264-params threads=1",
    "h264i": "-c:v libx264 -preset superfast -bf 0 -crf {q} -x264-params threads=1",
    "hevc": "-c:v libx265 -preset ultrafast -crf {q} -x265-params "
            "log-level=none:pools=1:frame-threads=1:bframes=2",
    "vp8": "-c:v libvpx -deadline realtime -cpu-used 8 -crf {q} -b:v 2M",
    "vp9": "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -crf {q} -b:v 0",
    "av1": "-c:v libsvtav1 -preset 12 -crf {q}",
    "mpeg2": "-c:v mpeg2video -bf 2 -q:v {n}",
    "mpeg4": "-c:v mpeg4 -q:v {n}",
    "mjpeg": "-c:v mjpeg -q:v {n} -pix_fmt yuvj420p",
    "prores": "-c:v prores_ks -profile:v 0",
    "ffv1": "-c:v ffv1",
    "png": "-c:v png",
    "raw": "-c:v rawvideo",
    "frames": "-c:v wrapped_avframe",  # what y4m wants
    "copy": "-c copy",
}
ENCODERS = ("libx264", "libx265", "libvpx", "libvpx-vp9", "libsvtav1", "mpeg2video", "mpeg4",
            "mjpeg", "prores_ks", "ffv1", "png", "aac", "libopus", "mp2", "ac3")
FORMATS = {"yuv": "rawvideo", "y4m": "yuv4mpegpipe", "png": "image2"}


class GeneratorError(Exception):
    """A file of the test could not be made."""


@dataclass(frozen=True)
class Clip:
    """Pictures drawn here. `numbers`: which, in order; `vf` may change their times."""
    ext: str = "mp4"
    codec: str = "h264"
    rate: str = "25"
    numbers: tuple = tuple(range(120))
    kind: str = "pan"
    quality: int = 30
    vf: str = ""
    out: tuple = ()
    audio: str = ""

    def arguments(self, _kitchen):
        """What stands before the output file."""
        args = ["-f", "rawvideo", "-video_size", f"{content.WIDTH}x{content.HEIGHT}", "-pix_fmt",
                "yuv420p", "-framerate", RATES.get(self.rate, self.rate), "-i", "-"]
        if self.audio:
            rate = RATES.get(self.rate, self.rate).split("/")
            seconds = len(self.numbers) * int(rate[-1] if len(rate) > 1 else 1) / int(rate[0])
            args += ["-f", "lavfi", "-t", f"{seconds:.6f}", "-i", "sine=sample_rate=48000"]
            args += ["-map", "0:v", "-map", "1:a", "-c:a", self.audio]
        return args

    def feed(self, pipe):
        for number in self.numbers:
            pipe.write(content.picture(self.kind, number))


@dataclass(frozen=True)
class Derived:
    """A file made of another one by the ffmpeg command line, as a user would."""
    source: object
    ext: str = "mp4"
    codec: str = "h264"
    quality: int = 30
    before: tuple = ()
    vf: str = ""
    out: tuple = ()

    def arguments(self, kitchen):
        return [*self.before, "-i", str(kitchen.path(self.source))]


@dataclass(frozen=True)
class Joined:
    """The bytes of several files, one behind the other (MPEG-TS can do that)."""
    parts: tuple
    ext: str = "ts"


@dataclass(frozen=True)
class Given:
    """A file that is there already, of this size and age."""
    name: str
    size: int
    age: float


def given(name):
    path = Path(name).resolve()
    status = path.stat()
    return Given(str(path), status.st_size, status.st_mtime)


@dataclass
class Kitchen:
    """Makes each file once; a second run finds it in `folder`."""
    folder: Path
    encoder: str = "ffmpeg"
    made: int = 0
    locks: dict = field(default_factory=dict)
    guard: object = field(default_factory=threading.Lock)

    def check(self, recipes):
        """Ends the program if a file is not there yet and cannot be made: nothing may be left out
        in silence."""
        if all(self.is_made(recipe) for recipe in recipes):
            return
        lacking = self.check_encoder()
        if lacking:
            sys.exit("the files of this test cannot be made:\n  " + "\n  ".join(lacking))

    def check_encoder(self):
        """A list of what the generator lacks."""
        if not shutil.which(self.encoder):
            return [f"no program '{self.encoder}' (Debian: apt-get install ffmpeg)"]
        listed = subprocess.run([self.encoder, "-v", "error", "-encoders"], capture_output=True,
                                text=True, check=True).stdout.split()
        return [f"{self.encoder} has no encoder {name}" for name in ENCODERS if name not in listed]

    def _place(self, recipe):
        if isinstance(recipe, Given):
            return Path(recipe.name)
        name = hashlib.sha1(f"{GENERATOR} {CODECS} {recipe!r}".encode()).hexdigest()[:16]
        return self.folder / f"{name}.{recipe.ext}"

    def is_made(self, recipe):
        return self._place(recipe).exists()

    def path(self, recipe):
        path = self._place(recipe)
        with self.guard:
            lock = self.locks.setdefault(path.name, threading.Lock())
        with lock:
            if not path.exists():
                self._cook(recipe, path)
        return path

    def _cook(self, recipe, path):
        self.folder.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}.part.{recipe.ext}")
        if isinstance(recipe, Joined):
            partial.write_bytes(b"".join(self.path(part).read_bytes() for part in recipe.parts))
        else:
            self._encode(recipe, partial)
        partial.rename(path)
        self.made += 1

    def _encode(self, recipe, path):
        quality = recipe.quality
        codec = CODECS[recipe.codec].format(q=quality, n=max(1, round(quality * 31 / 51)))
        command = [self.encoder, "-v", "error", "-nostdin", "-y", *recipe.arguments(self)]
        if recipe.vf:
            command += ["-vf", recipe.vf]
        command += [*codec.split(), "-threads", "1", "-bitexact", *recipe.out]
        command += ["-f", FORMATS[recipe.ext]] if recipe.ext in FORMATS else []
        environment = {**os.environ, "SVT_LOG": "1"}
        errors = []
        with subprocess.Popen([*command, str(path)], stdin=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=environment) as process:
            reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
            reader.start()
            try:
                if isinstance(recipe, Clip):
                    recipe.feed(process.stdin)
                process.stdin.close()
            except BrokenPipeError:
                pass  # the encoder's own message says more
            reader.join()
        if process.returncode != 0 or not path.exists():
            path.unlink(missing_ok=True)
            raise GeneratorError(f"{' '.join(command)}\n{errors[0].decode(errors='replace')}")


def clip(ext="mp4", codec="h264", rate="25", **changes):
    """A Clip; `frames=N` and `drop=(...)` stand for `numbers`."""
    frames = changes.pop("frames", 120)
    drop = set(changes.pop("drop", ()))
    numbers = changes.pop("numbers", range(frames))
    return Clip(ext=ext, codec=codec, rate=rate,
                numbers=tuple(n for n in numbers if n not in drop), **changes)


def remux(source, ext, **changes):
    return Derived(source, ext, codec="copy", **changes)


def changed(recipe, **changes):
    return replace(recipe, **changes)
