# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What is right: the definition of a perfect list, the list that `pair=auto` must give, and the
counts that follow from a list. All of it comes from numbers of pictures, nothing from the filter.

A list has one entry per line of the trace: (main, reference), reference None for a frame without
partner.
"""
from dataclasses import dataclass

ANY = "any"


@dataclass(frozen=True)
class Verdict:
    perfect: bool
    right: int
    wrong: int
    missed: int


def is_copy(numbers, n):
    """Main repeats the picture of the frame before."""
    return n > 0 and numbers[n] == numbers[n - 1]


def partners(main, reference):
    """For each main frame the places of its picture in the reference, or ANY if it is a copy."""
    places = {}
    for m, number in enumerate(reference):
        places.setdefault(number, set()).add(m)
    return [ANY if is_copy(main, n) else places.get(number, set())
            for n, number in enumerate(main)]


def judge(lines, main, reference):
    """`main`, `reference`: numbers of the frames in their order."""
    wanted = partners(main, reference)
    met = [[] for _ in main]
    right = wrong = missed = 0
    for n, m in lines:
        met[n].append(m)
        if m is None:
            missed += wanted[n] != ANY and bool(wanted[n])
        elif main[n] == reference[m]:
            right += 1
        else:
            wrong += wanted[n] != ANY
    perfect = all(want == ANY or not want or (got and set(got) <= want)
                  for want, got in zip(wanted, met))
    missed += sum(1 for want, got in zip(wanted, met) if want != ANY and want and not got)
    return Verdict(perfect, right, wrong, missed)


def expected(main, reference, lonely):
    """What auto must give: for each main frame the set of allowed references, or ANY. `lonely`:
    "held" if a main frame between pairs, whose picture the reference lacks, meets the frame
    before, or the one behind where the pictures say so."""
    wanted = partners(main, reference)
    paired = [n for n, want in enumerate(wanted) if want]
    result = []
    for n, want in enumerate(wanted):
        if want:
            result.append(want)
        elif lonely == "held" and paired and n > paired[0]:
            before = sum(number <= main[n] for number in reference) - 1
            result.append({before, before + 1})
        else:
            result.append({None})
    return result


def deviations(lines, wanted):
    """Texts for the entries that are not as expected; empty if all are."""
    faults = []
    if [n for n, _ in lines] != list(range(len(wanted))):
        faults.append(f"{len(lines)} lines, not one for each of {len(wanted)} main frames in order")
        return faults
    last = -1
    for (n, m), want in zip(lines, wanted):
        if m is not None:
            if m < last:
                faults.append(f"main {n} meets reference {m} after {last}")
            last = m
        if want == ANY and m is None:
            faults.append(f"main {n}, a copy of the picture before, has no partner")
        if want != ANY and m not in want:
            faults.append(f"main {n} meets {m} instead of {'/'.join(map(str, sorted(want, key=str)))}")
    return faults


def difference(lines, other):
    """Text for the first entry in which two lists differ, or None."""
    for k in range(max(len(lines), len(other))):
        a = lines[k] if k < len(lines) else "nothing"
        b = other[k] if k < len(other) else "nothing"
        if a != b:
            return f"line {k}: {a} instead of {b}"
    return None


def _parts(total, used):
    """Begin, middle and end of what was not used of `total` frames."""
    if not used:
        return {"begin": total, "middle": 0, "end": 0}
    first, last = min(used), max(used)
    return {"begin": first, "middle": last - first + 1 - len(used), "end": total - 1 - last}


def counts(lines, main_frames, reference_frames):
    """The counts of the log that follow from a list, flattened: unpaired_main.begin ..."""
    paired = [(n, m) for n, m in lines if m is not None]
    main_used, reference_used = {n for n, _ in paired}, {m for _, m in paired}
    result = {
        "main_frames": main_frames,
        "reference_frames": reference_frames,
        "pairs": len(paired),
        "repeated_main": len(paired) - len(main_used),
        "repeated_reference": len(paired) - len(reference_used),
        "by_number": sum(n == m for n, m in paired),
    }
    for side, total, used in (("main", main_frames, main_used),
                              ("reference", reference_frames, reference_used)):
        for part, value in _parts(total, used).items():
            result[f"unpaired_{side}.{part}"] = value
    return result


def fails_strict(log, counts):
    """Whether strict=1 must fail: a frame is unpaired or repeated, the beginning is undecided, or a
    frame lacked a time of its own."""
    return (log["start"] == "undecided" or
            any(counts[key] for key in counts if key.startswith(("unpaired", "repeated"))) or
            any(log[f"{kind}.{side}"] for kind in ("without_time", "backward_time")
                for side in ("main", "reference")))


def broken_identities(log):
    """Texts for the identities of the counts that a log's own figures break."""
    unpaired = {side: sum(log[f"unpaired_{side}.{part}"] for part in ("begin", "middle", "end"))
                for side in ("main", "reference")}
    faults = []
    if log["main_frames"] != log["pairs"] - log["repeated_main"] + unpaired["main"]:
        faults.append("main_frames is not pairs - repeated_main + unpaired_main")
    if log["reference_frames"] != log["pairs"] - log["repeated_reference"] + unpaired["reference"]:
        faults.append("reference_frames is not pairs - repeated_reference + unpaired_reference")
    return faults
