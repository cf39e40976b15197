# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Files as frames: Y4M, or whatever ffmpeg turns into Y4M. The rules are those of the command-line
tool (tools/video.c), so that the scores are, too. Standard library only.
"""
from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import signal
import subprocess
import sys
from array import array
from typing import IO, Iterator, NamedTuple, Optional, Union

from ._changes import Changes
from ._errors import DecoderError, InvalidArgument, OutputError
from ._frames import plane_size
from ._messages import Messages

_SIGNATURE = b"YUV4MPEG2"
_LONGEST_LINE = 1023
_EIGHT_BITS = ("", "jpeg", "paldv", "mpeg2")
_TAGS = {"XCOLORRANGE=FULL": ":range=pc", "XCOLORRANGE=LIMITED": ":range=tv", "It": ":interlaced=1",
         "Ib": ":interlaced=1:bottom_first=1"}


class VideoFormat(NamedTuple):
    """A Y4M header. rate_num 0: not told."""

    width: int
    height: int
    chroma: str
    depth: int
    rate_num: int
    rate_den: int
    has_alpha: bool
    tags: str = ""  # what the video is, in the words of vmafgpu_input_parse()


Frame = tuple[memoryview, ...]


def find_ffmpeg() -> str:
    named = os.environ.get("VMAF_GPU_FFMPEG")
    found = shutil.which(named if named else "ffmpeg")
    if found is None:
        raise DecoderError(f"no program {named or 'ffmpeg'} was found, which reads files other than Y4M", errno.ENOENT)
    return found


def name_of(path: str) -> str:
    """ffmpeg takes what is before a colon for a protocol."""
    return os.path.abspath(path)


def _open(path: str) -> Optional[IO[bytes]]:
    """Opens a file. Returns None for a pattern of names of images ("%04d.png")."""
    try:
        return open(path, "rb")
    except OSError as error:
        if "%" in path:
            return None
        raise OutputError(f"{path}: cannot open: {error.strerror}", error.errno or 0) from None


def is_y4m(path: str) -> bool:
    file = _open(path)
    with file if file is not None else contextlib.nullcontext():
        return file is not None and file.read(len(_SIGNATURE)) == _SIGNATURE


def _change(path: str, stream: int) -> str:
    """The place where the pictures become others, found by another run of ffmpeg; "": they do not."""
    changes = Changes(stream)
    words = [find_ffmpeg(), "-nostdin", "-v", "info", "-i", name_of(path), "-map", f"0:{stream}", "-vf",
             "showinfo=checksum=0", "-fps_mode", "passthrough", "-f", "null", "-"]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          errors="replace", start_new_session=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("[Parsed_showinfo_"):
                changes.line(line)
            if changes.found:
                process.kill()
                break
    return changes.end()


class VideoReader:
    """Iterates over the frames of a file: tuples of planes. close() ends ffmpeg, if it runs.

    ffmpeg_filter: what converts the pictures; "": nothing. stream: its number, where ffmpeg reads the file.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], ffmpeg_filter: str = "", stream: int = 0) -> None:
        self._path = os.fspath(path)
        self._filter, self._stream = ffmpeg_filter, stream
        self._process: Optional["subprocess.Popen[bytes]"] = None
        self._messages: Optional[Messages] = None
        self._frames = 0
        self._file: IO[bytes]
        try:
            if ffmpeg_filter or not self._is_opened():
                self._start_ffmpeg()
            self.format = self._header()
        except BaseException:
            self.close()
            raise

    def _is_opened(self) -> bool:
        """As Y4M, behind its signature. Once: the file may be a pipe."""
        file = _open(self._path)
        if file is not None and file.read(len(_SIGNATURE)) == _SIGNATURE:
            self._file = file
            return True
        if file is not None:
            with file:
                if not file.seekable():
                    raise InvalidArgument(f"{self._path}: not Y4M, and ffmpeg cannot read a pipe from its beginning "
                                          "again")
        return False

    def _start_ffmpeg(self) -> None:
        # A group of its own: Ctrl-C is for us. A graph of this kind, since libavfilter converts in it as it does
        # before the filter vmaf_gpu.
        self._process = subprocess.Popen(
            [find_ffmpeg(), "-nostdin", "-hide_banner", "-nostats", "-loglevel", "repeat+level+verbose", "-i",
             name_of(self._path), "-filter_complex", f"[0:{self._stream}]{self._filter or 'null'}[o]", "-map", "[o]",
             "-fps_mode", "passthrough", "-strict", "-1", "-f", "yuv4mpegpipe", "-"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        assert self._process.stdout is not None and self._process.stderr is not None
        self._messages = Messages(self._process.stderr)
        self._file = self._process.stdout
        if self._file.read(len(_SIGNATURE)) != _SIGNATURE:
            raise DecoderError(f"{self._path}: not a Y4M file, and ffmpeg cannot read it{self._said()}")

    def _said(self) -> str:
        """The first error of ffmpeg, after it has ended."""
        if self._process is None or self._messages is None:
            return ""
        self._process.wait()
        self._messages.wait()
        return f": {self._messages.error}" if self._messages.error else ""

    def doubts(self, side: str) -> list[str]:
        """What makes pictures that were read doubtful, in a sentence; before close(). side: "main" or "reference"."""
        if self._process is None or self._messages is None:
            return []
        if self._process.poll() is not None:
            self._messages.wait()
        if self._messages.damaged:  # the engine's words for it; it counts such frames for the filter
            count = self._messages.damaged
            return [f"{count} {'frame' if count == 1 else 'frames'} of {side} {'is' if count == 1 else 'are'} damaged: "
                    "the decoder reported errors"]
        return [f"{self._path}: the decoder reported errors, and pictures may be damaged or missing: {self._messages.error}"] \
            if self._messages.error else []

    def _line(self, what: str) -> Optional[str]:
        line = self._file.readline(_LONGEST_LINE + 1)
        if line and not line.endswith(b"\n"):
            raise InvalidArgument(f"{self._path}: the file ends within {what}, or it has more than "
                                  f"{_LONGEST_LINE} bytes")
        return line[:-1].decode("latin-1") if line else None

    def _header(self) -> VideoFormat:
        line = self._line("the Y4M header") or ""
        width = height = num = den = 0
        space, tags = "420", ""
        for word in line.split():
            if word in _TAGS:
                tags += _TAGS[word]
            elif re.fullmatch(r"A\d+:\d+", word):
                tags += ":sar=" + word[1:].replace(":", "/")
            elif word[0] in "WH":
                size = int(word[1:]) if re.fullmatch(r"\d{1,5}", word[1:]) else 0
                if not 1 <= size <= 65535:
                    raise InvalidArgument(f"{self._path}: bad size '{word}' in the Y4M header")
                width, height = (size, height) if word[0] == "W" else (width, size)
            elif word[0] == "F":
                found = re.fullmatch(r"(\d{1,9}):(\d{1,9})", word[1:])
                if found is None:
                    raise InvalidArgument(f"{self._path}: bad frame rate '{word[1:]}' in the Y4M header")
                num, den = int(found[1]), int(found[2])
                tags += f":rate={num}/{den}"
            elif word[0] == "C":
                space = word[1:]
        if not width or not height:
            raise InvalidArgument(f"{self._path}: the Y4M header gives no width or no height")
        chroma, depth = self._space(space)
        if not num or not den:
            num = den = 0
        name = ("gray" if chroma == "400" else f"yuv{chroma}p") + (f"{depth}le" if depth > 8 else "")
        return VideoFormat(width, height, chroma, depth, num, den, space == "444alpha",
                           f"format={name}:size={width}x{height}{tags}")

    def _space(self, text: str) -> tuple[str, int]:
        """(chroma, depth)."""
        if text == "444alpha":
            return "444", 8
        found = re.fullmatch(r"mono(\d*)", text)
        if found is not None:
            chroma, depth = "400", int(found[1] or 8)
        else:
            found = re.fullmatch(r"(420|422|444)(?:p(\d+)|(\w*))", text)
            depth = 0
            if found is not None and found[2]:
                depth = int(found[2])
            elif found is not None and found[3] in _EIGHT_BITS:
                depth = 8
            chroma = found[1] if found is not None else ""
        if not 8 <= depth <= 16:
            raise InvalidArgument(
                f"{self._path}: colour space C{text} is not supported (supported: 420, 420jpeg, 420mpeg2, "
                "420paldv, 422, 444, 444alpha, mono, and p9 to p16, mono9 to mono16)")
        return chroma, depth

    def _check_odd(self, is_wrong: bool) -> None:
        """FFmpeg 5.1 leaves a byte of each row of chroma out."""
        form = self.format
        if is_wrong and self._process is not None and form.width % 2 and form.depth > 8 and form.chroma in ("420", "422"):
            raise DecoderError(f"{self._path}: this ffmpeg writes pictures of odd width with more than 8 bits wrong as Y4M, "
                               "as FFmpeg 5.1 does: VMAF_GPU_FFMPEG names a later one")

    def _check_begin(self, line: str) -> None:
        if not re.match(r"FRAME( |$)", line):
            self._check_odd(True)
            raise InvalidArgument(f"{self._path}: picture {self._frames} does not begin with FRAME")

    def _read(self, size: int) -> bytearray:
        data = bytearray(size)
        view, used = memoryview(data), 0
        while used < size:
            got = self._file.readinto(view[used:])  # type: ignore[attr-defined]
            if not got:
                self._check_odd(True)
                raise InvalidArgument(f"{self._path}: picture {self._frames} is cut short: {used} of "
                                      f"{size} bytes{self._said()}")
            used += got
        return data

    def _layout(self) -> tuple[int, list[tuple[int, int]], int]:
        """Bytes of a sample; rows and columns of each plane; bytes of a picture without alpha."""
        sample = 2 if self.format.depth > 8 else 1
        sizes = [plane_size(self.format, i) for i in range(1 if self.format.chroma == "400" else 3)]
        return sample, sizes, sum(rows * columns for rows, columns in sizes) * sample

    def count(self) -> int:
        """Pictures that the file has, as its size tells before the first is read; 0: not known."""
        if self._process is not None or not self._file.seekable():
            return 0
        form = self.format
        stride = len("FRAME\n") + self._layout()[2] + (form.width * form.height if form.has_alpha else 0)
        return (os.fstat(self._file.fileno()).st_size - self._file.tell()) // stride

    def __iter__(self) -> Iterator[Frame]:
        form = self.format
        sample, sizes, total = self._layout()
        while True:
            line = self._line("a FRAME line")
            if line is None:
                self._end()
                return
            self._check_begin(line)
            data: Union[bytearray, "array[int]"] = self._read(total)
            if form.has_alpha:
                self._read(form.width * form.height)
            if sample == 2 and sys.byteorder == "big":
                data = array("H", bytes(data))
                data.byteswap()
            whole = memoryview(data).cast("B")
            if self._frames == 0 and sample == 2:
                self._check_odd(form.width % 2 == 1 and max(whole.cast("H")) >> form.depth > 0)
            self._frames += 1
            planes, at = [], 0
            for rows, columns in sizes:
                size = rows * columns * sample
                planes.append(whole[at:at + size].cast("H" if sample == 2 else "B", (rows, columns)))
                at += size
            yield tuple(planes)

    def _end(self) -> None:
        if self._process is None or self._messages is None:
            return
        status = self._process.wait()
        self._messages.wait()
        change = _change(self._path, self._stream) if len(self._messages.graphs) > 1 else ""
        if change:
            raise DecoderError(f"{self._path}: {change}")
        if status != 0:
            raise DecoderError(f"{self._path}: ffmpeg failed after picture {self._frames}{self._said()}")

    def close(self) -> None:
        """May be called more than once."""
        process = self._process
        if process is not None and process.poll() is None:
            try:
                # ends the programs that it started, too, and before its pipe is closed
                os.killpg(process.pid, signal.SIGKILL)
            except (OSError, AttributeError):
                process.kill()
        if hasattr(self, "_file"):
            self._file.close()
        if process is not None:
            process.wait()
        if self._messages is not None:
            self._messages.close()

    def __enter__(self) -> "VideoReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
