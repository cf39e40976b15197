// SPDX-License-Identifier: BSD-2-Clause-Patent
// Arguments of the test kernels in probe_kernels.cpp, for device and host.
#pragma once

#include <cstdint>

namespace vmafgpu {

struct ProbeAddArgs {
    uint32_t *values;
    int count;
    uint32_t addend;
};

struct ProbeSpinArgs {
    uint32_t *out; ///< set to something odd at the end
    int64_t rounds;
};

struct ProbeReverseArgs {
    const uint32_t *in;
    uint32_t *out;
    int count;
};

} // namespace vmafgpu
