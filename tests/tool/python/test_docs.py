# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The examples of docs/user/python.md, as they stand, in a folder with two clips; and each public name is
in the page or has a docstring."""
import doctest
import os
import pathlib
import re
import unittest

import vmaf_gpu

import clips

PAGE = pathlib.Path(__file__).parents[3] / "docs/user/python.md"


class Docs(unittest.TestCase):
    def test_examples(self):
        for frames, name in zip(clips.make(64, 48, count=6), ("reference.y4m", "distorted.y4m")):
            clips.write(frames, name)
        # A line of a fence would be read as output.
        text = re.sub(r"^```.*$", "", PAGE.read_text(encoding="utf-8"), flags=re.M)
        test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
        self.assertGreater(len(test.examples), 15)
        said = []
        here = os.getcwd()
        os.chdir(clips.FOLDER)
        try:
            result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
        finally:
            os.chdir(here)
        self.assertEqual(result.failed, 0, "".join(said))

    def test_docstrings(self):
        page = PAGE.read_text(encoding="utf-8")
        for name in vmaf_gpu.__all__:
            value = getattr(vmaf_gpu, name)
            self.assertTrue(name in page or (value.__doc__ or "").strip(), name)
        for name in dir(vmaf_gpu.Scorer):
            if not name.startswith("_"):
                self.assertTrue(getattr(vmaf_gpu.Scorer, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
