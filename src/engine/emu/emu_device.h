// SPDX-License-Identifier: BSD-2-Clause-Patent
// The emulated GPU: CONTRACT 1 on the CPU, with waves of 32 ("emu32") or 64
// ("emu64"). Finds missing barriers, width assumptions, overruns, use of
// uninitialised memory; not memory-order bugs, and it measures no speed. Never
// chosen by "auto". Tests open it with settings of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device.h"

namespace vmafgpu {

struct EmuSettings {
    int wave_size = 64; ///< 32 or 64
    /// Order of blocks, waves and lanes; VMAFGPU_EMU_SEED, or "emu64:SEED".
    uint64_t seed = 1;
    /// Host threads that run blocks, 0 = one per core, at most 16; VMAFGPU_EMU_THREADS.
    int threads = 0;
    /// Queued work runs only when an event is waited for, or polled a second time, so that
    /// pinned memory is read as late as a device may read it; VMAFGPU_EMU_DEFERRED.
    bool is_deferred = false;
    /// A [wave] word that some lanes of the wave never reach is an error; otherwise they
    /// read as poison. VMAFGPU_EMU_STRICT.
    bool is_strict = true;
    /// Bytes of device memory, 0 = no limit; VMAFGPU_EMU_MEMORY.
    uint64_t memory_limit = 0;
    /// The n-th call of Device or Queue fails like a lost device, 0 = none; VMAFGPU_EMU_FAIL_AT.
    uint64_t fail_at = 0;
};

/// The defaults, changed by the environment variables. Throws Error(EINVAL) for
/// values that are no numbers.
EmuSettings emu_settings_from_environment(int wave_size);

/// Throws Error(EINVAL) for bad settings. Failed launches surface as Error(EIO) from
/// the call that runs them; text: kernel, block, and what was wrong.
std::unique_ptr<Device> open_emu_device(const EmuSettings &settings, const Log &log = Log());

// For the table of backends in device.cpp; settings come from the environment.
std::vector<VmafGpuDevice> emu32_devices(std::string *why_none);
std::vector<VmafGpuDevice> emu64_devices(std::string *why_none);
std::unique_ptr<Device> open_emu32(const DeviceRequest &request);
std::unique_ptr<Device> open_emu64(const DeviceRequest &request);

} // namespace vmafgpu
