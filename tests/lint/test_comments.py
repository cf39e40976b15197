#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Mutation tests of comments.py: each comment without a subject, planted in a copy of the sources, must be reported;
the copy without it must not.

    tests/lint/test_comments.py [--root DIR]
"""
import shutil
import sys

import mutations

COPIED = ("include", "tools", "python", "vf_vmaf_gpu.c", "docs")

DEFECTS = [
    ("include/vmaf_gpu/run.h", r"name of graph and filter;", "of graph and filter;", "of graph and filter"),
    ("tools/decoder.c", r"/\* what changed \*/", "/* the same */", "the same"),
    ("tools/tmp.cpp", r"\Z", "/// Those\n/// of a group.\nint a;\n", "tools/tmp.cpp:1: Those of a group."),
    ("tools/tmp.cpp", r"\Z", "/// Loads it. False: it cannot.\nbool a();\n", "False: it cannot"),
    ("tools/tmp.h", r"\Z", 'const char *a = "//"; ///< such are left out\n', "such are left out"),
    ("python/vmaf_gpu/search/finder.py", r"Chooses the samples\. Returns False if", "Samples. False:", "Samples. False:"),
    ("python/vmaf_gpu/search/sampling.py", r"# length of a stretch,", "# of a stretch,", "of a stretch"),
    ("docs/user/models.md", r"Pictures that `n_subsample`", "Those that `n_subsample`", "Those that `n_subsample` leaves out are black."),
    ("docs/user/guide.md", r"Equal frames at", "The same frames at", "The same frames at another speed"),
    ("vf_vmaf_gpu.c", r"/\* Frames that wait", "/* Theirs, if they wait", "Theirs, if they wait"),
]


def copy(source, root):
    """Some folders: what the others hold has its own places, and takes time to read."""
    for name in COPIED:
        if (source / name).is_dir():
            shutil.copytree(source / name, root / name)
        else:
            shutil.copy(source / name, root / name)


if __name__ == "__main__":
    sys.exit(mutations.main(__doc__, copy, [("comments.py", *defect) for defect in DEFECTS]))
