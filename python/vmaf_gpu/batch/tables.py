# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Parquet tables of results, if pyarrow is installed."""
import io
import pathlib
from typing import Any, Dict, List

from vmaf_gpu.batch import files
from vmaf_gpu.batch.errors import USAGE, BatchError


def need_pyarrow() -> Any:
    try:
        import pyarrow  # type: ignore # pylint: disable=import-outside-toplevel
        import pyarrow.parquet  # type: ignore # pylint: disable=import-outside-toplevel
        return pyarrow
    except ImportError:
        raise BatchError(USAGE, "--parquet needs pyarrow: pip install 'vmaf-gpu[parquet]'") from None


def _flat(line: Dict[str, Any]) -> Dict[str, Any]:
    """One row: tag_X, and NAME_mean, NAME_min ... of each score."""
    row = {name: line[name] for name in ("id", "group", "ref", "dis", "frames", "bytes", "kbps", "width", "height",
                                         "seconds", "chunks", "overlap_scores_equal", "runner", "digest")}
    row.update({f"tag_{name}": None if value is None else str(value) for name, value in line["tags"].items()})
    row.update({f"version_{name}": value for name, value in line["versions"].items()})
    for score, pooled in line["pooled"].items():
        row.update({f"{score}_{kind}": value for kind, value in pooled.items()})
    for score, values in line["percentiles"].items():
        row.update({f"{score}_{kind}": value for kind, value in values.items()})
    return row


def _write(pyarrow: Any, rows: List[Dict[str, Any]], path: pathlib.Path) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))  # pairs may have other models
    table = pyarrow.table({name: [row.get(name) for row in rows] for name in names})
    text = io.BytesIO()
    pyarrow.parquet.write_table(table, text, compression="zstd")
    files.write_atomic(path, text.getvalue())


def write(work: pathlib.Path, lines: List[Dict[str, Any]], frames: List[Dict[str, Any]]) -> None:
    """Lines and frames of results."""
    pyarrow = need_pyarrow()
    _write(pyarrow, [_flat(line) for line in lines], work / "results.parquet")
    _write(pyarrow, frames, work / "frames.parquet")
