#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The options of the filter are the same everywhere: names, defaults and the values of
options that take a word. Compares the filter's table with the manual for FFmpeg
(filters.texi), docs/user/filter.md, docs/user/migrating.md and the help of the tool vmaf_gpu.

    tests/lint/options.py [--root DIR] [--ffmpeg FFMPEG]

Without --ffmpeg the table is read from the source. With it, `-h filter=vmaf_gpu` of a
built ffmpeg is compared in place of it, and its backends with those of the engine. Prints
one line per fault; exits 1 if there is any.
"""
import argparse
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

FRAMESYNC = {"eof_action", "shortest", "repeatlast", "ts_sync_mode"}

# The tool's option for one of the filter, or None where the tool has no such thing: it
# has no frames that metadata could be attached to, no old names, and does
# not convert.
TOOL_OPTIONS = {
    "model": "model", "feature": "feature", "log_path": "output", "pool": "pool",
    "n_threads": "threads", "n_subsample": "subsample", "backend": "backend",
    "device": "device", "inflight": "ring", "metadata": None, "precision": "precision",
    "compat": "compat", "formats": None, "depth": None, "scale": "scale", "stats_file": None, "f": None,
    "pair": None, "offset": None, "offset_window": None, "strict": None, "fail_below": None, "csv": None,
    "title": "title", "overwrite": None, "chunk": "chunk", "shots": "shots",
}
# Options of the filter that have one switch for each value in the tool.
TOOL_SWITCHES = "log_fmt"
# What only the tool needs: its inputs, how it behaves, and a switch that has no value there. pair and
# offset have another default there: the n-th picture with the n-th.
TOOL_ONLY = {
    "reference", "distorted", "width", "height", "pixel_format", "bitdepth", "frame_cnt",
    "frame_skip_ref", "frame_skip_dist", "no_prediction", "overwrite", "quiet", "version",
    "list-devices", "help", "aom_ctc", "nflx_ctc", "cpumask", "gpumask", "no_thumbnails",
    "history", "chunk_first", "pair", "offset", "offset_window", "strict", "formats", "tags_ref",
    "tags_dist", "stream_ref", "stream_dist",
}


@dataclass
class Option:
    default: str = ""
    values: list = field(default_factory=list)
    is_old: bool = False  # deprecated or refused: its default is of no interest


class Unreadable(Exception):
    pass


def read(path):
    return path.read_text(encoding="utf-8")


# ---------------------------------------------------------------- the filter

def compared(options):
    """Returns the options without those of framesync, which FFmpeg's manual has elsewhere. A number is no word."""
    for option in options.values():
        if option.default.isdigit() and option.default not in option.values:
            option.values = []
    return {name: options[name] for name in options if name not in FRAMESYNC}


def filter_options_in_source(root):
    folder = root / "libavfilter_patch"
    table = re.search(r"ff_vmafgpu_options\[\] = \{\n(.*?)\n\};",
                      read(folder / "vf_vmaf_gpu_setup.c"), re.S).group(1)
    table = re.sub(r"^#.*\n", "", table, flags=re.M)
    table = re.sub(r"\n(?! {4}(?:[A-Z]+\(|\{))\s*", " ", table)  # an entry has one line or more
    named = {}  # constants of the option before, by their numbers
    options = {}
    for line in table.splitlines():
        entry = re.fullmatch(r'\s*(\w*)[({] ?"(\w[\w.]*)", (.*?) ?[)}],', line)
        if entry is None:
            if line.strip() != "{ NULL },":
                raise Unreadable(f"vf_vmaf_gpu_setup.c: cannot read '{line.strip()}'")
            continue
        kind, name, rest = entry.groups()
        arguments = [a.strip() for a in re.findall(r'(?:"(?:\\.|[^"\\])*"|[^,"])+', rest)]
        if kind == "CONSTANT":
            options[name].values.append(arguments[0].strip('"'))
            named[name, arguments[1]] = options[name].values[-1]
            continue
        if kind not in ("TEXT", "NUMBER", "SWITCH", "CHOICE", ""):
            raise Unreadable(f"vf_vmaf_gpu_setup.c: unknown macro {kind}")
        default = arguments[1] if kind else "NULL"
        default = "" if default == "NULL" else default.strip('"')
        is_old = not kind or "OLD" in arguments or "not supported" in arguments[-1]
        options[name] = Option("" if default == "-1" else default, is_old=is_old)
    for name, option in options.items():
        if option.values and option.default not in option.values:
            option.default = named.get((name, option.default), option.default)
    return compared(options)


def filter_options_of_program(ffmpeg):
    text = subprocess.run([ffmpeg, "-hide_banner", "-h", "filter=vmaf_gpu"], check=True,
                          capture_output=True, text=True).stdout
    part = re.search(r"^vmaf_gpu AVOptions:\n(.*?)\n\n", text, re.M | re.S)
    if part is None:
        raise Unreadable(f"{ffmpeg} has no filter vmaf_gpu")
    options = {}
    for line in part.group(1).splitlines():
        entry = re.fullmatch(r"   (\w+) +<(\w+)> +(\S+) (.*)", line)
        value = re.fullmatch(r"     (\S+) +(?:-?\d+ +)?[A-Z.]{8,} .*", line)
        if entry is not None:
            name, kind, flags, help_text = entry.groups()
            default = re.search(r" \(default (.*)\)$", help_text)
            default = default.group(1).strip('"') if default else ""
            default = "" if default == "-1" else default
            if kind == "boolean":
                default = {"true": "1", "false": "0", "auto": ""}[default]
            options[name] = Option(default,
                                   is_old=flags.endswith("P") or "not supported" in help_text)
        elif value is not None and options:
            options[list(options)[-1]].values.append(value.group(1))
        else:
            raise Unreadable(f"-h filter=vmaf_gpu: cannot read '{line}'")
    return compared(options)


def backends_of_engine(ffmpeg):
    """As the engine names them when none of them is meant."""
    graph = "nullsrc[a];nullsrc[b];[a][b]vmaf_gpu=backend=nonsense"
    text = subprocess.run([ffmpeg, "-hide_banner", "-nostdin", "-v", "error", "-lavfi", graph,
                           "-f", "null", "-"], capture_output=True, text=True, timeout=60,
                          check=False).stderr
    known = re.search(r"unknown backend 'nonsense' \(known:([^)]*)\)", text)
    if known is None:
        raise Unreadable(f"backend=nonsense does not name the backends: {text}")
    return known.group(1).split()


# ------------------------------------------------------------ what is written

def texinfo_options(text):
    options = {}
    current, depth = [], 0
    for line in text.splitlines():
        item = re.match(r"@item (.*)", line)
        default = re.search(r"Default value is @samp\{(.*)\}", line)
        if line.startswith("@table"):
            depth += 1
        elif line == "@end table":
            depth -= 1
        elif item is not None and depth == 1:
            current = item.group(1).split(", ")
            options.update((name, Option()) for name in current)
        elif item is not None:
            for name in current:
                options[name].values.append(item.group(1))
        elif default is not None:
            for name in current:
                options[name].default = default.group(1)
    return options


def table_rows(text, heading):
    """Cells of the rows of the Markdown table whose first heading begins like this."""
    table = re.search(rf"^\| {heading}.*\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.M)
    if table is None:
        raise Unreadable(f"no table '| {heading}'")
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
            for row in table.group(1).splitlines()]


def quoted(text):
    return re.findall(r"`([^`]+)`", text)


def guide_options(text):
    options = {}
    for names, default, _ in table_rows(text, r"option \| default"):
        for name in quoted(names):
            options[name] = Option("".join(quoted(default)))
    for name, value, _ in table_rows(text, r"option \| value"):
        options.setdefault(quoted(name)[0], Option()).values += quoted(value)
    return options


def migration_options(text):
    """No defaults: those of libvmaf and its filter are the same, or the text says so."""
    options = {}
    for names, meaning in table_rows(text, "option of `libvmaf`"):
        for name in quoted(names):
            options[name] = Option(values=quoted(meaning))
    own = re.search(r"^Only `vmaf_gpu` has these options.*?: (.*?)\.\n\n", text, re.M | re.S)
    if own is None:
        raise Unreadable("docs/user/migrating.md does not list the options of vmaf_gpu alone")
    options.update((name, Option()) for name in quoted(own.group(1)))
    return options


def tool_options(text):
    """{long option: its lines of help} of tools/options.c, and what the parser knows."""
    table = re.search(r"kOptions\[\] = \{\n(.*?)\n\};", text, re.S).group(1)
    parsed = set(re.findall(r'\{"([\w-]+)".* k(?:Score|Logs|All)\b', table))
    literals = "".join(re.findall(r"kHelp\w+\[\] =\n(.*?);\n\n", text, re.S))
    help_text = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', literals))
    help_text = help_text.replace("\\n", "\n").replace('\\"', '"')
    told = {}
    for entry in re.findall(r"^ {2,6}(?:-\w, )?--.*\n(?: {10,}.*\n)*", help_text, re.M):
        head = re.match(r"\s*(?:-\w, )?((?:--[\w-]+ ?)+)", entry).group(1)
        for name in re.findall(r"--([\w-]+)", head):
            told[name] = entry
    return told, parsed


# ---------------------------------------------------------------- comparisons

class Comparison:
    def __init__(self, options):
        self.options = options
        self.faults = []

    def fault(self, where, text):
        self.faults.append(f"{where}: {text}")

    def names(self, where, found):
        for name in sorted(set(self.options) - set(found)):
            self.fault(where, f"option {name} is missing")
        for name in sorted(set(found) - set(self.options)):
            self.fault(where, f"the filter has no option {name}")

    def values(self, where, name, found):
        wanted = self.options[name].values
        if sorted(wanted) != sorted(found):
            self.fault(where, f"values of {name} are {' '.join(found) or 'not listed'}; the "
                              f"filter has {' '.join(wanted) or 'no list'}")

    def default(self, where, name, found):
        option = self.options[name]
        if not option.is_old and found != option.default:
            self.fault(where, f"default of {name} is '{found}', in the filter "
                              f"'{option.default}'")

    def manual(self, where, found):
        self.names(where, found)
        for name in sorted(set(self.options) & set(found)):
            self.default(where, name, found[name].default)
            self.values(where, name, found[name].values)

    def migration(self, where, found):
        for name in FRAMESYNC - set(found):
            self.fault(where, f"option {name} is missing")
        self.names(where, set(found) - FRAMESYNC)
        for name in ("log_fmt", "pool"):
            if name in found:
                self.values(where, name, found[name].values)

    def tool_names(self, where, told, parsed):
        switches = set(self.options[TOOL_SWITCHES].values)
        mapped = {name for name in TOOL_OPTIONS.values() if name}
        for name in sorted(parsed - mapped - switches - TOOL_ONLY):
            self.fault(where, f"--{name} is not compared with the filter: see TOOL_OPTIONS")
        for name in sorted(parsed ^ set(told)):
            if name != "help":
                self.fault(where, f"--{name} is only in the "
                                  f"{'parser' if name in parsed else 'help'}")
        for name in sorted(mapped | switches):
            if name not in told:
                self.fault(where, f"--{name} is missing")

    def tool(self, where, told, parsed):
        self.tool_names(where, told, parsed)
        for name, option in self.options.items():
            if name not in TOOL_OPTIONS and name != TOOL_SWITCHES and not option.is_old:
                self.fault(where, f"option {name} of the filter has no entry in TOOL_OPTIONS")
                continue
            text = told.get(TOOL_OPTIONS.get(name), "")
            if name == TOOL_SWITCHES:
                text = told.get(option.values[0], "")
                self.values(where, name, re.findall(r"--(\w+)", text))
            if not text:
                continue
            for value in option.values:
                if not re.search(rf"(?<![\w.]){re.escape(value)}(?![\w.]*\w)", text):
                    self.fault(where, f"value {value} of {name} is missing")
            default = re.search(r"\(default: ([^)]*)\)|(\S+) \(default\)", text)
            if default or option.default:
                found = (default.group(1) or default.group(2)).rstrip(":") if default else ""
                self.default(where, name, found)


def compare(root, ffmpeg):
    options = filter_options_of_program(ffmpeg) if ffmpeg else filter_options_in_source(root)
    comparison = Comparison(options)
    if sum(len(option.values) for option in options.values()) < 10 or len(options) < 10:
        comparison.fault("the filter", f"only {len(options)} options were found")
    if ffmpeg:
        comparison.values("the engine", "backend", backends_of_engine(ffmpeg))
    comparison.manual("filters.texi",
                      texinfo_options(read(root / "libavfilter_patch/filters.texi")))
    guide = guide_options(read(root / "docs/user/filter.md"))
    comparison.manual("docs/user/filter.md",
                      {name: guide[name] for name in guide if name not in FRAMESYNC})
    comparison.migration("docs/user/migrating.md",
                         migration_options(read(root / "docs/user/migrating.md")))
    comparison.tool("tools/options.c", *tool_options(read(root / "tools/options.c")))
    return comparison


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--ffmpeg")
    args = parser.parse_args()
    try:
        comparison = compare(args.root.resolve(), args.ffmpeg)
    except Unreadable as error:
        print(error)
        return 1
    for fault in comparison.faults:
        print(fault)
    values = sum(len(option.values) for option in comparison.options.values())
    print(f"options: {len(comparison.options)} options with {values} values in 4 texts, "
          f"{len(comparison.faults)} faults")
    return 1 if comparison.faults else 0


if __name__ == "__main__":
    sys.exit(main())
