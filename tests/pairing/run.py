# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Runs the filter on a row and reads its trace, its log and its messages."""
import json
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import reader

PAIR = re.compile(r"\bpair: main (\d+) reference (-?\d+)")
MESSAGE = re.compile(r"^\[[^\]]*vmaf_gpu[^\]]*\] \[(\w+)\] (.*)$", re.M)
STRICT = re.compile(r"^\[[^\]]*vmaf_gpu[^\]]*\] \[error\] strict: ", re.M)
COUNTS = ("main_frames", "reference_frames", "pairs", "repeated_main", "repeated_reference",
          "by_number", "corrections", "rule", "start", "start_offset", "shift", "distance_median",
          "distance_largest", "warnings")
TIME_LIMIT = 120  # seconds; a run takes a fraction of one


class RunError(Exception):
    """The filter gave no result that could be judged."""


@dataclass(frozen=True)
class Outcome:
    lines: list  # (main, reference or None)
    log: dict  # the object "pairing", nested counts as "unpaired_main.begin"; empty: not there
    messages: list  # (level, text)
    document: dict  # the whole log
    strict: bool = False  # strict=1 ended the run with an error


def flatten(pairing):
    log = {}
    for key, value in pairing.items():
        if isinstance(value, dict):
            log.update({f"{key}.{part}": number for part, number in value.items()})
        else:
            log[key] = value
    missing = [key for key in COUNTS if key not in log]
    missing += [f"unpaired_{side}.{part}" for side in ("main", "reference")
                for part in ("begin", "middle", "end") if f"unpaired_{side}.{part}" not in log]
    if missing:
        raise RunError(f"the log's object pairing lacks {', '.join(missing)}")
    return log


def trace(text):
    return [(int(n), None if m == "-1" else int(m)) for n, m in PAIR.findall(text)]


def run(ffmpeg, kitchen, row, options, input_options=(), wants_trace=True):
    """`options`: the filter's, as on a command line; `input_options`: before each -i."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.json"
        graph = (f"[0:v:0]{row.main.vf or 'null'}[a];[1:v:0]{row.reference.vf or 'null'}[b];"
                 f"[a][b]vmaf_gpu=log_fmt=json:log_path={log}:{options}[out]")
        level = "level+debug" if wants_trace else "level+info"
        # Audio would be mapped, too, and in MPEG-TS it moves the times of video.
        command = [str(ffmpeg), "-nostdin", "-hide_banner", "-nostats", "-loglevel", level,
                   *input_options, *reader.arguments(kitchen, row.main),
                   *input_options, *reader.arguments(kitchen, row.reference),
                   "-filter_complex", graph, "-map", "[out]", "-f", "null", "-"]
        try:
            done = subprocess.run(command, capture_output=True, timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired as error:
            raise RunError(f"{' '.join(command)}: no end after {TIME_LIMIT} s") from error
        text = done.stderr.decode(errors="replace")
        strict = bool(STRICT.search(text))
        if (done.returncode != 0) != strict or not log.exists():
            raise RunError(f"{' '.join(command)}: exit status {done.returncode}: {tail(text)}")
        document = json.loads(log.read_text())
    messages = [(kind, said) for kind, said in MESSAGE.findall(text) if not said.startswith("pair:")]
    log = flatten(document["pairing"]) if "pairing" in document else {}
    return Outcome(trace(text), log, messages, document, strict)


def tail(text):
    """The first error and the last two, to be put into one line."""
    lines = [line for line in text.splitlines() if re.search(r"\[(error|fatal|panic)\]", line)]
    return " / ".join(line[:200] for line in lines[:1] + lines[1:][-2:])
