// SPDX-License-Identifier: BSD-2-Clause-Patent
// How the caller came to the pairs (VmafGpuPairing), for the JSON and XML logs and as a line for
// the page.
#pragma once

#include <string>
#include <vector>

#include "report/report_run.h"

namespace vmafgpu {

/// nullptr: there is none. Throws Error(EINVAL) if struct_size is wrong.
const VmafGpuPairing *pairing_of(const VmafGpuLog &log);

/// Counts of frames, which merging adds up: as many as there are names, "" for a single one.
struct PairingCounts {
    const char *key;
    const std::vector<const char *> &names;
    std::vector<int64_t *> values;
};

/// Points into `pairing`.
std::vector<PairingCounts> pairing_counts(VmafGpuPairing &pairing);

/// The object `pairing` of the JSON log.
LogValue describe_pairing(const VmafGpuPairing &pairing);
std::string pairing_line(const VmafGpuPairing &pairing);

} // namespace vmafgpu
