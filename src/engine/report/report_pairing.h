// SPDX-License-Identifier: BSD-2-Clause-Patent
// How the caller came to the pairs (VmafGpuPairing), as keys and values for the JSON and XML logs
// and as a line for the page. The logs' writers print them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

/// One key with its value, or with several parts that have names.
struct PairingEntry {
    struct Part {
        std::string name;  ///< "" if the key has only one
        std::string value; ///< a number as logs print it
    };
    std::string key;
    std::string text; ///< the value, if there are no parts
    std::vector<Part> parts;
};

/// The caller's struct; fields that it does not have are zero. Nothing if there is none. Throws
/// Error(EINVAL) if struct_size is wrong.
std::optional<VmafGpuPairing> pairing_of(const VmafGpuLog &log);

std::vector<PairingEntry> pairing_entries(const VmafGpuPairing &pairing);
/// The member "pairing" of a JSON object that has others before it.
std::string json_pairing(const VmafGpuPairing &pairing);
std::string pairing_line(const VmafGpuPairing &pairing);

} // namespace vmafgpu
