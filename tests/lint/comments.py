#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Comments can be read alone, as in a tooltip, and so can sentences of the documentation. Two rules:

- the first word is the subject: it is not Of, Those, The same, Theirs or Such;
- a result is a sentence, "Returns false if ...", never "False: ...".

KNOWN has the number of places that are left, by folder. It may only fall: a folder with more of them fails, and one
with fewer is named, so that its number is lowered.

    tests/lint/comments.py [--root DIR]

Prints one line per fault; exits 1 if there is any.
"""
import argparse
import io
import re
import sys
import tokenize
from pathlib import Path

sys.dont_write_bytecode = True
import docs  # noqa: E402

FOLDERS = ("src", "include", "tools", "python", "libavfilter_patch", "examples", "bench", "tests", "vf_vmaf_gpu.c")
KNOWN = {
    "src/engine/pairing": 32,
}
C_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|' r"'(?:\\.|[^'\\\n])*'|" r"//[^\n]*|/\*.*?\*/", re.S)
NO_SUBJECT = re.compile(r"(?:of|those|the same|theirs|such)\b", re.I)
NO_SENTENCE = re.compile(r"(?:^|[.;:] )(?:true|false): ", re.I)


def of_c(text):
    """(line, text, whether it has its lines to itself) of each comment; a line of // for itself."""
    for match in C_COMMENT.finditer(text):
        if match[0].startswith("/"):
            before = text[text.rfind("\n", 0, match.start()) + 1:match.start()]
            body = re.sub(r"\s*\n\s*\*?\s?", " ", re.sub(r"^/[/*][/*!]?<?|\*/$", "", match[0]))
            yield text.count("\n", 0, match.start()) + 1, body.strip(), match[0].startswith("//") and not before.strip()


def of_python(text):
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("#! "), token.line.lstrip().startswith("#")
        elif token.type == tokenize.STRING and token.line.lstrip().startswith(('"""', 'r"""')):
            yield token.start[0], " ".join(token.string.strip('r"').split()), False


def comments(path):
    """(line, text); lines of // or # that follow each other are one."""
    start, last, words = 0, -1, ""
    text = path.read_text(encoding="utf-8", errors="replace")
    for line, body, is_own in of_python(text) if path.suffix == ".py" else of_c(text):
        if is_own and line == last + 1:
            words += " " + body
        else:
            if words:
                yield start, words
            start, words = line, body
        last = line if is_own else -1
    if words:
        yield start, words


def sentences(path):
    """(line, text) of each sentence of a page, which has the line where its paragraph begins. A cell of a table, which
    has no capital letter, is read beside others."""
    for line, text, is_code in docs.blocks(path.read_text(encoding="utf-8")):
        if not is_code and not text[:1].islower():
            for sentence in re.split(r"(?<=[.!?])\s+", re.sub(r"^(?:[-*]|\d+\.) ", "", text)):
                yield line, sentence


def pages(root):
    """History is kept as it was written."""
    yield from sorted(root.glob("*.md"))
    yield from (page for page in sorted((root / "docs").rglob("*.md")) if "history" not in page.parts)


def sources(root):
    for name in FOLDERS:
        path = root / name
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (file for file in files if file.suffix in (".c", ".cpp", ".h", ".py") and file.is_file())


def folder_of(name):
    """Rooms of the engine, and folders of the features, count for themselves."""
    parts = name.split("/")[:-1]
    return "/".join(parts[:4 if parts[:3] == ["src", "engine", "features"] else 3])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    root = parser.parse_args().root.resolve()
    found, count = {}, 0
    for path in [*sources(root), *pages(root)]:
        name = path.relative_to(root).as_posix()
        for line, text in sentences(path) if path.suffix == ".md" else comments(path):
            count += 1
            if NO_SUBJECT.match(text) or NO_SENTENCE.search(text):
                found.setdefault(folder_of(name), []).append(f"{name}:{line}: {text[:70]}")
    faults = 0
    for folder in sorted({*found, *KNOWN}):
        places, known = found.get(folder, []), KNOWN.get(folder, 0)
        if len(places) > known:
            faults += 1
            print(f"{folder}: {len(places)} places without a subject or a sentence, where {known} were known:")
            print("\n".join(places))
        elif len(places) < known:
            print(f"{folder}: {len(places)} places are left, so {known} can be lowered")
    if count == 0:
        print("nothing was found")
    print(f"comments: {count} comments and sentences, {sum(KNOWN.values())} known places, {faults} faults")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
