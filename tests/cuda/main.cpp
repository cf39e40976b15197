// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs the CUDA tests. Exit status 77 (meson: SKIP) if every test of the GPU
// was skipped, so that a run without one does not look like success.
#include <cstdio>
#include <gtest/gtest.h>

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    const int status = RUN_ALL_TESTS();
    const testing::UnitTest &run = *testing::UnitTest::GetInstance();
    if (status == 0 && run.skipped_test_count() > 0) {
        std::fprintf(stderr, "%d tests SKIPPED: no usable CUDA device\n", run.skipped_test_count());
        return 77;
    }
    return status;
}
