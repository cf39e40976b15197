# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Which of several answers is the best, and what is said of it."""
import math
from typing import Any, Dict, List, Optional, Sequence, Tuple

from vmaf_gpu.batch.errors import DONE, counted
from vmaf_gpu.search.finder import SIZE, TARGET, Search
from vmaf_gpu.search.goals import Goal

NOT_REACHED = 3
TOO_LARGE = 4
_STATUS = {None: DONE, TARGET: NOT_REACHED, SIZE: TOO_LARGE}


def status_of(answers: Sequence[Dict[str, Any]]) -> int:
    """That of the first answer that fails."""
    return next((_STATUS[answer["fails"]] for answer in answers if answer["fails"]), DONE)


def best(searches: Sequence[Search], goals: Sequence[Goal], limit: Optional[int]) -> Dict[str, Any]:
    """The size of the picture with the fewest bytes if scores are asked for, else the best score; if all fail, what fails less."""
    found = [search.answer(goals, limit) for search in searches]
    least = min(map(_rank, found))
    equal = [answer for answer in found if _rank(answer) == least]
    is_small = not equal[0]["fits"] or (goals and equal[0]["fails"] is None)
    chosen = min(equal, key=lambda one: (0.0 if is_small else -_number(one["score"]), one["bytes"]))
    return {**chosen, "trials": sum(answer["trials"] for answer in found)}


def _rank(answer: Dict[str, Any]) -> Tuple[bool, bool, bool]:
    """The less the better: nothing fails; it fits; only the size fails."""
    return answer["fails"] is not None, not answer["fits"], answer["fails"] == TARGET


def _number(score: Optional[float]) -> float:
    return math.inf if score is None else score


def _asked(goals: Sequence[Goal]) -> str:
    """The goals in words, as they were given."""
    words = [f"{goal.least:.10g}" if goal.is_bare else f"{goal.name} {goal.least:.10g}" for goal in goals]
    return f"target {words[0]} is" if len(words) == 1 else f"targets {', '.join(words[:-1])} and {words[-1]} are"


def _table(answer: Dict[str, Any]) -> List[str]:
    """One line for each score that was asked for."""
    width = max(len(goal["name"]) for goal in answer["targets"])
    return [f"    {goal['name']:{width}}  {_number(goal['score']):9.3f}  target {goal['target']:.10g}"
            f"{'' if goal['is_reached'] else ', missed'}" for goal in answer["targets"]]


def _sentence(answer: Dict[str, Any], goals: Sequence[Goal], room: str, told: str) -> str:
    """told: the value, its scores and its bytes."""
    if answer["fails"] is None:
        return f"{_asked(goals)} reached by {told}" if goals else f"the best that fits in {room} is {told}"
    if answer["fails"] == TARGET and answer["fits"]:
        return f"{_asked(goals)} not reached; the best{f' that fits in {room}' if room else ''} is {told}"
    at = f"at {answer['percent']:.1f} % of the source{'' if answer['fits'] else ', the fewest bytes,'} the score is " \
         f"{_number(answer['score']):.3f}, by {told}"
    if answer["fails"] == TARGET:
        return f"{_asked(goals)} not reached, and no value fits in {room}: {at}"
    large = answer["too_large"]
    more = f"; {large['text']} has {large['percent']:.1f} %" if large and answer["fits"] else ""
    return f"{f'{_asked(goals)} not reachable in {room}' if goals else f'{room} is not reachable'}: {at}{more}"


def text_of(answer: Dict[str, Any], goals: Sequence[Goal], room: str) -> str:
    """All that is printed of an answer. room: the limit of bytes in words, or ""."""
    size = f"{answer['scale']}, " if answer["scale"] else ""
    how = "as the samples say, " if answer["is_estimate"] else ""
    told = f"{size}{answer['text']}, {how}{answer['bytes']} bytes ({answer['percent']:.1f} % of the source)"
    table = _table(answer) if len(goals) > 1 else []
    lost = [f"not in it: {', '.join(answer['missing'])}"] if answer["missing"] else []
    return "\n".join([f"{_sentence(answer, goals, room, told)}; {counted(answer['trials'], 'trial')}", *table, answer["command"], *lost])
