// SPDX-License-Identifier: BSD-2-Clause-Patent
#include <cerrno>
#include "cambi.h"
#include "error.h"
namespace vmafgpu {
size_t cambi_device_scratch(const Format &, const CambiConfig &) { return 0; }
size_t cambi_device_tables(const Format &, const CambiConfig &) { return 0; }
void cambi_fill_device_tables(const Format &, const CambiConfig &, void *) {}
void cambi_record(const Format &, const CambiConfig &, Queue &, const BatchView &) { throw Error(ENOSYS, "x"); }
}
