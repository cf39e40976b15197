# SPDX-License-Identifier: BSD-2-Clause-Patent
"""How far a plan is: parts that are there, the rate, the time that is left, and failures."""
import pathlib
import re
import time
from typing import Any, Dict, List, Optional

from vmaf_gpu.batch import parts, plan as plans
from vmaf_gpu.batch.errors import counted

_FRESH = 60.0  # seconds after which a progress file is of a process that has ended


def frames_in_progress(folder: plans.Folder, key: str, now: float) -> Optional[int]:
    """Frames that a running task has decoded; None if it does not run."""
    path = folder.side(key, "progress")
    try:
        return frames_done(path) if now - path.stat().st_mtime <= _FRESH else None
    except OSError:
        return None


def frames_done(path: pathlib.Path) -> int:
    """The latest number in what ffmpeg writes for -progress."""
    with open(path, "rb") as file:
        file.seek(max(0, path.stat().st_size - 2000))
        values = re.findall(rb"^frame= *(\d+)$", file.read(), re.M)
    return int(values[-1]) if values else 0


def collect(work: pathlib.Path) -> Dict[str, Any]:
    folder = plans.Folder(work)
    plan = plans.load(folder)
    now = time.time()
    found: Dict[str, Any] = {"planned": 0, "present": 0, "running": 0, "pairs": 0, "pairs_done": 0.0,
                             "failures": [], "ends": [], "seconds": 0.0}
    for task in plan["tasks"]:
        size = task["end"] - task["begin"]
        # One process scores all members, and reports under the name of the first one that lacked its part.
        progress = [frames_in_progress(folder, member["key"], now) for member in task["members"]]
        of_task = max((frames for frames in progress if frames is not None), default=None)
        for member, own in zip(task["members"], progress):
            found["planned"] += 1
            found["pairs"] += size
            if folder.part(member["key"]).exists():
                _add_done(found, parts.meta(folder, member["key"]), size)
                continue
            error = parts.error_of(folder, member["key"], task)
            if error is not None:
                found["failures"].append(error)
            frames = of_task if own is None and error is None else own
            if frames is not None:
                found["running"] += 1
                found["pairs_done"] += min(size, frames)
    found["rate"] = _rate(found)
    return found


def _add_done(found: Dict[str, Any], meta: Dict[str, Any], size: int) -> None:
    found["present"] += 1
    found["pairs_done"] += size
    if meta:
        found["ends"].append((meta["end"] - meta["seconds"], meta["end"], size))


def _rate(found: Dict[str, Any]) -> Optional[float]:
    """Pairs per second of all workers together, of the tasks that ended last."""
    latest = sorted(found["ends"], key=lambda item: -item[1])[:50]
    if not latest:
        return None
    begin = min(item[0] for item in latest)
    end = max(item[1] for item in latest)
    return float(sum(item[2] for item in latest) / max(0.001, end - begin))


def lines(work: pathlib.Path) -> List[str]:
    found = collect(work)
    text = [f"{found['present']} of {counted(found['planned'], 'part')}, {found['running']} running, "
            f"{len(found['failures'])} failed; {found['pairs_done']:.0f} of {counted(found['pairs'], 'pair')}"]
    is_moving = found["running"] > 0 or found["present"] + len(found["failures"]) < found["planned"]
    if found["rate"] and is_moving and found["present"] < found["planned"]:
        left = (found["pairs"] - found["pairs_done"]) / found["rate"]
        text.append(f"{found['rate']:.1f} pairs/s, about {left:.0f} s left at this rate")
    for error in found["failures"][:10]:
        text.append(f"FAILED ({error['code']}) {error['id']}, pairs {error['begin']} to {error['end'] - 1}: "
                    f"{error['text']}")
        text += ["    " + line for line in error["tail"].splitlines()[-3:]]
    return text


def is_ended(work: pathlib.Path) -> bool:
    found = collect(work)
    return bool(found["present"] + len(found["failures"]) >= found["planned"] and found["running"] == 0)
