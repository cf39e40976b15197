// SPDX-License-Identifier: BSD-2-Clause-Patent
// main() of every GoogleTest program. GoogleTest's own succeeds when a filter selects no
// test; here that is a failure, so that a test that is renamed cannot drop out unseen.
#include <cstdio>
#include <gtest/gtest.h>

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    const int status = RUN_ALL_TESTS();
    if (status != 0 || GTEST_FLAG_GET(list_tests))
        return status;
    const testing::UnitTest &run = *testing::UnitTest::GetInstance();
    if (run.test_to_run_count() == 0) {
        std::fprintf(stderr, "no test matches '%s'\n", GTEST_FLAG_GET(filter).c_str());
        return 1;
    }
#ifdef VMAFGPU_TEST_SKIP_STATUS
    // A run without the hardware must not look like success.
    if (run.skipped_test_count() > 0) {
        std::fprintf(stderr, "%d tests SKIPPED\n", run.skipped_test_count());
        return VMAFGPU_TEST_SKIP_STATUS;
    }
#endif
    return 0;
}
