// SPDX-License-Identifier: BSD-2-Clause-Patent
// The emulated GPU: CONTRACT 1 on the CPU, with waves of 32 ("emu32") or 64
// ("emu64"). Finds missing barriers, width assumptions, overruns, use of
// uninitialised memory; not memory-order bugs, and it measures no speed. Never
// chosen by "auto". Tests open it with settings of their own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.h"
#include "emu/emu_settings.h"

namespace vmafgpu {

/// The defaults, changed by the environment variables. Throws Error(EINVAL) for
/// values that are no numbers.
EmuSettings emu_settings_from_environment(int wave_size);

/// Throws Error(EINVAL) for bad settings. Failed launches surface as Error(EIO) from
/// the call that runs them; text: kernel, block, and what was wrong.
std::unique_ptr<Device> open_emu_device(const EmuSettings &settings, const Log &log = Log());

// For the table in gpu/backends.cpp; settings come from the environment.
std::vector<VmafGpuDevice> emu32_devices(std::string *why_none);
std::vector<VmafGpuDevice> emu64_devices(std::string *why_none);
std::unique_ptr<Device> open_emu32(const DeviceRequest &request);
std::unique_ptr<Device> open_emu64(const DeviceRequest &request);

} // namespace vmafgpu
