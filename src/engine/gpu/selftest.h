// SPDX-License-Identifier: BSD-2-Clause-Patent
// The self-test: known answers for a device's arithmetic and for the words of simt.h. It runs
// whenever a device is opened, so that miscompiled kernels or ignored compiler flags cannot become
// wrong scores. backends.cpp calls it; selftest_cases.h has the cases.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace vmafgpu {

class Device;

/// Throws SelfTestError naming the first result that differs, or what the device threw.
void run_selftest(Device &device);

constexpr int kSelftestThreads = 256;
constexpr int kSelftestBlocks = 5;

struct SelftestArgs {
    uint64_t *results; ///< [result][block][thread]; of the waves, then sums over all threads
};

/// Arithmetic of one thread at a time; results: kSelftestCases (selftest_cases.h).
constexpr Kernel<SelftestArgs> kSelftestArithmetic = {"selftest_arithmetic", kSelftestThreads};

/// Words that exchange values between threads: VMAFGPU_SELFTEST_WORDS (selftest_cases.h).
constexpr Kernel<SelftestArgs> kSelftestWaves = {"selftest_waves", kSelftestThreads};

} // namespace vmafgpu
