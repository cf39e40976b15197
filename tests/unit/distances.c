/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * The filter's counts of distances alone: medians against a sorted list, pairs that are taken
 * back, and a day at 60 frames a second without a byte more than at its first frame.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vf_vmaf_gpu_distances.h"

enum { MOST = 200000, DAY = 24 * 3600 * 60 };

static VmafGpuDistances all;
static int64_t list[MOST];
static uint64_t state = 1;
static int failures;

static int64_t choose(int64_t count)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int64_t)(state % (uint64_t)count);
}

static void check(int is_right, const char *what, int64_t got, int64_t wanted)
{
    if (is_right)
        return;
    failures++;
    fprintf(stderr, "%s: %lld instead of %lld\n", what, (long long)got, (long long)wanted);
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Every thousandth rank; `error` of the largest is allowed, and nothing if it is 0. */
static void compare_ranks(int count, double error, const char *what)
{
    qsort(list, count, sizeof(*list), compare);
    for (int rank = 0; rank < count; rank += count > 1000 ? count / 1000 : 1) {
        const int64_t got = ff_vmafgpu_distance_at(&all, rank), wanted = list[rank];

        check(got <= wanted && wanted - got <= error * list[count - 1], what, got, wanted);
    }
    check(ff_vmafgpu_distance_at(&all, count) == 0, "rank beyond the last",
          ff_vmafgpu_distance_at(&all, count), 0);
}

static void add_random(int count, int64_t different, int64_t step)
{
    memset(&all, 0, sizeof(all));
    for (int i = 0; i < count; i++) {
        list[i] = 1 + choose(different) * step;
        ff_vmafgpu_add_distance(&all, list[i]);
    }
}

/* The last 64 go, as at an early stop. */
static void take_back(int count)
{
    for (int i = count - 64; i < count; i++)
        ff_vmafgpu_remove_distance(&all, list[i]);
}

static void test_ranks(void)
{
    add_random(MOST, VMAF_GPU_MOST_DISTANCES, 1001);
    take_back(MOST);
    compare_ranks(MOST - 64, 0, "few different ones");
    add_random(MOST, INT64_C(40000000), 1);
    check(all.count <= VMAF_GPU_MOST_DISTANCES, "items", all.count, VMAF_GPU_MOST_DISTANCES);
    take_back(MOST);
    compare_ranks(MOST - 64, 1e-3, "any below 40 ms");
    add_random(MOST, INT64_MAX / 2, 1);
    compare_ranks(MOST, 1e-3, "any at all");
    add_random(MOST, INT64_C(40000000), 1);
    list[0] = INT64_MAX; /* one outlier does not blur the others */
    ff_vmafgpu_add_distance(&all, list[0]);
    check(llabs(ff_vmafgpu_distance_at(&all, MOST / 2) - 20000000) < 400000, "beside an outlier",
          ff_vmafgpu_distance_at(&all, MOST / 2), 20000000);
}

/* 23.976 frames a second against 60, with jitter: nearly every distance is new. */
static void test_day(void)
{
    const size_t before = mallinfo2().uordblks;

    memset(&all, 0, sizeof(all));
    for (int64_t i = 0; i < DAY; i++)
        ff_vmafgpu_add_distance(&all, llabs(i * 16666667 % 41708333 - choose(2000000)));
    check(mallinfo2().uordblks == before, "bytes of memory", (int64_t)mallinfo2().uordblks,
          (int64_t)before);
    check(ff_vmafgpu_distance_at(&all, DAY - 1) > 40000000, "largest of a day",
          ff_vmafgpu_distance_at(&all, DAY - 1), 41708333);
}

int main(void)
{
    test_ranks();
    test_day();
    printf("distances: %d failures\n", failures);
    return failures != 0;
}
