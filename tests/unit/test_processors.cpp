// SPDX-License-Identifier: BSD-2-Clause-Patent
// Processors that a process may use: by affinity, and by the time that its control groups have.
#include "system/processors.h"

#include <sched.h>
#include <sys/wait.h>

#include "report_fixtures.h"

namespace vmafgpu::processors_test {
namespace {

TEST(Processors, QuotaOfVersion2)
{
    const TemporaryFolder root;
    const std::string groups = "0::/a/b\n";
    EXPECT_EQ(processors_of_quota(groups, root / ""), 0);
    put(root / "a/b/cpu.max", "max 100000\n");
    EXPECT_EQ(processors_of_quota(groups, root / ""), 0);
    put(root / "a/b/cpu.max", "200000 100000\n");
    EXPECT_EQ(processors_of_quota(groups, root / ""), 2);
    put(root / "a/b/cpu.max", "250000 100000\n");
    EXPECT_EQ(processors_of_quota(groups, root / ""), 3);
    put(root / "a/b/cpu.max", "10000 100000\n");
    EXPECT_EQ(processors_of_quota(groups, root / ""), 1);
}

TEST(Processors, TheSmallestQuotaUpwardsCounts)
{
    const TemporaryFolder root;
    put(root / "a/b/cpu.max", "800000 100000\n");
    put(root / "a/cpu.max", "400000 100000\n");
    EXPECT_EQ(processors_of_quota("0::/a/b\n", root / ""), 4);
    EXPECT_EQ(processors_of_quota("0::/a/b/c\n", root / ""), 4);
    EXPECT_EQ(processors_of_quota("0::/\n", root / ""), 0);
    put(root / "cpu.max", "100000 100000\n"); // a container sees its own group here
    EXPECT_EQ(processors_of_quota("0::/\n", root / ""), 1);
}

TEST(Processors, QuotaOfVersion1)
{
    const TemporaryFolder root;
    const std::string groups = "5:memory:/m\n4:cpu,cpuacct:/c\n0::/\n";
    put(root / "cpu,cpuacct/c/cpu.cfs_quota_us", "-1\n");
    put(root / "cpu,cpuacct/c/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(processors_of_quota(groups, root / ""), 0);
    put(root / "cpu,cpuacct/c/cpu.cfs_quota_us", "300000\n");
    EXPECT_EQ(processors_of_quota(groups, root / ""), 3);
    EXPECT_EQ(processors_of_quota("4:cpuset:/c\n", root / ""), 0);
}

TEST(Processors, HostileGroups)
{
    const TemporaryFolder root;
    put(root / "a/cpu.max", "x");
    put(root / "b/cpu.max", "1e300 1e-300");
    for (const char *groups : {"", ":", "::", "0::", "no colon", "0::/a", "0::/b", "0::a"})
        EXPECT_EQ(processors_of_quota(groups, root / ""), 0) << groups;
}

TEST(Processors, Affinity)
{
    const pid_t child = fork();
    if (child == 0) {
        cpu_set_t all;
        cpu_set_t one;
        CPU_ZERO(&one);
        sched_getaffinity(0, sizeof(all), &all);
        for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
            if (CPU_ISSET(i, &all))
                CPU_SET(i, &one);
        sched_setaffinity(0, sizeof(one), &one);
        _exit(available_processors() == 1 ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_GE(available_processors(), 1);
}

} // namespace
} // namespace vmafgpu::processors_test
