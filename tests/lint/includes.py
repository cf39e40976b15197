#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The rooms of src/engine, its folders: which may include which, no circle of rooms and none of files.
docs/develop/architecture.md says what each room holds. Rules inside a file are layers.py's.

    tests/lint/includes.py [--root DIR]

Prints one line per fault and the counts last; exits 1 if there is a fault.
"""
import argparse
import re
import sys
from pathlib import Path

# A room includes rooms of lower floors, the lowest stands first. So there is no circle of rooms.
FLOORS = [
    {"base", "libm", "simd"},
    {"device", "inputs", "picture", "simt", "system"},
    {"cuda_hip", "features", "output", "scaler"},
    {"cuda", "emu", "hip", "model", "opencl"},
    {"plan"},
    {"cpu"},
    {"gpu"},
    {"core"},
    {"pairing"},
    {"parts"},
    {"report"},
    {"run"},
    {"api"},
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
# Rooms behind an interface: only these rooms and files name them, the files because they choose one of several.
BEHIND = {
    "cuda_hip": {"cuda", "hip", "opencl"},
    "cuda": {"gpu/backends.cpp"},
    "hip": {"gpu/backends.cpp"},
    "opencl": {"gpu/backends.cpp"},
    "emu": {"gpu/backends.cpp"},
    "cpu": {"gpu", "core/open_executor.cpp"},
    "gpu": {"core/open_executor.cpp"},
}
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
            # A feature is a folder of its own; feature.h, registry.h and kit/ are common to them.
            is_other_feature = folder == "features" and target.count("/") == 2 and \
                target.split("/")[:2] not in (own, ["features", "kit"])
            return not is_other_feature
        room = target.split("/")[0]
        seen_by = BEHIND.get(room)
        return FLOOR[room] < FLOOR[folder] and (seen_by is None or bool(seen_by & {folder, source}))

    def read(self):
        for path in self.files:
            source = path.relative_to(self.engine).as_posix()
            if "/" not in source or source.split("/")[0] not in FLOOR:
                self.faults.append(f"src/engine/{source}: its folder is on no floor")
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
                                       f"{source.split('/')[0]}/ must not see")
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
            self.faults.append("a circle of rooms: " + ", ".join(circle))
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
