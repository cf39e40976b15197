#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The rooms of src/engine, its folders: which may include which, no circle of rooms and none of files.
docs/architecture.md says what each room holds. Rules inside a file are layers.py's.

    tests/lint/includes.py [--root DIR]

Prints one line per fault and the counts last; exits 1 if there is a fault.
"""
import argparse
import re
import sys
from pathlib import Path

# What the files of a folder may include beside their own folder: folders, or single
# files. Nothing goes up.
ALLOWED = {
    "libm": [],
    "base": ["libm"],
    "simt": ["base/numeric.h", "simt/cuda_dialect.h", "simt/hip_dialect.h",
             "simt/emu_dialect.h", "simt/host_dialect.h"],
    "device": ["base"],
    "driver": ["base", "simt", "device"],
    "cuda": ["base", "simt", "device", "driver"],
    "hip": ["base", "simt", "device", "driver"],
    "emu": ["base", "simt", "device"],
    # The CPU's SIMD levels are a language like simt: features are written in it.
    "features": ["base", "libm", "simt", "device", "simd/cpu_level.h", "simd/cpu_recompile.h",
                 "simd/float_tile-inl.h", "simd/simd-inl.h", "simd/simd_targets.h"],
    "scaler": ["base", "simt", "device", "simd/cpu_level.h", "simd/cpu_recompile.h"],
    "model": ["base", "libm", "features/feature.h", "features/registry.h"],
    "cpu": ["base", "plan/executor.h", "plan/score_plan.h", "scaler"],
    # A device leaves some features to the host (no Feature::device()).
    "gpu": ["base", "simt", "device", "plan/executor.h", "plan/score_plan.h", "plan/settings.h",
            "cpu/cpu_executor.h", "scaler"],
    "core": ["base", "device", "features/feature.h", "features/registry.h", "model", "scaler"],
    "inputs": ["base"],
    "pairing": ["base", "plan/chunk.h", "core/engine.h", "plan/shots.h"],
    "report": ["base", "libm", "plan/chunk.h", "core/score_table.h", "core/pooling.h",
               "plan/shots.h"],
    "api": ["base", "core", "inputs", "model", "pairing", "report", "scaler"],
}
# The single files that may see more: where alternatives are chosen.
ALLOWED_FILE = {
    "gpu/backends.cpp": ["cuda", "hip", "emu"],
    "core/open_executor.cpp": ["cpu", "gpu"],
}
# Rooms that include each other in a circle. No other circle may be there, and one that is gone
# leaves the list.
KNOWN_CIRCLES = [
    {"core", "cpu", "features", "gpu", "model", "scaler"},
    {"cuda", "emu", "hip", "simt"},
]
PUBLIC = ("vmaf_gpu/run.h", "vmaf_gpu/vmaf_gpu.h")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


class Includes:
    def __init__(self, root):
        self.engine = root / "src/engine"
        self.faults = []
        self.graph, self.rooms = {}, {}
        self.files = sorted(p for p in self.engine.rglob("*") if p.suffix in {".h", ".cpp"})

    def resolve(self, path, name):
        """Path below src/engine of what is included, as the compiler finds it; or None."""
        for candidate in (path.parent / name, self.engine / name):
            if candidate.is_file():
                return candidate.resolve().relative_to(self.engine).as_posix()
        return None

    @staticmethod
    def is_allowed(source, target):
        folder = source.split("/")[0]
        if target.startswith(folder + "/"):
            own = source.split("/")[:2]
            # A feature is a folder of its own; feature.h and registry.h are common to them.
            is_other_feature = folder == "features" and target.count("/") == 2 and \
                target.split("/")[:2] != own and source != "features/registry.cpp"
            return not is_other_feature
        allowed = ALLOWED.get(folder, []) + ALLOWED_FILE.get(source, [])
        return any(target == entry or target.startswith(entry + "/") for entry in allowed)

    def read(self):
        for path in self.files:
            source = path.relative_to(self.engine).as_posix()
            if "/" not in source or source.split("/")[0] not in ALLOWED:
                self.faults.append(f"src/engine/{source}: its folder is not in the table of layers")
                continue
            self.rooms.setdefault(source.split("/")[0], set())
            text = path.read_text()
            for match in INCLUDE.finditer(text):
                name = match.group(1)
                if name in PUBLIC:
                    continue
                line = text.count("\n", 0, match.start(1)) + 1
                target = self.resolve(path, name)
                if target is None:
                    self.faults.append(f"src/engine/{source}:{line}: '{name}' is no file here")
                    continue
                if not self.is_allowed(source, target):
                    self.faults.append(f"src/engine/{source}:{line}: includes '{target}', which "
                                       f"the layer {source.split('/')[0]}/ must not see")
                self.link(source, target)

    @staticmethod
    def unit(file):
        """A header with the source of the same name."""
        return file.rsplit(".", 1)[0]

    def link(self, source, target):
        # simt.h chooses the dialect, which is written in simt's own words.
        for graph, name in ((self.graph, self.unit), (self.rooms, lambda file: file.split("/")[0])):
            if name(source) != name(target):
                graph.setdefault(name(source), set()).add(name(target))

    def check_circles(self):
        """The circles of rooms and of units that there are."""
        of_rooms, of_units = circles(self.rooms), circles(self.graph)
        for circle in of_rooms:
            if set(circle) not in KNOWN_CIRCLES:
                self.faults.append("a circle of rooms: " + ", ".join(circle))
        for known in KNOWN_CIRCLES:
            if sorted(known) not in of_rooms:
                self.faults.append("no circle of rooms any more, take it off KNOWN_CIRCLES: "
                                   + ", ".join(sorted(known)))
        for circle in of_units:
            self.faults.append("a circle of includes: " + ", ".join(circle))
        return of_rooms, of_units


def circles(graph):
    """Strongly connected sets of more than one node (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            circle = []
            while not circle or circle[-1] != node:
                circle.append(stack.pop())
            if len(circle) > 1:
                found.append(sorted(circle))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    lint = Includes(parser.parse_args().root.resolve())
    if not lint.files:
        lint.faults.append("src/engine: no sources found")
    lint.read()
    of_rooms, of_units = lint.check_circles()
    for fault in lint.faults:
        print(fault)
    count = sum(len(targets) for targets in lint.graph.values())
    print(f"includes: {len(lint.files)} files, {count} includes between units, "
          f"{len(lint.rooms)} rooms, circles: {len(of_rooms)} of rooms and {len(of_units)} of units, "
          f"{len(lint.faults)} faults")
    return 1 if lint.faults else 0


if __name__ == "__main__":
    sys.exit(main())
