# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The search itself, on whole numbers: notch 0 is the best quality of an encoder, and each further one takes fewer bytes.

Scores fall from notch to notch, as far as is known. The answer is the last notch that reaches the target, and the next
one was measured, too, or there is none.
"""
import math
from typing import Callable, Dict, NamedTuple, Optional

_PATIENCE = 9  # trials of one target, after which the bracket is halved: sooner took more


class Bracket(NamedTuple):
    """low is the last notch that reaches the target, high the first one behind it that misses it."""

    low: int  # -1: none so far
    high: int  # count: none so far

    @property
    def is_closed(self) -> bool:
        return self.high - self.low == 1


def bracket(points: Dict[int, float], target: float, count: int) -> Bracket:
    """What is known of notches 0 to count - 1."""
    low = max((notch for notch, score in points.items() if score >= target), default=-1)
    high = min((notch for notch, score in points.items() if notch > low and score < target), default=count)
    return Bracket(low, high)


def _height(score: float, ceiling: Optional[float]) -> float:
    """The root of what a score lacks is nearly a straight line over the notches; so are scores without a best one."""
    return -score if ceiling is None else math.sqrt(max(0.0, ceiling - score))


def _crossing(points: Dict[int, float], target: float, count: int, ceiling: Optional[float],
              found: Bracket) -> Optional[float]:
    """The value at which a line through two points reaches the target; None if that says nothing."""
    heights = {float(notch): _height(score, ceiling) for notch, score in points.items()}
    if ceiling is not None and len(points) == 1:
        heights[0.2 * count if 0.2 * count < min(points) else -1.0] = 0.0  # there, most encoders have lost nothing
    inside = [float(notch) for notch in (found.low, found.high) if notch in points]
    outside = sorted((notch for notch in heights if notch not in inside), key=lambda notch: abs(notch - inside[0]))
    nearest = sorted((inside + outside)[:2])
    if len(nearest) < 2:
        return None
    rise = (heights[nearest[1]] - heights[nearest[0]]) / (nearest[1] - nearest[0])
    return nearest[0] + (_height(target, ceiling) - heights[nearest[0]]) / rise if rise > 0 else None


def next_notch(points: Dict[int, float], target: float, count: int, guess: int, ceiling: Optional[float],
               tries: int = 0) -> Optional[int]:
    """What to measure next; None if the answer is known."""
    found = bracket(points, target, count)
    if found.is_closed:
        return None
    if not points:
        return min(max(guess, 0), count - 1)
    where = _crossing(points, target, count, ceiling, found) if tries < _PATIENCE else None
    wanted = (found.low + found.high) // 2 if where is None else math.floor(min(max(where, -1.0), float(count)))
    return min(max(wanted, found.low + 1), found.high - 1)


def search(measure: Callable[[int], float], points: Dict[int, float], target: float, count: int, guess: int,
           ceiling: Optional[float]) -> Bracket:
    """Measures until the bracket is closed. points: what is known already, and is filled."""
    tries = 0
    while True:
        notch = next_notch(points, target, count, guess, ceiling, tries)
        if notch is None:
            return bracket(points, target, count)
        points[notch] = measure(notch)
        tries += 1
