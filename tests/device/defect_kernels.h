// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernels with planted defects, each one that GPU ports of these features are known
// to have had: the emulator must see every one of them (test_defects.cpp).
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace vmafgpu {

struct DefectArgs {
    uint64_t *out;
    int width;
};

constexpr Kernel<DefectArgs> kSumOf32 = {"defect_sum_of_32", 128};
constexpr Kernel<DefectArgs> kSumOf64 = {"defect_sum_of_64", 128};
constexpr Kernel<DefectArgs> kLostCarry = {"defect_lost_carry", 128};
constexpr Kernel<DefectArgs> kMiddleLeaves = {"defect_middle_leaves", 128};
constexpr Kernel<DefectArgs> kAskWhoLeft = {"defect_ask_who_left", 128};
constexpr Kernel<DefectArgs> kTailLeaves = {"defect_tail_leaves", 128};
constexpr Kernel<DefectArgs> kNoBarrier = {"defect_no_barrier", 256};
constexpr Kernel<DefectArgs> kNoSecondBarrier = {"defect_no_second_barrier", 256};
constexpr Kernel<DefectArgs> kNoWaveBarrier = {"defect_no_wave_barrier", 64};
constexpr Kernel<DefectArgs> kBarrierInBranch = {"defect_barrier_in_branch", 128};
constexpr Kernel<DefectArgs> kTwoBarriers = {"defect_two_barriers", 128};
constexpr Kernel<DefectArgs> kLeaveBeforeBarrier = {"defect_leave_before_barrier", 128};
constexpr Kernel<DefectArgs> kShuffleInBranch = {"defect_shuffle_in_branch", 128};
constexpr Kernel<DefectArgs> kShuffleAndBarrier = {"defect_shuffle_and_barrier", 128};
constexpr Kernel<DefectArgs> kPastEnd = {"defect_past_end", 64};
constexpr Kernel<DefectArgs> kBeforeStart = {"defect_before_start", 64};
constexpr Kernel<DefectArgs> kSharedPastEnd = {"defect_shared_past_end", 64};
constexpr Kernel<DefectArgs> kUnsetShared = {"defect_unset_shared", 64};
constexpr Kernel<DefectArgs> kTooMuchShared = {"defect_too_much_shared", 64};
constexpr Kernel<DefectArgs> kOddAddress = {"defect_odd_address", 64};
constexpr Kernel<DefectArgs> kBadLane = {"defect_bad_lane", 64};

} // namespace vmafgpu
