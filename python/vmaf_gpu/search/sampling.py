# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Stretches that stand for a whole video, and what their scores say of it.

The bytes that a stretch takes in the reference say how much moves there and how fine it is. Where they jump, another shot
begins. Stretches of one shot, and of shots of like size, are a stratum, and some of each are scored, chosen at random: with
other stretches in each, the estimate is right on average.
"""
import dataclasses
import math
import random
from fractions import Fraction
from typing import Any, Dict, List, Optional, Tuple

SECONDS = 2.0  # length of a stretch, unless another one is asked for

# Student's t for 97.5 %, for 1 degree of freedom and more.
_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
            2.120, 2.110, 2.101, 2.093, 2.086)
_JUMP = 1.5  # with more or less than this part of the bytes of the stretch before, another shot begins
_EACH = 2  # stretches of a stratum; fewer would not tell how they differ


@dataclasses.dataclass
class Stratum:
    """Stretches that are alike. Each is (first frame, frame behind the last)."""

    total: int
    chosen: List[Tuple[int, int]]


def rate_of(stream: Dict[str, Any]) -> str:
    """Frames per second of a stream, as a fraction."""
    text = str(stream["avg_frame_rate"])
    return text if text.partition("/")[0] not in ("", "0", "None") else "25"


def length_of(stream: Dict[str, Any], seconds: float) -> int:
    """Frames of a stretch of a stream, as an index has it."""
    return max(1, round(seconds * float(Fraction(rate_of(stream)))))


def by_shots(rates: List[float]) -> List[int]:
    """Numbers of stretches of these bytes a frame, shot by shot, those with the fewest bytes first."""
    shots: List[List[int]] = []
    for number, rate in enumerate(rates):
        before = rates[number - 1] if number else math.inf
        if max(rate, before) > _JUMP * min(rate, before):
            shots.append([])
        shots[-1].append(number)
    shots.sort(key=lambda shot: sum(rates[number] for number in shot) / len(shot))
    return [number for shot in shots for number in shot]


def choose(sizes: List[int], length: int, wanted: int, seed: str) -> Optional[List[Stratum]]:
    """wanted stretches of a video whose frames take these bytes; None if it is too short for that."""
    count = len(sizes) // length
    strata = wanted // _EACH
    if count < 2 * wanted:
        return None
    ends = [number * len(sizes) // count for number in range(count + 1)]
    inside = list(zip(ends, ends[1:]))
    stretches = [inside[number] for number in by_shots([sum(sizes[first:end]) / (end - first) for first, end in inside])]
    chance = random.Random(seed)
    found = []
    for number in range(strata):
        alike = stretches[number * count // strata:(number + 1) * count // strata]
        found.append(Stratum(len(alike), sorted(chance.sample(alike, _EACH))))
    return found


def estimate(strata: List[Stratum], scores: List[List[float]]) -> Tuple[float, float]:
    """The mean of the whole, and half of its 95 % interval, from the means of the chosen stretches of each stratum."""
    total = sum(stratum.total for stratum in strata)
    mean, variance, weights = 0.0, 0.0, 0.0
    for stratum, values in zip(strata, scores):
        weight, count = stratum.total / total, len(values)
        middle = sum(values) / count
        mean += weight * middle
        spread = sum((value - middle)**2 for value in values) / (count - 1)
        part = weight**2 * (1 - count / stratum.total) * spread / count
        variance += part
        weights += part**2 / (count - 1)
    return mean, _student(variance**2 / weights if weights > 0 else math.inf) * math.sqrt(variance)


def _student(freedom: float) -> float:
    """Between two degrees the logarithm is nearly a straight line over one divided by them."""
    below = int(min(max(freedom, 1.0), len(_STUDENT) - 1))
    share = min(max((1 / below - 1 / freedom) * below * (below + 1), 0.0), 1.0)
    return float(_STUDENT[below - 1]**(1 - share) * _STUDENT[below]**share)
