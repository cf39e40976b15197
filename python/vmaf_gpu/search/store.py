# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Measured points on disk, one file each, in a folder whose name follows from all that determines them."""
import dataclasses
import os
import pathlib
import re
from typing import Any, Dict, List, Optional

from vmaf_gpu.batch import files, plan as plans
from vmaf_gpu.batch.errors import TRANSIENT, USAGE, BatchError, code_of_os_error

SCHEMA = "vmaf_gpu.search.point/3"
# Numbered pictures, folders, and statistics of an earlier pass.
_UNTOLD = re.compile(r"%\d*d|dir=|^-pass|\bpass=")


@dataclasses.dataclass
class Point:
    """One trial."""

    value: str
    scores: Dict[str, Dict[str, Optional[float]]]  # by metric and pool; None: infinite
    bytes: int
    frames: int
    seconds: float
    errors: Dict[str, float] = dataclasses.field(default_factory=dict)  # samples have half of the mean's 95 % interval
    warnings: List[str] = dataclasses.field(default_factory=list)  # what makes the scores doubtful
    is_sound: bool = False  # whether it is known that --strict refuses nothing


def named_files(texts: List[str]) -> Optional[List[str]]:
    """Digests of the files that filters and options of an encoder name: tables of colours, subtitles, zones. Nobody knows
    which options are names of files, so each part between separators that is one counts. None: the names cannot be stored."""
    found = []
    for text in texts:
        if _UNTOLD.search(text):
            return None
        plain = re.sub(r"[\\']", "", text)
        marks = list(re.finditer(r"[=:,;|\[\]]", plain))
        begins, ends = [0, *(mark.end() for mark in marks)], [*(mark.start() for mark in marks), len(plain)]
        names = [name for begin in begins for end in ends for name in [plain[begin:end]] if os.path.isfile(name)]
        found += [files.identify(pathlib.Path(name))["content"] for name in names]
    return found


def default_folder() -> pathlib.Path:
    base = os.environ.get("XDG_CACHE_HOME")
    home = pathlib.Path(os.path.expanduser("~"))
    return (pathlib.Path(base) if base and os.path.isabs(base) else home / ".cache") / "vmaf-gpu" / "search"


class Store:
    """Points of one video, encoder and model."""

    def __init__(self, folder: pathlib.Path, key: Dict[str, Any]) -> None:
        self.folder = folder.absolute() / plans.digest({"schema": SCHEMA, **key})[:32]
        try:
            self.folder.mkdir(parents=True, exist_ok=True)  # fails before a trial is made that could not be kept
        except OSError as error:
            if code_of_os_error(error) == TRANSIENT:  # as put() will say
                return
            raise BatchError(USAGE, f"{error.filename}: {error.strerror}; --cache names another folder for measured "
                                    "points") from None

    def _path(self, value: str) -> pathlib.Path:
        return self.folder / f"{value}.json"

    def get(self, value: str) -> Optional[Point]:
        """None if it was not measured, or if the file is damaged or of another version."""
        try:
            stored = files.read_json(self._path(value), SCHEMA, scores=dict, bytes=int, frames=int, warnings=list, is_sound=bool)
            stored.pop("schema")
            return Point(**stored)
        except (BatchError, TypeError):
            return None

    def put(self, point: Point) -> str:
        """"", or why the point is not kept."""
        try:
            files.write_json(self._path(point.value), {"schema": SCHEMA, **dataclasses.asdict(point)})
            return ""
        except OSError as error:
            return unkept(str(self.folder), error)


def unkept(name: str, error: OSError) -> str:
    return f"measured points are not kept: {name}: {error.strerror}; --cache names another folder"
