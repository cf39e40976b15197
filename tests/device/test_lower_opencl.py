#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What tools/lower_opencl.py makes of lines of LLVM IR, and that it refuses what it must not let through.

    test_lower_opencl.py SOURCE_ROOT
"""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "tools"))
import lower_opencl  # noqa: E402


class Lowering(unittest.TestCase):
    def test_what_is_loaded_is_global(self):
        text = lower_opencl.with_global_loads(lower_opencl.flat(
            "  %7 = load ptr addrspace(4), ptr addrspace(4) %6, align 8, !tbaa !4\n"
            "  %8 = inttoptr i64 %5 to ptr addrspace(4)\n"))
        self.assertEqual(text, "  %g.7 = load ptr addrspace(1), ptr %6, align 8, !tbaa !4\n"
                               "  %7 = addrspacecast ptr addrspace(1) %g.7 to ptr\n"
                               "  %g.8 = inttoptr i64 %5 to ptr addrspace(1)\n"
                               "  %8 = addrspacecast ptr addrspace(1) %g.8 to ptr\n")

    def test_tables_are_constants(self):
        text = lower_opencl.with_tables(
            "@a = internal addrspace(1) externally_initialized constant [2 x i32] zeroinitializer\n"
            "@a.b = addrspace(1) global i8 0\n"
            "  %1 = load i32, ptr addrspace(1) @a\n  %2 = load i8, ptr addrspace(1) @a.b\n")
        self.assertIn("@a = internal addrspace(2) constant", text)
        self.assertIn("ptr addrspace(2) @a\n", text)
        self.assertIn("ptr addrspace(1) @a.b\n", text)

    def test_global_pointers_stay_so_behind_null(self):
        text = lower_opencl.with_spaces(
            "define void @k() {\n  %1 = addrspacecast ptr addrspace(1) %g.1 to ptr\n"
            "  %2 = getelementptr inbounds i8, ptr %1, i64 4\n  %3 = phi ptr [ %2, %5 ], [ null, %6 ]\n"
            "  %4 = ptrtoint ptr %3 to i64\n  store i32 0, ptr %9\n}\n")
        self.assertIn("%1 = bitcast ptr addrspace(1) %g.1 to ptr addrspace(1)", text)
        self.assertIn("%3 = phi ptr addrspace(1) [ %2, %5 ], [ null, %6 ]", text)
        self.assertIn("%4 = ptrtoint ptr addrspace(1) %3", text)
        self.assertIn("store i32 0, ptr %9", text)
        self.assertEqual(lower_opencl.complaints(text), [])

    def test_quotients_and_roots_of_floats_are_of_doubles(self):
        text = lower_opencl.with_exact_functions(
            "  %3 = fdiv float %1, 1.000000e+00\n  %4 = tail call float @llvm.sqrt.f32(float %3)\n"
            "declare float @llvm.sqrt.f32(float)\n")
        self.assertIn("%q.3 = fdiv double %a.3, %b.3", text)
        self.assertIn("%q.4 = call double @llvm.sqrt.f64(double %a.4)", text)
        self.assertIn("%4 = fptrunc double %q.4 to float", text)
        self.assertEqual(lower_opencl.complaints(text), [])

    def test_what_is_not_exact_or_not_known_is_refused(self):
        for line in ("@a = addrspace(1) constant i8 0", "  %1 = addrspacecast ptr addrspace(3) %2 to ptr",
                     "  store ptr %1, ptr %2",
                     "  %1 = fdiv float %2, %3", "  %1 = fdiv <2 x float> %2, %3", "  %1 = frem double %2, %3",
                     "  %1 = call float @llvm.sqrt.f32(float %2)", "  %1 = call double @llvm.exp.f64(double %2)"):
            self.assertEqual(len(lower_opencl.complaints(line)), 1, line)
        for line in ("  %1 = fdiv double %2, %3", "  store ptr addrspace(1) %1, ptr %2"):
            self.assertEqual(lower_opencl.complaints(line), [], line)


if __name__ == "__main__":
    unittest.main()
