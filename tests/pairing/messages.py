# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What the filter says about pairs: a key for each message, and which keys follow from counts.

Messages are recognized by the words that carry their meaning, not by the whole text.
"""
import re

WARNINGS = {
    "by_pictures": r"by its times, but the (first )?pictures agree",
    "undecided": r"the pictures do not tell which are equal|no pictures were compared",
    "main_begins": r"main begins \d+ frames? before reference: th",
    "reference_begins": r"reference begins \d+ frames? before main: th",
    "main_middle": r"\d+ main frames? (have|has) no partner in reference",
    "reference_middle": r"\d+ reference frames? (have|has) no partner in main",
    "main_ends": r"main ends \d+ frames? .*before reference",
    "reference_ends": r"reference ends \d+ frames? .*before main",
    "repeated_main": r"repeat a main frame",
    "repeated_reference": r"\d+ pairs? reuses? (a|the only) reference frame",
    "elsewhere": r"the pictures of \d+ pairs agree with (those that come \d+ frames (earlier|later) in reference|others near theirs)",
    "unrelated": r"the pictures of \d+ pairs do not belong together",
    "by_number": r"the n-th pictures agree: paired by number",
    "corrections": r"times and pictures disagreed \d+ times",
    "not_by_number": r"pairs are not n-th with n-th",
    "no_time": r"\d+ frames? of (main|reference) (have|has) no time",
    "backward": r"\d+ frames? of (main|reference) (have|has) a time that is not after",
}
# What follows from these is information.
CAUSES = {"elsewhere", "unrelated"}
INFOS = {
    "summary": r"\d+ pairs of \d+ main and \d+ reference frames, \d+ repeated, \d+ unpaired",
    "aligned": r"main begins .* reference: aligned",
    "rates": r"frames per second: \d+ reference (frames are|frame is) not compared",
}


def keys(messages):
    """The keys of (level, text) of the filter. Warnings about something else than pairs have none;
    the log's count of warnings shows whether one about pairs was not recognized."""
    found = set()
    for level, text in messages:
        table = {"warning": WARNINGS, "info": INFOS}.get(level, {})
        found.update(key for key, pattern in table.items() if re.search(pattern, text))
    return found


def warnings(messages):
    """How many warnings are about pairs."""
    return sum(level == "warning" and any(re.search(pattern, text) for pattern in WARNINGS.values())
               for level, text in messages)


def says_rates(counts, main_rate, reference_rate):
    """Main is slower, which is why reference frames have no partner. A rate of 0 is unknown: since
    FFmpeg 7.1, setpts leaves none."""
    return counts["unpaired_reference.middle"] > 0 and 0 < main_rate < 0.9995 * reference_rate


def implied(counts, rule, main_rate, reference_rate):
    """The keys of warnings that follow from the counts."""
    result = set()
    for side, other in (("main", "reference"), ("reference", "main")):
        unpaired = {part: counts[f"unpaired_{side}.{part}"] for part in ("begin", "middle", "end")}
        if unpaired["begin"]:
            result.add(f"{side}_begins")
        # One frame of a slower main lasts as long as some of the reference. What pictures found to be missing on one
        # side is too much at the other's end.
        is_last = side == "reference" and 0 < main_rate * unpaired["end"] < reference_rate
        if unpaired["end"] and not is_last and not counts[f"unpaired_{other}.middle"]:
            result.add(f"{other}_ends")
        # A slower main passes reference frames over: no fault, and said as information.
        if unpaired["middle"] and not (side == "reference" and
                                       says_rates(counts, main_rate, reference_rate)):
            result.add(f"{side}_middle")
        if counts[f"repeated_{side}"]:
            result.add(f"repeated_{side}")
    return result


def possible(counts):
    """The keys of warnings that follow from the counts, unless pictures explain them."""
    return {f"{other}_ends" for side, other in (("main", "reference"), ("reference", "main"))
            if counts[f"unpaired_{side}.end"]}


def may_say_index(counts, rule):
    """Equal counts: the inputs may hold the same frames, unless pictures say otherwise."""
    return (rule != "framesync" and counts["main_frames"] == counts["reference_frames"] and
            counts["by_number"] < counts["pairs"])
