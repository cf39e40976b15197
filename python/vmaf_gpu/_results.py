# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What scoring gives: values of a pair, of a run, of merged parts; devices. Plain data. And the
format of a log that its name says.

Needs neither the native module nor numpy; `Scores.to_pandas()` needs pandas.
"""
from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

_ENDINGS = "csv", "html", "sub", "xml"


def format_of(path: Union[str, bytes, "os.PathLike[str]"], known: Sequence[str] = _ENDINGS) -> str:
    """The format of a log for which none is given: what the name ends with, if it is one of `known`, else JSON."""
    ending = os.path.splitext(os.fsdecode(path))[1][1:].lower()
    return ending if ending in _ENDINGS and ending in known else "json"


class Device(NamedTuple):
    """A device that can score.

    ``selector`` is the text for ``device=``. ``memory_bytes`` is 0 if unknown; ``pci_id`` is empty
    if the device has none; ``wave_size`` is the number of threads of a warp or wavefront.
    """

    backend: str
    selector: str
    name: str
    pci_id: str
    wave_size: int
    memory_bytes: int


class PairScores(NamedTuple):
    """The scores of one pair of frames.

    ``frame`` counts pairs from 0 in the whole run. ``scores`` has a double for each name of
    ``Scorer.names``, or is None if ``subsample`` left the pair out. ``met`` has the numbers of the
    reference frame and of the distorted frame if the Scorer paired them, else it is None.
    """

    frame: int
    scores: Optional[Mapping[str, float]]
    met: Optional[tuple[int, int]] = None


class MergedRun(NamedTuple):
    """What ``merge()`` found.

    ``compared`` counts the scores that two parts had and that were equal. ``means`` has the mean of
    each score over the whole run.
    """

    compared: int
    means: Mapping[str, float]


@dataclass(frozen=True)
class Scores:
    """The scores of a run.

    ``names``: of the scores, as in logs. ``model_names``: those of the models, in their order.
    ``frames``: one PairScores per scored pair, in order. ``pooled``: for each name the values "min",
    "max", "mean", "harmonic_mean", "perc1", "perc5", "perc10" and "perc20". ``aggregates``: values
    per run, such as ``apsnr_y``. ``device``: what computed them. ``warnings``: what makes the scores doubtful, as the
    log has it. ``pairing``: what became of the frames, as ``Scorer.pairing``.
    """

    names: tuple[str, ...]
    model_names: tuple[str, ...]
    frames: tuple[PairScores, ...]
    pooled: Mapping[str, Mapping[str, float]]
    aggregates: Mapping[str, float]
    device: Device
    width: int
    height: int
    depth: int
    chroma: str
    history: tuple[int, int] = field(default=(0, 0))
    warnings: list[str] = field(default_factory=list)
    pairing: Mapping[str, Any] = field(default_factory=dict)

    @property
    def score(self) -> float:
        """The mean of the first model's score."""
        if not self.model_names:
            raise AttributeError("no model was asked for: see pooled for the features' values")
        return self.pooled[self.model_names[0]]["mean"]

    def column(self, name: str) -> list[float]:
        """One score of all scored pairs. KeyError if there is no such score."""
        if name not in self.names:
            raise KeyError(f"no score {name!r}; there are {', '.join(self.names)}")
        return [pair.scores[name] for pair in self.frames if pair.scores is not None]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: a row per scored pair, a column per score; the index is "frame".

        ImportError if pandas is not installed.
        """
        try:
            import pandas  # type: ignore[import-untyped,import-not-found,unused-ignore]
        except ImportError as error:
            raise ImportError("to_pandas() needs pandas: pip install 'vmaf-gpu[pandas]'") from error
        index = pandas.Index([pair.frame for pair in self.frames if pair.scores is not None],
                             name="frame", dtype="int64")
        return pandas.DataFrame({name: self.column(name) for name in self.names}, index=index)
