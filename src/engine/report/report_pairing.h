// SPDX-License-Identifier: BSD-2-Clause-Patent
// How the caller came to the pairs (VmafGpuPairing), as keys and values for the JSON and XML logs
// and as a line for the page. The logs' writers print them.
#pragma once

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

/// nullptr: there is none. Throws Error(EINVAL) if struct_size is wrong.
const VmafGpuPairing *pairing_of(const VmafGpuLog &log);

/// Counts of frames, which merging adds up: as many as there are names, "" for a single one.
struct PairingCounts {
    const char *key;
    const std::vector<const char *> &names;
    int64_t *values;
};

/// Points into `pairing`.
std::vector<PairingCounts> pairing_counts(VmafGpuPairing &pairing);

std::vector<PairingEntry> pairing_entries(const VmafGpuPairing &pairing);
/// The member "pairing" of a JSON object that has others before it.
std::string json_pairing(const VmafGpuPairing &pairing);
std::string pairing_line(const VmafGpuPairing &pairing);

} // namespace vmafgpu
