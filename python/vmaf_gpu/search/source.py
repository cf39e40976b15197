# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The video that is encoded and compared with: the reference, or what --vf and --samples make of it, without loss."""
import collections
import pathlib
import re
import subprocess
from typing import Any, Callable, Deque, Dict, Iterable, List, Optional

from vmaf_gpu.batch import cuts, runner
from vmaf_gpu.batch.errors import BAD_INPUT, TRANSIENT, USAGE, BatchError, is_transient_text
from vmaf_gpu.batch.programs import Programs, output_of
from vmaf_gpu.search.encoders import Coder
from vmaf_gpu.search.sampling import Stratum, rate_of

_STEADY = 0.5  # times may be off by this part of a frame
_ERRORS = 6  # lines of ffmpeg that are told


# What FFmpeg 7 says of its threads and outputs after the error that counts.
_CONSEQUENCE = re.compile(r"^frame=|Conversion failed|Task finished with|Terminating thread|Error sending frames to consumers|"
                          r"Could not open encoder before EOF|Nothing was written into output")
# FFmpeg before 6.1 ends with status 0 then.
_UNWRITTEN = re.compile(r"\[error\] (?:Error (?:writing trailer|closing file)|av_interleaved_write_frame)")
MESSAGES = ("-nostats", "-loglevel", "repeat+level+info")  # which run_ffmpeg() reads


def run_ffmpeg(words: List[str], what: str, code: int, watch: Callable[[], None] = lambda: None,
               listener: Callable[[str], None] = lambda _line: None) -> None:
    """BatchError with its errors, or the last lines of its output, if it fails."""
    errors: Deque[str] = collections.deque(maxlen=_ERRORS)

    def listen(line: str) -> None:
        if runner.ERROR.match(line) and not _CONSEQUENCE.search(line):
            errors.append(line)
        listener(line)
    process = runner.Process("ffmpeg", words, listen, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        while True:
            watch()
            try:
                process.child.wait(0.2)
                break
            except subprocess.TimeoutExpired:
                continue
        status = process.wait()
    finally:
        process.kill()
    if status != 0 or any(map(_UNWRITTEN.search, errors)):
        raise _failure(status, errors or [line for line in process.tail if not _CONSEQUENCE.search(line)] or process.tail, words[-1], what, code)


def _failure(status: int, causes: Iterable[str], output: str, what: str, code: int) -> BatchError:
    """What is of the machine is no fault of what was tried."""
    last = list(causes)[-_ERRORS:]
    text = "\n".join(last)
    if status < 0:
        return BatchError(TRANSIENT, f"{what}: ffmpeg was killed by signal {-status}", text)
    is_transient = is_transient_text(text)
    told = "".join(f"\n    {line}" for line in last)
    return BatchError(TRANSIENT if is_transient else code, f"{output if is_transient else what}: ffmpeg failed with status {status}:{told}",
                      text)


def sizes_of(programs: Programs, path: pathlib.Path, stream: int) -> List[int]:
    """The bytes that each frame takes, in the order of time."""
    done = output_of([programs.ffprobe, "-v", "error", "-select_streams", str(stream), "-show_entries", "packet=pts,size", "-of",
                      "csv=p=0", str(path)], str(path), 24 * 3600.0)
    rows = [line.split(",") for line in done.stdout.splitlines() if "," in line]
    rows.sort(key=lambda row: int(row[0]) if row[0].lstrip("-").isdigit() else 0)
    return [int(row[1]) for row in rows]


class Source:
    """Made when a trial needs it. found: the index of the reference; folder: where files may be."""

    def __init__(self, coder: Coder, path: pathlib.Path, found: Dict[str, Any], folder: pathlib.Path, chain: str,
                 strata: Optional[List[Stratum]] = None) -> None:
        self.coder, self.reference, self.found, self.folder = coder, path, found, folder
        self.chain, self.strata = chain, strata

    @property
    def is_reference(self) -> bool:
        return not self.chain and not self.strata

    @property
    def index(self) -> int:
        """The stream of the reference."""
        return int(self.found["stream"]["index"])

    @property
    def stream(self) -> int:
        """That of path()."""
        return self.index if self.is_reference else 0

    @property
    def named(self) -> Optional[int]:
        """The stream of path() that the user wants."""
        return self.index if self.is_reference and "named" in self.found["stream"]["tags"] else None

    @property
    def rate(self) -> str:
        """Frames per second, as a fraction."""
        return rate_of(self.found["stream"])

    def timing(self) -> List[str]:
        """Options by which an encoder gets frames at any times, each once."""
        times = [] if self.strata else self.found["pts"]
        steps = sorted(after - before for before, after in zip(times, times[1:]))
        if not steps or steps[-1] - steps[0] <= _STEADY * steps[len(steps) // 2]:
            return []
        return ["-enc_time_base", "demux" if self.coder.is_new else "-1"]

    def _chain(self) -> str:
        filters = [self.chain] if self.chain else []
        if self.strata:
            chosen = sorted(one for stratum in self.strata for one in stratum.chosen)
            wanted = "+".join(f"between(n,{first},{end - 1})" for first, end in chosen)
            filters = [f"select='{wanted}'", f"setpts=round(N/({self.rate})/TB)", *filters]
        return ",".join(filters)

    @staticmethod
    def _doubts(made: pathlib.Path) -> pathlib.Path:
        """Another source of this folder may have made the video."""
        return made.with_suffix(".doubts")

    def doubts(self) -> List[str]:
        """What the decoder reported of the reference, which path() does not show any more."""
        return [] if self.is_reference else self._doubts(self.path()).read_text().splitlines()

    def path(self) -> pathlib.Path:
        if self.is_reference:
            return self.reference
        made = self.folder / ("samples.mkv" if self.strata else "filtered.mkv")
        if not made.exists():
            listener = runner.Listener({"ref": cuts.Watch(cuts.whole(self.found))})
            run_ffmpeg([self.coder.path, "-nostdin", "-hide_banner", *MESSAGES, "-y", "-i", str(self.reference), "-map",
                        f"0:{self.index}", "-vf", self._chain(), *self.timing(), "-fps_mode", "passthrough", "-c:v", "ffv1",
                        "-level", "3", "-g", "1", str(made)], str(self.reference), USAGE if self.chain else BAD_INPUT, lambda: None, listener)
            self._doubts(made).write_text("\n".join(f"frames of reference {doubt.what}: the decoder reported errors: {doubt.text}"
                                                    for doubt in listener.doubts.values()))
        return made
