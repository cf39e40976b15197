# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The list of pairs to score: JSON lines, or CSV with the same names as columns."""
import csv
import io
import json
import math
import os
import pathlib
import re
from typing import Any, Callable, Dict, List

from vmaf_gpu.batch import remote
from vmaf_gpu.batch.errors import USAGE, BatchError

SCALERS = ("bicubic", "bilinear", "lanczos", "spline", "area", "gauss", "neighbor")
PAIRINGS = ("auto", "time", "index")
GRAINS = ("score", "off")
DEFAULTS: Dict[str, Any] = {"models": ["vmaf_v0.6.1"], "features": [], "subsample": 1, "display": None,
                            "scaler": "bicubic", "pix_fmt": "auto", "crop": None, "trim": None, "pair": "auto", "offset": None,
                            "grain": "score", "stream_ref": None, "stream_dis": None, "group": None, "tags": {}, "compat": "3.2"}


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != "" and "\0" not in value and "\n" not in value and _is_name(value)


def _is_name(value: str) -> bool:
    """JSON can name halves of characters, which no file has."""
    try:
        os.fsencode(value)
    except UnicodeEncodeError:
        return False
    return True


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(_is_text(item) for item in value)


def _matches(pattern: str) -> Callable[[Any], bool]:
    return lambda value: value is None or isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _is_tags(value: Any) -> bool:
    return isinstance(value, dict) and all(item is None or isinstance(item, (str, int, bool)) or
                                           isinstance(item, float) and math.isfinite(item)
                                           for item in value.values())


def _is_stream(value: Any) -> bool:
    return value is None or isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 9999


_STREAM = (_is_stream, "the number of a stream in its file, from 0")
_ALLOWED: Dict[str, Any] = {
    "id": (lambda v: isinstance(v, str) and re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._+@=-]{0,150}", v) is not None,
           "letters, digits and ._+@=-, at most 151"),
    "ref": (_is_text, "the path or URL of a video, without a line break"),
    "dis": (_is_text, "the path or URL of a video, without a line break"),
    "models": (_is_texts, "a list of models, each as for vmaf_gpu --model"),
    "features": (_is_texts, "a list of features, each as for vmaf_gpu --feature"),
    "subsample": (lambda v: isinstance(v, int) and not isinstance(v, bool) and 1 <= v <= 10**6,
                  "a whole number from 1"),
    "display": (_matches(r"ref|[1-9]\d{0,4}x[1-9]\d{0,4}"), "a size, as in 1920x1080, or ref: that of the reference"),
    "scaler": (lambda v: v in SCALERS, ", ".join(SCALERS)),
    "pix_fmt": (_matches(r"auto|[a-z0-9]{3,20}"), "auto, or a pixel format of ffmpeg"),
    "crop": (_matches(r"\d{1,5}:\d{1,5}:\d{1,5}:\d{1,5}"), "width:height:x:y"),
    "trim": (_matches(r"\d{1,12}:\d{0,12}"), "first:end in frames, as in 0:500 (end not included)"),
    "pair": (lambda v: v in PAIRINGS, "auto, time or index"),
    "offset": (lambda v: v is None or v == "auto" or isinstance(v, int) and not isinstance(v, bool) and abs(v) <= 10**9,
               "a whole number, or auto"),
    "grain": (lambda v: v in GRAINS, "score or off"),
    "stream_ref": _STREAM,
    "stream_dis": _STREAM,
    "group": (lambda v: v is None or _is_text(v), "a name"),
    "tags": (_is_tags, "an object of texts and numbers"),
    "compat": (lambda v: v in ("3.1", "3.2"), "3.1 or 3.2"),
}


def _is_before(first: str, end: str) -> bool:
    return int(first) < int(end)


def _check(pair: Dict[str, Any], where: str) -> Dict[str, Any]:
    for name, value in pair.items():
        if name not in _ALLOWED:
            raise BatchError(USAGE, f"{where}: '{name}' is unknown; known are {', '.join(_ALLOWED)}")
        is_right, allowed = _ALLOWED[name]
        if not is_right(value):
            raise BatchError(USAGE, f"{where}: {name}: {json.dumps(value)[:80]} is not allowed; expected {allowed}")
    for name in ("ref", "dis"):
        if name not in pair:
            raise BatchError(USAGE, f"{where}: '{name}' is missing")
    if pair.get("trim") and (pair.get("pair") == "time" or pair.get("offset") is not None):
        raise BatchError(USAGE, f"{where}: trim counts frames of both videos, which says nothing with pair time or offset; "
                                "cut the videos, or use pair index")
    if pair.get("trim") and not pair["trim"].endswith(":") and not _is_before(*pair["trim"].split(":")):
        raise BatchError(USAGE, f"{where}: trim: \"{pair['trim']}\" has no frames; the end comes after the first")
    return {**DEFAULTS, **pair}


def _parse_line(line: str, where: str) -> Dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BatchError(USAGE, f"{where}: is not JSON: {str(error)[:80]}") from None
    if not isinstance(value, dict):
        raise BatchError(USAGE, f"{where}: is not an object")
    return value


def _row_value(name: str, text: str, where: str) -> Any:
    if name in ("models", "features"):
        return [item for item in text.split("|") if item]
    if name in ("subsample", "offset", "stream_ref", "stream_dis"):
        return int(text) if re.fullmatch(r"-?\d{1,10}", text) else text
    return _parse_line(text, f"{where}: tags") if name == "tags" else text


def _parse_csv(text: str, path: pathlib.Path) -> Dict[str, Dict[str, Any]]:
    """Rows by their places."""
    rows: Dict[str, Dict[str, Any]] = {}
    reader = csv.DictReader(io.StringIO(text), strict=True)
    try:
        for row in reader:
            where = f"{path}:{reader.line_num}"
            if None in row or None in row.values():
                raise BatchError(USAGE, f"{where}: has not as many columns as the first line")
            rows[where] = {name: _row_value(name, value, where) for name, value in row.items() if value != ""}
    except csv.Error as error:
        raise BatchError(USAGE, f"{path}:{reader.reader.line_num}: is not CSV: {error}") from None
    return rows


def _path_of(video: str) -> str:
    return re.split(r"[?#]", video)[0] if remote.is_url(video) else video


def _with_id(pair: Dict[str, Any], used: Dict[str, int]) -> str:
    stem = re.sub(r"[^A-Za-z0-9._+@=-]", "_", pathlib.Path(_path_of(pair["dis"])).stem)[:100] or "pair"
    stem = stem if re.match(r"[A-Za-z0-9_]", stem) else "_" + stem
    name, number = stem, 1
    while name in used:
        number += 1
        name = f"{stem}-{number}"
    return name


def finish(pairs: List[Dict[str, Any]], base: pathlib.Path, wheres: List[str]) -> List[Dict[str, Any]]:
    """Checked pairs with all keys, absolute paths and ids that differ."""
    done = [_check(pair, where) for pair, where in zip(pairs, wheres)]
    used: Dict[str, int] = {}
    for number, pair in enumerate(done):
        if "id" in pair and pair["id"] in used:
            raise BatchError(USAGE, f"{wheres[number]}: the id {pair['id']} is that of {wheres[used[pair['id']]]}")
        if "id" in pair:
            used[pair["id"]] = number
    for number, pair in enumerate(done):
        if "id" not in pair:
            pair["id"] = _with_id(pair, used)
            used[pair["id"]] = number
        for name in ("ref", "dis"):
            pair[name] = pair[name] if remote.is_url(pair[name]) else str((base / pair[name]).absolute())
    return done


def read(path: pathlib.Path) -> List[Dict[str, Any]]:
    """Pairs, each with its place under the key "where"."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BatchError(USAGE, f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BatchError(USAGE, f"{path}: is not UTF-8") from None
    if path.suffix.lower() == ".csv":
        rows = _parse_csv(text, path)
    else:
        lines = {f"{path}:{number}": line for number, line in enumerate(text.split("\n"), 1) if line.strip()}
        rows = {where: _parse_line(line, where) for where, line in lines.items()}
    if not rows:
        raise BatchError(USAGE, f"{path}: has no pairs")
    return [{**pair, "where": where} for pair, where in zip(finish(list(rows.values()), path.absolute().parent, list(rows)), rows)]
