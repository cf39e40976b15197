# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The programs that do the work: ffmpeg, ffprobe and the tool vmaf_gpu."""
import atexit
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from typing import Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from vmaf_gpu.batch.errors import BAD_INPUT, USAGE, BatchError, code_of_os_error

_WARNING = 1  # VMAFGPU_LOG_WARNING
# Environment of child processes whose messages are read.
ENVIRONMENT = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "1", "AV_LOG_FORCE_NOCOLOR": "1"}


class _Running:
    """Processes that threads wait for. They end with this program: one that prints only at its end, or that waits
    for its input, would not notice that nobody reads what it writes."""

    def __init__(self) -> None:
        self._processes: "Set[subprocess.Popen[str]]" = set()
        self._lock = threading.Lock()
        atexit.register(self._end)

    def run(self, words: List[str], timeout: float) -> "subprocess.CompletedProcess[str]":
        with self._lock:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, errors="replace", env=ENVIRONMENT)
            self._processes.add(process)
        with process:
            try:
                stdout, stderr = process.communicate(timeout=timeout)
            except BaseException:
                process.kill()
                raise
            finally:
                self._processes.discard(process)
        return subprocess.CompletedProcess(words, process.returncode, stdout, stderr)

    def _end(self) -> None:
        # Kept, so that nothing is started any more. Starting a program from a disk that hangs keeps it, too.
        self._lock.acquire(timeout=1)
        for process in list(self._processes):
            process.kill()


_RUNNING = _Running()


def find(name: str, given: Optional[str]) -> str:
    """A program as given, or beside Python, or in PATH."""
    if given:
        found = shutil.which(given)
        if found is None:
            raise BatchError(USAGE, f"{given}: is not a program that can be started")
        return str(pathlib.Path(found).absolute())
    beside = pathlib.Path(sys.executable).parent / name
    found = str(beside) if os.access(beside, os.X_OK) and beside.is_file() else shutil.which(name)
    if found is None:
        option = "--tool" if name == "vmaf_gpu" else f"--{name}"
        raise BatchError(USAGE, f"the program {name} was not found beside Python or in PATH; name it with {option}")
    return found


def output_of(words: List[str], what: str, timeout: float = 600) -> "subprocess.CompletedProcess[str]":
    try:
        return _RUNNING.run(words, timeout)
    except OSError as error:
        raise BatchError(code_of_os_error(error, USAGE), f"{what}: cannot start {words[0]}: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise BatchError(USAGE, f"{what}: {words[0]} did not answer within {timeout:.0f} s") from None


class Advice(NamedTuple):
    """One thing that the engine says of two inputs. Other programs word what helps in other ways: specs.py has ours."""

    text: str
    is_refusal: bool
    is_scaling_enough: bool  # main to the size of the reference
    model: str  # a model to take instead, or ""
    filters: Dict[str, str]  # filters of FFmpeg, for ref and dis, or ""
    options: Dict[str, str]  # FFmpeg's options before -i


class Inputs(NamedTuple):
    """What the engine says of two inputs before they are compared."""

    filters: Dict[str, str]  # filters with which FFmpeg has to convert ref and dis, or ""
    needs_new: bool  # FFmpeg 7.0 or later
    advices: List[Advice]


def _advices(lines: List[str]) -> Iterator[Advice]:
    """Advice from what vmaf_gpu --tags_ref prints. What is less than a warning is left out."""
    for line in lines:
        level, scaling, model, of_dis, of_ref, before_dis, before_ref, text = line.split("\t")
        if int(level) <= _WARNING:
            yield Advice(text, level == "0", scaling == "1", model, {"dis": of_dis, "ref": of_ref},
                         {"dis": before_dis, "ref": before_ref})


class Ffmpeg:
    """One ffmpeg, and which it is."""

    def __init__(self, path: Optional[str]) -> None:
        self.path = find("ffmpeg", path)

    @functools.cached_property
    def _text(self) -> str:
        return output_of([self.path, "-version"], "ffmpeg").stdout

    @functools.cached_property
    def version(self) -> str:
        found = re.match(r"ffmpeg version (\S+)", self._text)
        if found is None:
            raise BatchError(USAGE, f"{self.path}: is not ffmpeg")
        return found[1]

    @functools.cached_property
    def pixel_formats(self) -> Set[str]:
        return set(re.findall(r"^[I.][O.]\S* +(\w+) ", output_of([self.path, "-hide_banner", "-pix_fmts"], "ffmpeg").stdout, re.M))

    @property
    def is_new(self) -> bool:
        """7.0 or later."""
        found = re.search(r"^libavfilter +(\d+)", self._text, re.M)
        return found is not None and int(found[1]) >= 10


class Programs:
    """Found once; asked for their versions and abilities when needed."""

    def __init__(self, ffmpeg: Optional[str] = None, tool: Optional[str] = None,
                 ffprobe: Optional[str] = None) -> None:
        self.own = Ffmpeg(ffmpeg or os.environ.get("VMAF_GPU_FFMPEG"))
        self.ffmpeg = self.own.path
        self.tool = find("vmaf_gpu", tool)
        beside = pathlib.Path(self.ffmpeg).parent / "ffprobe"
        self.ffprobe = find("ffprobe", ffprobe or (str(beside) if beside.is_file() else None))
        self._inputs: Dict[Tuple[str, ...], Inputs] = {}

    @functools.cached_property
    def versions(self) -> Dict[str, str]:
        """Parts of other versions are never mixed: decoders and the engine may give other numbers."""
        ffmpeg = self.own.version
        done = output_of([self.tool, "--version"], "vmaf_gpu")
        if done.returncode != 0 or not re.match(r"\d+\.\d+", done.stdout):
            raise BatchError(USAGE, f"{self.tool}: is not the tool vmaf_gpu")
        return {"ffmpeg": ffmpeg, "vmaf_gpu": done.stdout.split("\n", 1)[0].strip()}

    @functools.cached_property
    def filter_state(self) -> str:
        """"", or why this ffmpeg cannot score chunks by itself."""
        text = output_of([self.ffmpeg, "-hide_banner", "-h", "filter=vmaf_gpu"], "ffmpeg").stdout
        if not re.search(r"^\s+strict\s", text, re.M):
            return f"{self.ffmpeg} has no filter vmaf_gpu"
        has_chunk = re.search(r"^\s+chunk\s", text, re.M) is not None
        return "" if has_chunk else f"the filter vmaf_gpu of {self.ffmpeg} has no option chunk"

    def choose_runner(self, wanted: str) -> str:
        if wanted == "filter" and self.filter_state:
            raise BatchError(USAGE, f"{self.filter_state}: build one with the filter, or use --runner tool")
        if wanted == "auto":
            return "tool" if self.filter_state else "filter"
        return wanted

    def history(self, words: Tuple[str, ...]) -> Tuple[int, int]:
        """Pairs before and after a chunk that its scores depend on; only the engine knows."""
        done = output_of([self.tool, "--history", *words], "vmaf_gpu")
        found = re.fullmatch(r"(\d+) (\d+)\s*", done.stdout)
        if done.returncode != 0 or found is None:
            text = done.stderr.strip().split("\n")[0].replace("vmaf_gpu: ", "", 1)
            raise BatchError(USAGE, text or f"{self.tool}: is not the tool vmaf_gpu, or too old: it does not know --history")
        return int(found[1]), int(found[2])

    def inputs(self, reference: str, distorted: str, words: Tuple[str, ...]) -> Inputs:
        """What the engine says about two inputs in the words of vmaf_gpu --tags_ref; most pairs are alike."""
        key = (reference, distorted, *words)
        if key not in self._inputs:
            done = output_of([self.tool, "--tags_ref", reference, "--tags_dist", distorted, *words], "vmaf_gpu")
            found = done.stdout.splitlines()
            advices = list(_advices(found[3:]))
            if len(found) < 3 or done.returncode != 0 and not any(advice.is_refusal for advice in advices):
                errors = [line.replace("vmaf_gpu: ", "", 1) for line in done.stderr.splitlines()]
                raise BatchError(BAD_INPUT, errors[-1] if errors else f"{self.tool}: does not know --tags_ref")
            self._inputs[key] = Inputs({"ref": found[0], "dis": found[1]}, found[2] == "1", advices)
        return self._inputs[key]

    @functools.cached_property
    def _usable(self) -> Dict[str, str]:
        done = output_of([self.tool, "--list-devices"], "vmaf_gpu")
        lines = [line for line in done.stdout.splitlines() if ": not usable: " not in line]
        return {line.split()[0]: line for line in lines if re.match(r"(cuda|hip)(:| )", line)}

    def devices(self) -> List[str]:
        """Selectors of the GPUs, the best first."""
        return list(self._usable)

    def check_device(self, name: str) -> None:
        """Refuses a device that no machine has, in the tool's words. It tells when it scores, so that it gets one picture."""
        with tempfile.NamedTemporaryFile(suffix=".y4m") as clip:
            clip.write(b"YUV4MPEG2 W64 H64 F25:1 C420\nFRAME\n" + bytes(64 * 64 * 3 // 2))
            clip.flush()
            done = output_of([self.tool, "--quiet", "--no_prediction", "--feature", "psnr", "--reference", clip.name, "--distorted",
                              clip.name, "--device" if ":" in name else "--backend", name], "vmaf_gpu")
        found = re.search(r"^vmaf_gpu: (unknown device .*|device .* takes no number.*)", done.stderr, re.M)
        if found is not None:
            raise BatchError(USAGE, f"--devices: {found[1]}")

    def render_node(self, selector: str) -> str:
        """The file by which VAAPI knows a GPU; "" if that cannot be told."""
        found = re.search(r", PCI ([0-9a-fA-F:.]+)", self._usable.get(selector, ""))
        path = pathlib.Path(f"/dev/dri/by-path/pci-{found[1].lower()}-render") if found is not None else None
        return str(path) if path is not None and path.exists() else ""
