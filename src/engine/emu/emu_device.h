// SPDX-License-Identifier: BSD-2-Clause-Patent
// CONTRACT 1 implemented on the CPU: an emulated GPU with waves of 32 ("emu32") or 64 ("emu64"). It
// finds missing barriers, assumptions about the wave size, overruns, and use of uninitialised
// memory. It finds no errors of memory order and measures no speed. "auto" never chooses it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/select.h"
#include "emu/emu_settings.h"

namespace vmafgpu {

/// The defaults, changed by the environment variables. Throws Error(EINVAL) for
/// values that are no numbers.
EmuSettings emu_settings_from_environment(int wave_size);

/// Throws Error(EINVAL) for bad settings. Failed launches surface as Error(EIO) from
/// the call that runs them; text: kernel, block, and what was wrong.
std::unique_ptr<Device> open_emu_device(const EmuSettings &settings, const Log &log = Log());

// Entries of the table in gpu/backends.cpp; settings come from the environment.
std::vector<FoundDevice> find_emu32(std::string *why_none);
std::vector<FoundDevice> find_emu64(std::string *why_none);
std::unique_ptr<Device> open_emu32(const DeviceRequest &request);
std::unique_ptr<Device> open_emu64(const DeviceRequest &request);

} // namespace vmafgpu
