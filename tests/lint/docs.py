#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""README.md, CONTRIBUTING.md and the pages of docs/ against the tree, and against the reader:

- docs/develop/architecture.md names all rooms of src/engine, each on its floor;
- a link leads to a file, and to a heading of it;
- docs/README.md, the index, leads to every page, and README.md to the index;
- every environment variable that the library reads is in a page; one that the emulator, a test or a
  script reads may be in a comment of a file in the folder of the one that reads it;
- no sentence and no table cell has more than 45 words, and README.md no more than 100 lines;
- all pages together have at most 35,000 words;
- the revision of libvmaf is written in one way.

docs/history/ is kept as it was written: of it only the links are checked.

commands.py checks the files and commands that they name.

    tests/lint/docs.py [--root DIR]

Prints one line per fault; exits 1 if there is any.
"""
import argparse
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import includes  # noqa: E402

MAX_WORDS = 45
MAX_README = 100
MAX_ALL_WORDS = 35000
LIBVMAF = "libvmaf 3.2.0 + 13 commits (f85a8536)"
# Set by the system or by other programs; each is explained where it is used.
FOREIGN = {"PATH", "HOME", "OLDPWD", "CC", "CXX", "PKG_CONFIG_PATH", "VERSION_CODENAME",
           "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "DEBIAN_FRONTEND", "LD_LIBRARY_PATH", "SUDO_UID", "SUDO_GID"}
GETENV = re.compile(r'(?:getenv\(|environ\.get\(|environ\[|number_from\(|setting\()"([A-Z][A-Z0-9_]+)"')
DEFAULTED = re.compile(r"\$\{([A-Z][A-Z0-9_]+):?[-=?+]")


def anchor(heading):
    """Returns the anchor that GitHub makes of a heading."""
    text = re.sub(r"[`*]", "", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def blocks(text):
    """(line, text, is_code) of each piece: fenced and indented code, paragraphs, list items,
    table cells."""
    lines = text.split("\n")
    piece, start, fence, after_blank, in_list = [], 0, None, True, False

    def flush():
        nonlocal piece
        done, piece = piece, []
        return [(start, " ".join(done), False)] if done else []

    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if stripped.startswith("```"):
            yield from flush()
            fence = None if fence else stripped
        elif fence:
            yield number, line, True
        elif not stripped:
            yield from flush()
            after_blank = True
            continue
        elif line.startswith("        " if in_list else "    ") and (after_blank or not piece):
            yield from flush()
            yield number, stripped, True
            continue
        elif stripped.startswith("|"):
            yield from flush()
            for cell in re.split(r"(?<!\\)\|", stripped)[1:-1]:
                yield number, cell.strip(), False
        elif re.match(r"(#|[-*] |\d+\. )", stripped):
            yield from flush()
            piece, start = [stripped], number
        else:
            if not piece:
                start = number
            piece.append(stripped)
        if not line.startswith(" "):
            in_list = bool(re.match(r"([-*] |\d+\. )", stripped))
        after_blank = False
    yield from flush()


def comments(text):
    """The lines with comments, and the text that a Python file begins with."""
    found = re.findall(r"^\s*(?:#|//|/?\*).*|///?<.*", text, re.M)
    return "\n".join(found + re.findall(r'^"""[^"]*"""', text, re.M))


def sentences(text):
    text = re.sub(r"`[^`]*`", "x", text)  # a name or a command counts as one word
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.split(r"(?<=[.!?])\s+", text)


class Docs:
    def __init__(self, root):
        self.root = root
        self.faults = []
        self.history = sorted((root / "docs/history").glob("*.md"))
        self.pages = [root / "README.md", root / "CONTRIBUTING.md", root / "docs/README.md",
                      *sorted(set((root / "docs").rglob("*.md")) - {root / "docs/README.md", *self.history})]
        self.links = {}  # for each page the pages that it leads to

    def fault(self, path, line, text):
        self.faults.append(f"{path.relative_to(self.root)}:{line}: {text}")

    def check_folders(self):
        page = self.root / "docs/develop/architecture.md"
        table = page.read_text(encoding="utf-8").partition("| floor | room | holds |")[2].partition("\n\n")[0]
        floors = []
        for number, rooms in re.findall(r"^\| (\d*) ?\| ([^|]*) \|", table, re.M):
            if number:
                floors.append(set())
            floors[-1].update(re.findall(r"`(\w+)/`", rooms))
        there = {path.name for path in (self.root / "src/engine").iterdir() if path.is_dir()}
        if floors != includes.FLOORS or set().union(*floors) != there:
            self.fault(page, 1, "the rooms of src/engine and their floors are not those of tests/lint/includes.py")

    def check_link(self, page, line, target):
        if re.match(r"[a-z]+:", target):
            return
        name, _, fragment = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        self.links.setdefault(page.resolve(), set()).add(path)
        if not path.exists():
            self.fault(page, line, f"a link leads to no file: {target}")
        elif fragment and path.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.M)
            if fragment not in map(anchor, headings):
                self.fault(page, line, f"a link leads to no heading: {target}")

    def check_page(self, page):
        for line, text, is_code in blocks(page.read_text(encoding="utf-8")):
            if is_code:
                continue
            for target in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'\bsrc(?:set)?="([^"]+)"', text):
                self.check_link(page, line, target)
            if page in self.history:
                continue
            if "f85a8536" in text.replace(LIBVMAF, ""):
                self.fault(page, line, f"the revision of libvmaf is not written as {LIBVMAF}")
            for sentence in sentences(text):
                words = len(re.findall(r"\S*\w\S*", sentence))
                if words > MAX_WORDS:
                    self.fault(page, line, f"{words} words in one sentence: {sentence[:60]}...")

    def check_length(self):
        length = len(self.pages[0].read_text(encoding="utf-8").splitlines())
        if length > MAX_README:
            self.fault(self.pages[0], length, f"more than {MAX_README} lines: the rest belongs in docs/")

        words = sum(len(page.read_text(encoding="utf-8").split()) for page in self.pages
                    if page.name != "CONTRIBUTING.md")
        if words > MAX_ALL_WORDS:
            self.fault(self.root / "docs", 1, f"{words} words, more than {MAX_ALL_WORDS}: what was "
                                              "measured or tried on a day belongs in docs/history/")

    def check_index(self):
        """Checks the pages together, after check_page() of each."""
        readme, index = self.root / "README.md", self.root / "docs/README.md"
        if index not in self.links.get(readme, ()):
            self.fault(readme, 1, "no link leads to docs/README.md")
        for page in self.pages + self.history:
            if page.is_relative_to(index.parent) and page not in self.links.get(index, ()) | {index}:
                self.fault(page, 1, "docs/README.md does not lead to it")

    def check_environment(self):
        documented = "\n".join(p.read_text(encoding="utf-8") for p in self.pages)
        readers, said = {}, {}
        for folder in ("src", "tests", "tools", "bench", "scripts"):
            for path in sorted((self.root / folder).rglob("*")):
                if not path.is_file() or "corpus" in path.parts or path.suffix in {".md", ".pyc"}:
                    continue
                text = path.read_text(encoding="utf-8", errors="replace")
                said[path.parent] = said.get(path.parent, "") + comments(text)
                pattern = GETENV if path.suffix in {".c", ".cpp", ".h", ".py"} else DEFAULTED
                for name in pattern.findall(text):
                    readers.setdefault(name, path)
        if len(readers) < 10:
            self.fault(self.root / "src", 0, "hardly any environment variable was found")
        for name, path in sorted(readers.items()):
            if name in FOREIGN or re.search(rf"`[^`]*\b{name}\b[^`]*`", documented):
                continue
            is_users = path.is_relative_to(self.root / "src") and path.parent.name != "emu"
            if is_users or not re.search(rf"\b{name}\b", said[path.parent]):
                self.fault(path, 1, f"reads {name}, which no page{'' if is_users else ' or comment there'} explains")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    docs = Docs(parser.parse_args().root.resolve())
    docs.check_folders()
    docs.check_environment()
    docs.check_length()
    for page in docs.pages + docs.history:
        docs.check_page(page)
    docs.check_index()
    for fault in docs.faults:
        print(fault)
    print(f"docs: {len(docs.pages) + len(docs.history)} pages, {len(docs.faults)} faults")
    return 1 if docs.faults else 0


if __name__ == "__main__":
    sys.exit(main())
