#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Mutation tests of options.py and filter_files.py: each fault, planted in a copy of the
filter and its texts, must be reported; the copy without it must not.

    tests/lint/test_filter.py [--root DIR]
"""
import shutil
import sys

import mutations

FOLDERS = ["libavfilter_patch", "docs", "tools"]
TABLE = "libavfilter_patch/vf_vmaf_gpu_setup.c"
TEXINFO = "libavfilter_patch/filters.texi"
HEADER = "libavfilter_patch/vf_vmaf_gpu.h"

DEFECTS = [
    ("options.py", TEXINFO, r"@item html\n", "", "filters.texi: values of log_fmt are"),
    ("options.py", TEXINFO, r"@item device\n", "", "filters.texi: option device is missing"),
    ("options.py", TEXINFO, r"@samp\{mean\}\.", "@samp{min}.", "filters.texi: default of pool is 'min'"),
    ("options.py", TEXINFO, r"@item inflight", "@item in_flight",
     "filters.texi: the filter has no option in_flight"),
    ("options.py", "docs/user/filter.md", r"\| `device` \|.*\n", "",
     "docs/user/filter.md: option device is missing"),
    ("options.py", "docs/user/filter.md", r"\| `pool` \| `perc5` \|.*\n", "",
     "docs/user/filter.md: values of pool are"),
    ("options.py", "docs/user/filter.md", r"\| `inflight` \| `4`", "| `inflight` | `5`",
     "docs/user/filter.md: default of inflight is '5'"),
    ("options.py", "docs/user/migrating.md", r", `perc20`", "", "docs/user/migrating.md: values of pool are"),
    ("options.py", "docs/user/migrating.md", r"`precision`, ", "",
     "docs/user/migrating.md: option precision is missing"),
    ("options.py", "docs/user/migrating.md", r"\| `shortest` \|.*\n", "",
     "docs/user/migrating.md: option shortest is missing"),
    ("options.py", "tools/options.c", r"cpu, cuda, hip, opencl;", "cpu, cuda, opencl;",
     "tools/options.c: value hip of backend is missing"),
    ("options.py", "tools/options.c", r"6 \(default\)", "7 (default)",
     "tools/options.c: default of precision is '7'"),
    ("options.py", "tools/options.c", r" --html ", " ", "tools/options.c: --html is only in the parser"),
    ("options.py", "tools/options.c", r'\{"ring", ', '{"inflight", ',
     "tools/options.c: --inflight is not compared with the filter"),
    ("options.py", TABLE, r'NUMBER\("inflight", inflight, 4', 'NUMBER("inflight", inflight, 3',
     "in the filter '3'"),
    ("options.py", TABLE, r'TEXT\("feature"', 'TEXT("features"',
     "tools/options.c: option features of the filter has no entry"),
    ("options.py", TABLE, r'TEXT\("device", device', 'TEXT(device, device', "cannot read"),
    ("options.py", TABLE, r'CONSTANT\("backend", "emu"', 'CONSTANT("backend", "wasm"',
     "tools/options.c: value wasm of backend is missing"),
    ("filter_files.py", "libavfilter_patch/vf_vmaf_gpu_setup.c",
     r"\Z", "void f(void)\n{\n    ff_vmafgpu_wrap_vulkan(NULL);\n}\n", "call each other in a circle"),
    ("filter_files.py", HEADER, r'(#include "formats.h")', r'\1\n#include "vf_vmaf_gpu_hw.h"',
     "include each other in a circle: vf_vmaf_gpu.h -> vf_vmaf_gpu_hw.h -> vf_vmaf_gpu.h"),
    ("filter_files.py", "vf_vmaf_gpu.c", r"ff_vmafgpu_wrap", "wrap_it",
     "no other file uses ff_vmafgpu_wrap"),
    ("filter_files.py", "vf_vmaf_gpu.c", r"ff_vmafgpu_configure", "ff_vmafgpu_config",
     "ff_vmafgpu_config is defined nowhere"),
    ("filter_files.py", HEADER, r"int ff_vmafgpu_configure.*\n", "",
     "no section of a header declares ff_vmafgpu_configure"),
    ("filter_files.py", HEADER, r"vf_vmaf_gpu_setup\.c \*/", "vf_vmaf_gpu_formats.c */",
     "ff_vmafgpu_configure stands in the section of vf_vmaf_gpu_formats.c"),
]


def copy(source, root):
    for folder in FOLDERS:
        shutil.copytree(source / folder, root / folder)
    shutil.copy(source / "vf_vmaf_gpu.c", root)


if __name__ == "__main__":
    sys.exit(mutations.main(__doc__, copy, DEFECTS))
