# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Measured points on disk, one file each, in a folder whose name follows from all that determines them."""
import dataclasses
import math
import os
import pathlib
from typing import Any, Dict, Optional

from vmaf_gpu.batch import files, plan as plans
from vmaf_gpu.batch.errors import USAGE, BatchError

SCHEMA = "vmaf_gpu.search.point/1"


@dataclasses.dataclass
class Point:
    """One trial."""

    value: str
    scores: Dict[str, float]  # by pool
    bytes: int
    frames: int
    seconds: float
    error: float = 0.0  # half of the 95 % interval of the mean, if samples were scored


def default_folder() -> pathlib.Path:
    base = os.environ.get("XDG_CACHE_HOME")
    home = pathlib.Path(os.path.expanduser("~"))
    return (pathlib.Path(base) if base and os.path.isabs(base) else home / ".cache") / "vmaf-gpu" / "search"


class Store:
    """Points of one video, encoder and model."""

    def __init__(self, folder: pathlib.Path, key: Dict[str, Any]) -> None:
        self.folder = folder.absolute() / plans.digest({"schema": SCHEMA, **key})[:32]
        try:
            self.folder.mkdir(parents=True, exist_ok=True)  # before a trial is made that could not be kept
        except OSError as error:
            raise BatchError(USAGE, f"{error.filename}: {error.strerror}; --cache names another folder for measured "
                                    "points") from None

    def _path(self, value: str) -> pathlib.Path:
        return self.folder / f"{value}.json"

    def get(self, value: str) -> Optional[Point]:
        """None if it was not measured, or if the file is damaged or of another version."""
        try:
            told = files.read_json(self._path(value), SCHEMA)
            told.pop("schema")
            point = Point(**told)
            is_whole = point.value == value and point.bytes > 0 and point.frames > 0 and \
                all(math.isfinite(number) for number in (*point.scores.values(), point.seconds, point.error))
            return point if is_whole else None
        except (BatchError, TypeError, AttributeError):
            return None

    def put(self, point: Point) -> None:
        files.write_json(self._path(point.value), {"schema": SCHEMA, **dataclasses.asdict(point)})
