# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Part files: whether one is what its task was to write, and whether neighbours agree.

Neighbouring chunks have both scored the pairs at their border. Scores that look at one pair only must be the
same double there, bit for bit. That shows wrong pictures after a seek, and devices that err.
"""
import pathlib
from typing import Any, Dict, Optional, Tuple

from vmaf_gpu.batch import files, plan as plans
from vmaf_gpu.batch.errors import BAD_INPUT, TRANSIENT, BatchError, Unreadable

SCHEMA = "vmaf_gpu.part/4"
META = "vmaf_gpu.part-meta/1"
ERROR = "vmaf_gpu.error/1"


def read(path: pathlib.Path, task: Dict[str, Any]) -> Dict[str, Any]:
    """A part that fits its task, or BatchError."""
    part = files.read_json(path, SCHEMA, BAD_INPUT, columns=list, spatial=list, rows=list)
    chunk, reached = part.get("chunk"), task["stop"]
    if part.get("incomplete"):
        raise BatchError(BAD_INPUT, f"{path}: {part['incomplete']}")
    wanted = [task[name] for name in ("first", "begin", "end")]
    if task.get("whole"):  # all pairs, as many as there are
        reached = part.get("reached")
        wanted = [0, 0, reached]
    if not isinstance(chunk, dict) or [chunk.get(name) for name in ("first", "begin", "end")] != wanted or \
            part.get("reached") != reached:
        raise BatchError(BAD_INPUT, f"{path}: is the part of another chunk, or of videos that ended early: it has the pairs "
                                    f"before {part.get('reached')}, not before {reached}")
    return part


def find(folder: plans.Folder, task: Dict[str, Any], key: str) -> Optional[Dict[str, Any]]:
    """The part, if there is a good one. A bad one is removed, so that it is made again.

    Unreadable if it is there and cannot be read, which says nothing of what is in it.
    """
    path = folder.part(key)
    if not path.exists():
        return None
    try:
        return read(path, task)
    except Unreadable:
        if path.exists():
            raise
    except BatchError:
        path.unlink(missing_ok=True)
    return None


def compare(one: Dict[str, Any], two: Dict[str, Any]) -> Tuple[int, str]:
    """How many scores both have, and the first that differs, or ""."""
    if one["columns"] != two["columns"] or one["spatial"] != two["spatial"]:
        return 0, "they have other columns"
    rows = {row[0]: row for row in two["rows"] if row[2] is not None}
    compared = 0
    for number, time, scores, _ in one["rows"]:
        other = rows.get(number)
        if other is None or scores is None:
            continue
        if time is not None and other[1] is not None and time != other[1]:
            return compared, f"pair {number} has the time {time} in one and {other[1]} in the other"
        for at in one["spatial"]:
            compared += 1
            if scores[at] != other[2][at] or type(scores[at]) is not type(other[2][at]):
                return compared, f"pair {number}: {one['columns'][at]} is {scores[at]!r} in one and " \
                                 f"{other[2][at]!r} in the other"
    return compared, ""


def device_of(part: Dict[str, Any]) -> str:
    """What has scored it, as in "cuda (NVIDIA H200)": `auto` takes what is there."""
    made_by = part.get("vmaf_gpu")
    names = [made_by.get(name) for name in ("backend", "device")] if isinstance(made_by, dict) else [None]
    if not all(isinstance(name, str) and name for name in names):
        return "unknown"
    return f"{names[0]} ({names[1]})"


def name_of(task: Dict[str, Any], pair: Dict[str, Any]) -> str:
    return f"{pair['id']}, pairs {task['begin']} to {task['end'] - 1}"


def meta(folder: plans.Folder, key: str) -> Dict[str, Any]:
    """How the part was made; {} if that is not known."""
    try:
        return files.read_json(folder.side(key, "meta.json"), META, seconds=float, end=float)
    except BatchError:
        return {}


def is_last_try(folder: plans.Folder, key: str) -> bool:
    """Whether a part was not trusted before, so that this one was decoded from the start."""
    return folder.side(key, "start").exists()


def trust(folder: plans.Folder, key: str) -> None:
    """The part agrees with its neighbours."""
    folder.side(key, "start").unlink(missing_ok=True)


def drop(folder: plans.Folder, key: str) -> None:
    """A part that is not trusted: its task will decode from the start."""
    files.write_atomic(folder.side(key, "start"), b"")
    folder.part(key).unlink(missing_ok=True)


def error_of(folder: plans.Folder, key: str, task: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """Why there is no part. A file that cannot be read still says that the task failed."""
    path = folder.side(key, "error.json")
    if not path.exists():
        return None
    try:
        return files.read_json(path, ERROR, code=int, text=str, tail=str, id=str, begin=int, end=int)
    except BatchError:
        return {"code": TRANSIENT, "text": "its error.json is damaged", "tail": "", "id": key, **task}
