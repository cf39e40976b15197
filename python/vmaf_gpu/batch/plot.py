# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The plot of a ladder: scores over rates. Drawn by matplotlib."""
import io
import pathlib
from typing import Any, Dict, List, Tuple

from vmaf_gpu.batch import files
from vmaf_gpu.batch.errors import USAGE, BatchError

SUFFIXES = (".svg", ".png", ".pdf")
Points = List[Tuple[float, float]]  # kbit/s and score


def need(path: str) -> Any:
    """matplotlib; BatchError if it is missing, or cannot write such a file."""
    if pathlib.Path(path).suffix.lower() not in SUFFIXES:
        raise BatchError(USAGE, f"--plot {path}: is not allowed; expected a name that ends in {', '.join(SUFFIXES)}")
    try:
        import matplotlib  # type: ignore # pylint: disable=import-outside-toplevel
        import matplotlib.figure  # type: ignore # pylint: disable=import-outside-toplevel
        return matplotlib
    except ImportError:
        raise BatchError(USAGE, "--plot needs matplotlib: pip install 'vmaf-gpu[plot]'") from None


def draw(path: str, title: str, curves: Dict[str, Points]) -> None:
    """One curve for each name. The same points give the same bytes, with one version of matplotlib."""
    matplotlib = need(path)
    kind = pathlib.Path(path).suffix.lower()[1:]
    with matplotlib.rc_context({"svg.hashsalt": "vmaf-gpu", "svg.fonttype": "none"}):
        figure = matplotlib.figure.Figure(figsize=(8, 5), layout="constrained")
        axes = figure.subplots()
        for name, points in curves.items():
            axes.plot(*zip(*sorted(points)), marker="o", label=_plain(name))
        axes.set(xlabel="kbit/s", ylabel="score", title=_plain(title))
        axes.grid(alpha=0.3)
        axes.legend()
        image = io.BytesIO()
        figure.savefig(image, format=kind, metadata={"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind])
    files.write_atomic(pathlib.Path(path).absolute(), image.getvalue())


def _plain(text: str) -> str:
    """Names of files are no mathematics, and may be no text. A label that begins with _ would be left out."""
    shown = text.encode(errors="backslashreplace").decode().replace("$", r"\$")
    return " " + shown if shown.startswith("_") else shown


def curves(rows: List[Dict[str, Any]], names: List[str], what: str) -> Dict[str, Points]:
    """Curves of a ladder's table; renditions without a rate are left out."""
    found = {name: [(float(row["kbps"]), float(row[name])) for row in rows if row.get("kbps")] for name in names}
    return {(what if len(names) == 1 else f"{what}, {name}"): points for name, points in found.items() if points}
