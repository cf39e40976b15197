#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Which PTX a build by clang makes for a list of capabilities: every list has to bring the sources
with matrix_u8() at some capability, because a newer GPU runs old PTX, too, and expects them.

    test_ptx_targets.py SOURCE_ROOT CLANG
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT, CLANG = sys.argv.pop(1), sys.argv.pop(1)
ALONE = ["-Dhip=disabled", "-Demu=false", "-Dtests=false", "-Dtools=false"]
MATRIX, PLAIN, OTHER = "vif_matrix_kernels", "vif_kernels", "adm_kernels"


def capabilities(ptx_targets):
    """The capabilities of each source's PTX, by the source's name: with "s", for scarce doubles."""
    with tempfile.TemporaryDirectory() as folder:
        build = str(pathlib.Path(folder) / "build")
        subprocess.run(["meson", "setup", build, ROOT, "-Dcuda=enabled", "-Dnvidia_compiler=clang",
                        "-Dptx_clang=" + CLANG, "-Dptx_targets=" + ptx_targets, *ALONE],
                       check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        targets = subprocess.run(["meson", "introspect", "--targets", build], check=True,
                                 stdout=subprocess.PIPE).stdout
    found = {}
    for target in json.loads(targets):
        name = re.fullmatch(r"ptx_(\w+_kernels)_(\d+s?)", target["name"])
        if name:
            found.setdefault(name[1], []).append(name[2])
    return found


class Targets(unittest.TestCase):
    def test_matrix_kernels_are_in_every_build(self):
        for listed, plain, matrix in (("61", "61", "75"), ("61,70", "61 70 70s", "75"),
                                      ("61,80", "61 80 80s", "80 80s"), ("75", "75", "75")):
            with self.subTest(listed):
                found = capabilities(listed)
                self.assertEqual(plain.split(), found[PLAIN])
                self.assertEqual(matrix.split(), found[MATRIX])
                self.assertEqual(listed.split(","), found[OTHER])


if __name__ == "__main__":
    unittest.main()
