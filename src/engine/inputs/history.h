// SPDX-License-Identifier: BSD-2-Clause-Patent
// Inputs whose tags change in mid-stream. Samples are compared as they are; so each pair is looked
// at whose tags are others than those of the pair before.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "inputs/inputs.h"

namespace vmafgpu {

class InputHistory {
public:
    /// inputs: from the next frames on; next: their numbers.
    void set(const VmafGpuInputs &inputs, const int64_t (&next)[2]);

    /// What is to be said of a pair, and was not said of one before: the frames of these numbers
    /// are compared. Those of the first pair say nothing, for vmafgpu_inputs_check() has.
    std::vector<std::string> look(const int64_t (&numbers)[2]);

private:
    struct Tags {
        int64_t first;
        VmafGpuInput input, compared;
    };

    const Tags &tags_of(int input, int64_t number) const;

    VmafGpuInputs last_ = {};
    std::array<std::vector<Tags>, 2> tags_;       ///< ascending; one, unless they change
    std::array<int64_t, 2> looked_at_ = {-1, -1}; ///< first frames of the tags of the last pair
    std::vector<std::string> said_;
};

} // namespace vmafgpu
