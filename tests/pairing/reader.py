# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What arrives in the filter: numbers and times of an input's frames, in order.

The FFmpeg under test decodes, with the options and filters of the row, so that frame N here is
frame N in the filter. Nothing is known here about pairs.
"""
import re
import subprocess
import threading
from dataclasses import dataclass
from fractions import Fraction

import content

CONFIG = re.compile(r"config in time_base: (\d+)/(\d+), frame_rate: (\d+)/(\d+)")
RAW = ("-fps_mode", "passthrough", "-pix_fmt", "yuv420p", "-f", "rawvideo", "-")
FRAME = re.compile(r"\] n: *(\d+) pts: *(-?\d+|NOPTS) ")


class ReadError(Exception):
    """A file of the matrix could not be read as the filter would read it."""


@dataclass(frozen=True)
class Decoded:
    numbers: tuple
    pts: tuple  # None: the frame has no time
    time_base: Fraction
    rate: Fraction  # 0: unknown

    @property
    def times(self):
        """Seconds, exactly. A frame without a time, or with one that does not grow, gets the last
        one plus the interval: the last one, or the stream's if that is shorter (after a gap)."""
        nominal = 1 / self.rate if self.rate else None
        result, interval = [], nominal or Fraction(1, 25)
        for value in self.pts:
            time = None if value is None else value * self.time_base
            if time is None or (result and time <= result[-1]):
                time = result[-1] + interval if result else Fraction(0)
            if result:
                interval = min(time - result[-1], nominal or time - result[-1])
            result.append(time)
        return result


def arguments(kitchen, an_input):
    return [*an_input.before, "-i", str(kitchen.path(an_input.file))]


def raw_pictures(command, read):
    """What `read` makes of each picture that the command writes, and the command's log."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    log = []
    drain = threading.Thread(target=lambda: log.append(process.stderr.read().decode()))
    drain.start()
    try:
        results = [read(frame) for frame in content.frames(process.stdout)]
    except content.NumberError as error:
        process.kill()
        raise ReadError(f"{' '.join(command)}: {error}") from error
    finally:
        process.stdout.close()
        drain.join()
        process.stderr.close()
        process.wait()
    if process.returncode != 0:
        raise ReadError(f"{' '.join(command)}\n{log[0]}")
    return results, log[0]


def decode(ffmpeg, kitchen, an_input, read=content.read_number):
    filters = ",".join(f for f in (an_input.vf, "showinfo=checksum=0") if f)
    command = [str(ffmpeg), "-nostdin", "-hide_banner", "-loglevel", "info", "-nostats",
               *arguments(kitchen, an_input), "-map", "0:v:0", "-vf", filters, *RAW]
    numbers, log = raw_pictures(command, read)
    return from_log(numbers, log, command)


def from_log(numbers, log, command):
    config = CONFIG.search(log)
    frames = FRAME.findall(log)
    if not config or [int(n) for n, _ in frames] != list(range(len(numbers))):
        raise ReadError(f"{' '.join(command)}: {len(frames)} times of {len(numbers)} pictures")
    base, over, rate, rate_over = map(int, config.groups())
    pts = tuple(None if value == "NOPTS" else int(value) for _, value in frames)
    return Decoded(tuple(numbers), pts, Fraction(base, over),
                   Fraction(rate, rate_over) if rate_over else Fraction(0))


def overlay_pairs(ffmpeg, kitchen, row, main, reference):
    """The pairs of FFmpeg's own framesync, seen through the filter overlay, which pairs as libvmaf
    does: the reference's number is laid below main's. Works with any build."""
    width, height = 2 * content.BLOCK * content.COLUMNS, 2 * content.BLOCK * content.ROWS
    left, top = 2 * content.BLOCK_LEFT, 2 * content.BLOCK_TOP
    a, b = (",".join(f for f in (an_input.vf, "format=yuv420p") if f)
            for an_input in (row.main, row.reference))
    graph = (f"[0:v:0]{a}[a];[1:v:0]{b},crop={width}:{height}:{left}:{top}[b];"
             f"[a][b]overlay={left}:{top + height}:format=yuv420[out]")
    command = [str(ffmpeg), "-nostdin", "-hide_banner", "-loglevel", "warning",
               *arguments(kitchen, row.main), *arguments(kitchen, row.reference),
               "-filter_complex", graph, "-map", "[out]", *RAW]

    def numbers(frame):
        try:
            return content.read_number(frame), content.read_number(frame, below=height // 2)
        except content.NumberError:
            return content.read_number(frame), None

    lines, _ = raw_pictures(command, numbers)
    place = {number: m for m, number in reversed(list(enumerate(reference.numbers)))}
    last = len(main.numbers) - 1
    if [n for n, _ in lines] != [main.numbers[min(k, last)] for k in range(len(lines))]:
        raise ReadError(f"{row.key}: main's frames do not leave overlay in their order")
    return [(min(k, last), None if m is None else place[m]) for k, (_, m) in enumerate(lines)]
