#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The rules that a compiler does not know: features never name a backend,
backends never name a feature, features have one shape, kernels include only the device language, functions
stay short and simple, nothing refers to the machine it was written on.

    tests/lint/layers.py [--root DIR]

Prints one line per fault; exits 1 if there is any.
"""
import argparse
import ast
import re
import sys
from pathlib import Path

MAX_FUNCTION = 60
MAX_KERNEL = 80
CODE = {".c", ".h", ".cpp", ".hpp"}
TEXT = CODE | {".py", ".sh", ".build", ".txt", ".md", ".json", ".yml"}

# Paths through a function, as McCabe counts them: 1, and 1 for each decision. A switch is one
# decision, because its cases are a table.
MAX_COMPLEXITY = 15
DECISION = re.compile(r"\b(?:if|for|while|switch|catch)\b|&&|\|\||\?")
PY_DECISIONS = (ast.If, ast.For, ast.While, ast.ExceptHandler, ast.IfExp, ast.comprehension, ast.Assert)
# The functions that have more. No other one may, and none of these more than here.
COMPLEX = {
    ("python/vmaf_gpu/_inputs.py", "filters"): 17,
    ("python/vmaf_gpu/_score.py", "score"): 28,
    ("python/vmaf_gpu/_video.py", "_header"): 18,
    ("src/engine/features/adm/adm_kernels.cpp", "rows_of_wave"): 18,
    ("src/engine/features/cambi/cambi_ref.cpp", "flat_regions"): 16,
    ("src/engine/features/feature.cpp", "parse_value"): 18,
    ("src/engine/inputs/pixel_format.cpp", "parse_semi_planar"): 16,
    ("src/engine/libm/libm_exp.h", "special_pow"): 19,
    ("tests/amdisa/block.cpp", "Block::run"): 16,
    ("tests/amdisa/planted.py", "main"): 17,
    ("tests/amdisa/words_file.cpp", "value_of"): 16,
    ("tests/device/test_driver_images.cpp", "TEST(DriverImageFailures, EveryCallInTurn)"): 19,
    ("tests/device/test_tool.py", "main"): 19,
    ("tests/filter/alloc/alloc.c", "main"): 19,
    ("tests/filter/programs.py", "_check"): 18,
    ("tests/golden/published.py", "main"): 25,
    ("tests/golden/scale_ffmpeg.py", "content"): 18,
    ("tests/lint/docs.py", "blocks"): 16,
    ("tests/lint/docs.py", "check_environment"): 17,
    ("tests/tool/python/gpu.py", "test_waits_for_the_stream"): 18,
    ("tests/unit/test_pairing_any_times.cpp", "AnyTimes::run"): 17,
    ("tools/options.c", "check_input"): 19,
    ("tools/video.c", "video_read"): 19,
    ("tools/vmaf_gpu.c", "main"): 16,
    ("tools/vmaf_gpu.c", "score_pairs"): 22,
}

# The files of a feature NAME, and how many there may be in all. CONTRIBUTING.md says what each holds.
# Further ones begin with NAME_ and say in their head why each is a subject, or a file, "of its own".
SHAPE = ("{}.cpp", "{}.h", "{}_ref.cpp", "{}_cpu.cpp", "{}_simd-inl.h", "{}_record.cpp", "{}_kernels.cpp", "{}_tables.h")
MOST_FILES = 8
LARGEST = {"adm": 12, "cambi": 12, "ciede": 10, "speed_chroma": 12, "ssimulacra2": 11, "vif": 12}

# Beside the folder's own headers. kernel.h only declares launch constants.
KERNEL_HEADERS = {"simt/simt.h", "simt/reduce.h", "simt/serial_sum.h", "simt/elementary.h", "simt/quad.h",
                  "base/numeric.h", "device/kernel.h", "device/clear_args.h"}
VENDOR_IF = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif)\b.*"
                       r"(CUDA|NVCC|NVPTX|HIP|OPENCL|SPIRV|AMDGCN|AMD|GFX|EMU(?!128))", re.I)
# Where the language itself is chosen, and the table of compiled-in backends.
VENDOR_IF_ALLOWED = re.compile(r"(/simt/\w+\.h|_dialect\.h|/backends\.cpp)$")
BACKEND_WORD = re.compile(r"(?i)cuda|nvcc|nvrtc|rocm|opencl|spirv|(?<![a-z])(hip|emu)(?=[_A-Z0-9\d]|\b)|amdgcn")


def complexity_of(function):
    """Returns the complexity of a Python function, with functions inside it."""
    count = 1
    for node in ast.walk(function):
        count += isinstance(node, PY_DECISIONS)
        count += len(node.ifs) if isinstance(node, ast.comprehension) else 0
        count += len(node.values) - 1 if isinstance(node, ast.BoolOp) else 0
    return count


def strip_comments(text):
    """Blank out comments and keep line numbers."""
    def blank(match):
        token = match.group(0)
        return token if token[0] in "\"'" else re.sub(r"[^\n]", " ", token)
    return re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", blank, text,
                  flags=re.S)


class Lint:
    def __init__(self, root):
        self.root = root
        self.faults = []
        engine = root / "src/engine"
        self.backends = [d.name for d in (engine / "cuda", engine / "hip", engine / "opencl", engine / "emu")
                         if d.is_dir()]
        self.features = [d.name for d in sorted((engine / "features").iterdir()) if d.is_dir() and d.name != "kit"]
        if not self.features:
            self.fault(engine, 0, "no feature folders found")

    def fault(self, path, line, text):
        self.faults.append(f"{path.relative_to(self.root)}:{line}: {text}")

    def files(self, folders, suffixes):
        for folder in folders:
            base = self.root / folder
            if base.is_file():
                yield base
                continue
            for path in sorted(base.rglob("*")):
                parts = path.relative_to(self.root).parts
                if path.is_file() and path.suffix in suffixes and "__pycache__" not in parts:
                    yield path

    def match_lines(self, path, text, pattern, message):
        for number, line in enumerate(text.splitlines(), 1):
            found = pattern.search(line)
            if found:
                self.fault(path, number, f"{message}: '{found.group(0).strip()}'")

    def check_layers(self):
        feature_word = re.compile(r"(?i)(?<![a-z])(%s)(?=[_A-Z0-9]|\b)" % "|".join(self.features))
        for backend in (*self.backends, "driver"):
            for path in self.files([f"src/engine/{backend}"], CODE | {".build"}):
                self.match_lines(path, strip_comments(path.read_text()), feature_word,
                                 "a backend names a feature")
        for path in self.files(["src/engine/features"], CODE):
            self.match_lines(path, strip_comments(path.read_text()), BACKEND_WORD,
                             "a feature names a backend")
        for path in self.files(["src/engine/driver"], CODE):
            self.match_lines(path, re.sub('"[^"]*"', "", strip_comments(path.read_text())),
                             BACKEND_WORD, "shared driver code names a vendor")
        for path in self.files(["src/engine"], CODE):
            if not VENDOR_IF_ALLOWED.search(path.as_posix()) and path.parent.name not in \
                    self.backends:
                self.match_lines(path, strip_comments(path.read_text()), VENDOR_IF,
                                 "a vendor #if outside the dialects")

    def check_shapes(self):
        for feature in self.features:
            folder = self.root / "src/engine/features" / feature
            files = sorted(p for p in folder.iterdir() if p.suffix in CODE)
            self.check_shape(feature, folder, files)

    def check_shape(self, feature, folder, files):
        most = LARGEST.get(feature, MOST_FILES)
        if len(files) > most:
            self.fault(folder, 0, f"{len(files)} files in a feature, more than {most}")
        names = {name.format(feature) for name in SHAPE}
        for path in files:
            text = path.read_text()
            head = " ".join(line[2:].strip() for line in text.split("\n\n")[0].splitlines() if line.startswith("//"))
            if not path.name.startswith(feature + ".") and not path.name.startswith(feature + "_"):
                self.fault(path, 1, f"the name does not begin with '{feature}'")
            elif path.name not in names and "of its own" not in head:
                self.fault(path, 1, 'no file of the shape, and its head does not say why it is "of its own"')
            spaces = set(re.findall(r"^namespace vmafgpu([\w:]*) \{", text, re.M))
            if not spaces or spaces - {f"::{feature}", f"::{feature}::VMAFGPU_SIMD"}:
                self.fault(path, 1, f"everything in it belongs in namespace vmafgpu::{feature}")

    def check_kernels(self):
        kernels = [p for p in self.files(["src/engine"], {".cpp"}) if p.stem.endswith("_kernels")]
        if not kernels:
            self.fault(self.root / "src/engine", 0, "no *_kernels.cpp found")
        for path in kernels:
            text = path.read_text()
            self.match_lines(path, strip_comments(text), re.compile(r"^\s*#\s*(if|elif)\w*"),
                             "a kernel file has a conditional")
            for number, line in enumerate(text.splitlines(), 1):
                found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
                if found is None:
                    continue
                name = found.group(2)
                is_own = found.group(1) == '"' and (path.parent / name).is_file()
                own_prefix = path.parent.relative_to(self.root / "src/engine").as_posix() + "/"
                is_own = is_own or name.startswith(own_prefix)
                if not is_own and name not in KERNEL_HEADERS:
                    self.fault(path, number, f"a kernel file includes '{name}'")

    def reached_from(self, starts):
        """The files themselves and all of ours that they include, by whatever names."""
        include = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
        folders = [self.root / "src/engine", self.root / "include"]
        reached, waiting = set(), list(starts)
        while waiting:
            path = waiting.pop()
            if path in reached:
                continue
            reached.add(path)
            for name in include.findall(path.read_text()):
                found = [folder / name for folder in (path.parent, *folders)
                         if (folder / name).is_file()]
                if found:
                    waiting.append(found[0].resolve())
                else:
                    self.fault(path, 0, f"includes '{name}', which is not found")
        return sorted(reached)

    def check_reg27_kernels_call_no_libm(self):
        """Roots, powers and logarithms differ between devices and libraries: kernels and
        what they include take tables and integers. sqrt and fabs are exact everywhere."""
        call = re.compile(r"\b(std::)?(pow|exp|exp2|log|log2|log10|cbrt|hypot|sin|cos|tan|atan|"
                          r"tanh|rsqrt|fma)[fl]?\s*\(")
        kernels = [p for p in self.files(["src/engine"], {".cpp"}) if p.stem.endswith("_kernels")]
        for path in self.reached_from(kernels):
            self.match_lines(path, strip_comments(path.read_text()), call,
                             "a kernel calls the maths library")

    def check_complexity(self, path, line, name, count):
        limit = COMPLEX.get((path.relative_to(self.root).as_posix(), name), MAX_COMPLEXITY)
        if count > limit:
            self.fault(path, line, f"{name}: complexity {count}, more than {limit}")

    def check_python(self, path, text):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.check_complexity(path, node.lineno, node.name, complexity_of(node))

    def check_functions(self, path, text):
        """Bodies whose braces stand alone in column 0, as .clang-format puts them."""
        start, function = None, ""
        limit = MAX_FUNCTION
        lines = strip_comments(text).splitlines()
        for number, line in enumerate(lines, 1):
            if line.rstrip() == "{":
                head = lines[number - 2] if number > 1 else ""
                if re.match(r"(class|struct|namespace|enum|union|extern)\b", head):
                    continue
                start, function = number, head
                limit = MAX_KERNEL if "SIMT_KERNEL" in head else MAX_FUNCTION
            elif line.startswith("}") and start is not None:
                if number - start - 1 > limit:
                    self.fault(path, start, f"function of {number - start - 1} lines, "
                                            f"more than {limit}")
                body = re.sub(r'"(?:\\.|[^"\\\n])*"', "", "\n".join(lines[start:number - 1]))
                name = re.search(r"(TEST\w*\(.*\)|[\w:~]+)\s*(?:\(|$)", function)
                self.check_complexity(path, start, name.group(1) if name else function,
                                      1 + len(DECISION.findall(body)))
                start = None

    def check_sizes_and_heads(self):
        folders = ["src", "include", "tests", "tools", "bench", "python", "libavfilter_patch",
                   "vf_vmaf_gpu.c"]
        for path in self.files(folders, CODE | {".py", ".sh"}):
            text = path.read_text()
            lines = text.splitlines()
            if not any("SPDX-License-" + "Identifier:" in line for line in lines[:2]):
                self.fault(path, 1, "does not begin with an SPDX line")
            if path.suffix in CODE:
                self.check_functions(path, text)
            elif path.suffix == ".py":
                self.check_python(path, text)

    def check_places(self):
        # Pieced together so that this file does not find itself.
        place = re.compile("/wo" + r"rk/|/ho" + r"me/|/ro" + r"ot/|\.\./sh" + r"ared\b")
        folders = ["src", "include", "tests", "tools", "bench", "docs", "examples", "scripts", "models",
                   "libavfilter_patch", "fate", "vf_vmaf_gpu.c", "meson.build", "README.md"]
        for path in self.files([f for f in folders if (self.root / f).exists()], TEXT):
            self.match_lines(path, path.read_text(errors="replace"), place,
                             "refers to one machine's files")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    lint = Lint(parser.parse_args().root.resolve())
    lint.check_layers()
    lint.check_shapes()
    lint.check_kernels()
    lint.check_reg27_kernels_call_no_libm()
    lint.check_sizes_and_heads()
    lint.check_places()
    for fault in lint.faults:
        print(fault)
    print(f"layers: {len(lint.faults)} faults")
    return 1 if lint.faults else 0


if __name__ == "__main__":
    sys.exit(main())
