// SPDX-License-Identifier: BSD-2-Clause-Patent
// The settings of the emulated device. emu_device.h opens one.
#pragma once

#include <cstdint>

namespace vmafgpu {

struct EmuSettings {
    int wave_size = 64; ///< 32 or 64
    /// Order of blocks, waves and lanes; VMAFGPU_EMU_SEED, or "emu64:SEED".
    uint64_t seed = 1;
    /// Host threads that run blocks, 0 = one per core, at most 16; VMAFGPU_EMU_THREADS.
    int threads = 0;
    /// Unless 0: queued work runs only when an event is waited for, or polled once more than
    /// this, so that memory is read as late as a slow device may read it; VMAFGPU_EMU_DEFERRED.
    uint64_t deferred_polls = 0;
    /// A [wave] word that some lanes of the wave never reach is an error; otherwise they
    /// read as poison. VMAFGPU_EMU_STRICT.
    bool is_strict = true;
    /// Bytes of device memory, 0 = no limit; VMAFGPU_EMU_MEMORY.
    uint64_t memory_limit = 0;
    /// The n-th call of Device or Queue fails like a lost device, 0 = none; VMAFGPU_EMU_FAIL_AT.
    uint64_t fail_at = 0;
};

} // namespace vmafgpu
