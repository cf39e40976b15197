# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The parity gate's report, as JSON for machines and Markdown for people."""
import json
import os


def describe(where):
    """Returns one line that says what differs, and where, as closely as that is known."""
    text = f"frame {where['frame']}, "
    if "member" in where:
        scale = "" if where["scale"] is None else f"scale {where['scale']}, "
        text += f"{scale}{where['member']} (stage: {where['stage']})"
    else:
        text += where["name"]
    text += f": reference {where['expected']}, got {where['got']}"
    found = where.get("bisected")
    if not found:
        return text
    if "error" in found:
        return f"{text}; bisecting failed: {found['error']}"
    if not found["differs"]:
        return (f"{text}; the Sums of this feature alone are equal: stage is the engine "
                "(upload, batches, order)")
    plane = found.get("plane")
    if plane:
        return (f"{text}; first wrong sample: frame {plane['frame']}, stage {plane['kernel']}, "
                f"{plane['picture']} plane for scale {plane['scale']}, row {plane['row']}, "
                f"pixel {plane['column']}: reference {plane['expected']}, got {plane['got']}")
    if not found["needs_content"]:
        return f"{text}; differs in grey pictures too: no row or pixel of its own"
    left, top, right, bottom = found["window"]
    return (f"{text}; row {top}{'' if bottom == top + 1 else f' to {bottom - 1}'}, "
            f"pixel {left}{'' if right == left + 1 else f' to {right - 1}'} "
            f"(all else made grey, {found['evaluations']} runs)")


def totals_of(outcomes):
    totals = {"equal": 0, "refused": 0, "failed": 0}
    for outcome in outcomes:
        totals[outcome["verdict"]] += 1
    return totals


def markdown(report):
    lines = ["# Parity report", "", f"vmaf_gpu {report['version']}, seed {report['seed']}, "
             f"{report['jobs']} jobs, {report['seconds']:.1f} s: "
             f"**{'passed' if report['passed'] else 'FAILED'}**", "",
             "| backend | what it is | equal | refused alike | failed |", "|---|---|---|---|---|"]
    for name, backend in report["backends"].items():
        totals = backend["totals"]
        lines.append(f"| {name} | {backend['selector']} | {totals['equal']} | "
                     f"{totals['refused']} | {totals['failed']} |")
    lines += ["", "Equal means: every integer of the Sums, and the bit pattern of every score, "
              "is that of the plain reference code."]
    for fault in report["faults"] + report["notes"]:
        lines.append(f"- {fault}")
    for name, backend in report["backends"].items():
        failed = [o for o in backend["outcomes"] if o["verdict"] == "failed"]
        if failed:
            lines += ["", f"## {name}", ""]
        for outcome in failed:
            detail = f": {describe(outcome['where'])}" if outcome["where"] else ""
            lines.append(f"- `{outcome['id']}`: {outcome['why']}{detail}")
    return "\n".join(lines) + "\n"


def write(report, folder):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "parity.json"), "w", encoding="utf-8") as file:
        json.dump(report, file, indent=1)
    with open(os.path.join(folder, "parity.md"), "w", encoding="utf-8") as file:
        file.write(markdown(report))
