# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The C API as ctypes has it is the one that a compiler reads from the same headers."""
import ctypes
import pathlib
import re
import shutil
import subprocess
import unittest

import vmaf_gpu
from vmaf_gpu import _native

import clips

PROGRAM = """
#include <stddef.h>
#include <stdio.h>
#include "run.h"
#include "vmaf_gpu.h"
#include "helpers.h"
int main(void)
{
%s
    return 0;
}
"""


class Api(unittest.TestCase):
    @unittest.skipUnless(shutil.which("cc"), "there is no cc")
    def test_layout(self):
        """Place and size of every field of every struct, and every constant."""
        lines, expected = [], []
        for name, struct in _native._API.structs.items():
            lines.append(f'printf("%zu\\n", sizeof({name}));')
            expected.append(ctypes.sizeof(struct))
            for field, *_ in struct._fields_:
                lines.append(f'printf("%zu\\n%zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));')
                expected += [getattr(struct, field).offset, getattr(struct, field).size]
        for name, value in _native.constants.items():
            lines.append(f'printf("%d\\n", {name});')
            expected.append(value)
        self.assertGreater(len(expected), 300)
        source, program = clips.FOLDER / "layout.c", clips.FOLDER / "layout"
        source.write_text(PROGRAM % "\n".join(lines))
        headers = pathlib.Path(vmaf_gpu.__file__).parent / "include"
        # Headers include each other as files of one folder, or of the folder vmaf_gpu.
        (clips.FOLDER / "vmaf_gpu").symlink_to(headers)
        subprocess.run(["cc", "-I", headers, "-I", clips.FOLDER, "-o", program, source], check=True)
        found = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
        self.assertEqual([int(number) for number in found], expected)

    def test_functions(self):
        """Texts and numbers pass as what they are."""
        lib = _native.lib
        self.assertEqual(lib.vmafgpu_model_load.argtypes, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p])
        self.assertEqual(lib.vmafgpu_merge_compared.restype, ctypes.c_int64)
        self.assertEqual(lib.vmafgpu_pooled.argtypes, [ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_void_p])
        self.assertIsNone(lib.vmafgpu_close.restype)
        for header in "vmaf_gpu", "aggregate", "inputs", "report", "pairing", "helpers":
            text = (pathlib.Path(vmaf_gpu.__file__).parent / "include" / f"{header}.h").read_text()
            for name in re.findall(r"^VMAFGPU_API\b[^(]*\b(\w+)\(", text, re.M):
                self.assertIsNotNone(getattr(lib, name).argtypes, name)


if __name__ == "__main__":
    unittest.main()
