# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The commands of README.md's quick start: text only, nothing is run here. Used by test_readme.py
and, as a program, by tests/filter/demo.sh.

    readme.py BLOCK    prints the commands of a block, one a line
"""
import pathlib
import re
import sys

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
BLOCKS = ("Quick start", "NVIDIA", "AMD", "CPU")


def commands(block):
    """Returns the commands between this heading and the next, without comments, continued lines joined."""
    text = README.read_text(encoding="utf-8")
    section = re.search(rf"^#+ {re.escape(block)}\n(.*?)(?=^#)", text, re.M | re.S)
    if section is None:
        sys.exit(f"README.md has no heading {block}")
    code = "\n".join(line.strip() for line in section[1].splitlines() if re.match(r" {4}", line))
    code = re.sub(r"\s*\\\n\s*", " ", code)
    found = [re.sub(r"\s+#.*", "", line) for line in code.splitlines() if line]
    if not found:
        sys.exit(f"README.md's {block} has no command")
    return found


if __name__ == "__main__":
    print("\n".join(commands(sys.argv[1])))
