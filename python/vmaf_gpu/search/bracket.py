# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The search itself, on whole numbers: notch 0 is the best quality of an encoder, and each further one takes fewer bytes.

Values fall from notch to notch, as far as is known. The answer is the last notch that reaches all aims, and the next
one was measured, too, or there is none.
"""
import math
from typing import Callable, Dict, NamedTuple, Optional, Sequence

_PATIENCE = 9  # trials of one target, after which the bracket is halved: sooner took more

Values = Sequence[float]  # one notch has a value for each aim


class Aim(NamedTuple):
    """What one value has to reach."""

    least: float
    ceiling: Optional[float]  # the value of equal pictures; None: there is none
    fall: float = 0.0  # from notch to notch, as far as is known before two are measured; 0: nothing is known


class Bracket(NamedTuple):
    """low is the last notch that reaches the aims, high the first one behind it that misses one."""

    low: int  # -1: none so far
    high: int  # count: none so far

    @property
    def is_closed(self) -> bool:
        return self.high - self.low == 1


def is_reached(values: Values, aims: Sequence[Aim]) -> bool:
    return all(value >= aim.least for value, aim in zip(values, aims))


def bracket(points: Dict[int, Values], aims: Sequence[Aim], count: int) -> Bracket:
    """What is known of notches 0 to count - 1."""
    low = max((notch for notch, values in points.items() if is_reached(values, aims)), default=-1)
    high = min((notch for notch, values in points.items() if notch > low and not is_reached(values, aims)), default=count)
    return Bracket(low, high)


def _height(value: float, ceiling: Optional[float]) -> float:
    """The root of what a score lacks is nearly a straight line over the notches; so are values without a best one."""
    return -value if ceiling is None else math.sqrt(max(0.0, ceiling - value))


def _heights(points: Dict[int, float], aim: Aim, count: int) -> Dict[float, float]:
    """The points have one each; beside a single point another one is supposed."""
    heights = {float(notch): _height(value, aim.ceiling) for notch, value in points.items() if math.isfinite(value)}
    if aim.ceiling is not None and len(points) == 1:
        heights[0.2 * count if 0.2 * count < min(points) else -1.0] = 0.0  # there, most encoders have lost nothing
    if aim.fall and len(points) == 1:
        heights.update({notch + 1: height + aim.fall for notch, height in heights.items()})
    return heights


def _crossing(heights: Dict[float, float], aim: Aim, found: Bracket) -> Optional[float]:
    """The value at which a line through two points reaches the aim; None if that says nothing."""
    inside = [float(notch) for notch in (found.low, found.high) if notch in heights]
    if len(heights) < 2 or not inside:
        return None
    outside = sorted((notch for notch in heights if notch not in inside), key=lambda notch: abs(notch - inside[0]))
    nearest = sorted((inside + outside)[:2])
    rise = (heights[nearest[1]] - heights[nearest[0]]) / (nearest[1] - nearest[0])
    return nearest[0] + (_height(aim.least, aim.ceiling) - heights[nearest[0]]) / rise if rise > 0 else None


def next_notch(points: Dict[int, Values], aims: Sequence[Aim], count: int, guess: int, tries: int = 0) -> Optional[int]:
    """What to measure next; None if the answer is known."""
    found = bracket(points, aims, count)
    if found.is_closed:
        return None
    if not points:
        return min(max(guess, 0), count - 1)
    crossings = [_crossing(_heights({notch: values[at] for notch, values in points.items()}, aim, count), aim, found)
                 for at, aim in enumerate(aims)] if tries < _PATIENCE else []
    where = min((one for one in crossings if one is not None), default=None)  # the first aim that is missed decides
    wanted = (found.low + found.high) // 2 if where is None else math.floor(min(max(where, -1.0), float(count)))
    return min(max(wanted, found.low + 1), found.high - 1)


def search(measure: Callable[[int], Values], points: Dict[int, Values], aims: Sequence[Aim], count: int,
           guess: int) -> Bracket:
    """Measures until the bracket is closed. points: what is known already, and is filled."""
    tries = 0
    while True:
        notch = next_notch(points, aims, count, guess, tries)
        if notch is None:
            return bracket(points, aims, count)
        points[notch] = measure(notch)
        tries += 1
