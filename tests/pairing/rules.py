# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Pair lists that follow from times alone: `framesync`, `index` and `time`.

Each rule gets two Decoded inputs and returns a list with one entry per line of the trace: (main,
reference), reference None for a frame without partner. Written from the documented behaviour,
not from the filter; no picture is looked at here.
"""
from fractions import Fraction
from math import floor, gcd

MICRO = Fraction(1, 1000000)
TOLERANCE = Fraction(55, 100)
TOGETHER = Fraction(95, 100)


def index(main, reference):
    count = len(reference.numbers)
    return [(n, n if n < count else None) for n in range(len(main.numbers))]


# ------------------------------------------------------------------ framesync

def _common_base(a, b):
    """FFmpeg's framesync counts in a common time base, or in microseconds if that is too fine."""
    multiple = a.denominator // gcd(a.denominator, b.denominator) * b.denominator
    if multiple < 500000:
        return Fraction(gcd(a.numerator, b.numerator), multiple)
    return MICRO


def _round(value):
    """To the nearest integer, halves away from zero, as FFmpeg rescales times."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def framesync(main, reference):
    """The last reference frame at or before each main frame. When main has ended, what is left
    of the reference meets main's last frame (documented as repeating the last frame)."""
    base = _common_base(main.time_base, reference.time_base)
    ours = [_round(p * main.time_base / base) for p in main.pts]
    theirs = [_round(p * reference.time_base / base) for p in reference.pts]
    pairs, used = [], None
    for n, time in enumerate(ours):
        following = 0 if used is None else used + 1
        while following < len(theirs) and theirs[following] <= time:
            used, following = following, following + 1
            if theirs[used] == time:
                break  # both advance to this time at once; what lies behind was not read yet
        pairs.append((n, used))
    rest = range(0 if used is None else used + 1, len(theirs))
    return pairs + [(len(ours) - 1, m) for m in rest]


# ------------------------------------------------------------------ time

def intervals(times, rate):
    """Interval at each frame: to the next one; the last frame's is that before it."""
    if len(times) < 2:
        return [1 / rate if rate else Fraction(1, 25)] * len(times)
    steps = [b - a for a, b in zip(times, times[1:])]
    return steps + steps[-1:]


def beginning(ours, theirs, our_step, their_step):
    """(shift, whether both begin together)."""
    distance = ours - theirs
    step = min(our_step, their_step)
    if abs(distance) < TOGETHER * step:
        return distance, True
    if abs(our_step - their_step) > step / 50:
        return Fraction(0), False
    return distance - _round(distance / step) * step, False


def time(main, reference):
    """Section 2 of the rule, without pictures. A reference of one picture is held for all."""
    ours, theirs = main.times, reference.times
    our_steps, their_steps = intervals(ours, main.rate), intervals(theirs, reference.rate)
    shift, _ = beginning(ours[0], theirs[0], our_steps[0], their_steps[0])
    pairs, used = [], None
    end = theirs[-1] + their_steps[-1]
    for n, moment in enumerate(ours):
        at = moment - shift
        best = used
        while True:
            following = 0 if best is None else best + 1
            if following >= len(theirs):
                break
            step = min(our_steps[n], their_steps[best or 0])
            if theirs[following] > at + TOLERANCE * step:
                break
            best = following
        gone = best == len(theirs) - 1 > 0 and at >= end - TOLERANCE * min(our_steps[n], their_steps[-1])
        pairs.append((n, None if gone else best))
        used = best if not gone else used
    return pairs


def nanoseconds(value):
    return _round(value * 10**9)


def distances(main, reference, lines):
    """What the log must say of `time` if both inputs begin together, in nanoseconds: the offset of
    the beginning, the median and the largest distance of the pairs. None if they do not."""
    ours, theirs = main.times, reference.times
    shift, together = beginning(ours[0], theirs[0], intervals(ours, main.rate)[0],
                                intervals(theirs, reference.rate)[0])
    if not together:
        return None
    start = nanoseconds(ours[0]) - nanoseconds(theirs[0])
    apart = sorted(abs(nanoseconds(ours[n]) - start - nanoseconds(theirs[m]))
                   for n, m in lines if m is not None)
    return {"start_offset": start, "shift": start, "distance_median": apart[len(apart) // 2],
            "distance_largest": apart[-1]}


RULES = {"index": index, "framesync": framesync, "time": time}
