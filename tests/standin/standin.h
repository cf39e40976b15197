// SPDX-License-Identifier: BSD-2-Clause-Patent
// Stand-ins for AMD's HIP runtime: libraries with the entry points that
// src/engine/hip uses, so that the HIP backend runs where there is no AMD GPU. The
// entry points (entry_*.cpp) are written on a Device of this project: the emulator
// (device_emu.cpp), or a CUDA GPU (device_cuda.cpp). rig.cpp counts calls, makes them
// fail, and keeps the list of what was not given back.
//
// Settings, from the environment or by vmafgpu_standin_set():
//  VMAFGPU_STANDIN_WAVE=32|64     waves; 32 (default) reports gfx1030, 64 gfx90a
//  VMAFGPU_STANDIN_ARCH=gfx906    reports that architecture instead
//  VMAFGPU_STANDIN_DEVICES=2      how many devices there are; 0: none
//  VMAFGPU_STANDIN_FAIL=LIST      calls that fail, by commas:
//      17=719             the 17th call of all returns 719
//      hipMalloc#3=2      the third hipMalloc returns 2
//      hipMalloc#*=2      every hipMalloc
//      lost#40=719        the 40th call and every later one
//  VMAFGPU_STANDIN_LOG=FILE       the names of all calls in order, written at exit
// Calls that give something back do so even when they report failure. At exit a process
// that leaked or misused handles ends with status 86, and says so on stderr.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.h"
#include "hip/hip_api.h"
#include "hip/hip_image.h"

namespace vmafgpu {
namespace standin {

// ---- what a stand-in's devices are: device_emu.cpp or device_cuda.cpp

std::vector<VmafGpuDevice> list_devices();
std::unique_ptr<Device> open_device(int ordinal);
/// What the runtime would report as architecture, with features.
std::string arch_of(int ordinal);
/// Bytes of the kernel's argument struct; 0 if this stand-in has no such kernel.
size_t argument_bytes(const HipKernelInfo &kernel);

// ---- rig.cpp

/// Counts a call; the result it shall return, or kHipSuccess.
HipResult enter(const char *name);
/// A call that a program must not make: said on stderr, and remembered.
HipResult misused(const char *name, const std::string &what, HipResult result);

enum class Kind { kModule, kFunction, kStream, kEvent, kDeviceMemory, kHostMemory, kImport };

void add(Kind kind, const void *handle);
/// False if there is no such handle of that kind.
bool remove(Kind kind, const void *handle);
bool is_known(Kind kind, const void *handle);

/// Environment variable as text, or `otherwise`.
std::string setting(const char *name, const std::string &otherwise);

} // namespace standin
} // namespace vmafgpu

// For tests in the same process; found by dlsym().
extern "C" {
/// Replaces VMAFGPU_STANDIN_FAIL and starts counting anew.
void vmafgpu_standin_set(const char *failures);
/// Calls since then.
int vmafgpu_standin_calls(void);
/// Name of call i (from 1) since then; "" if there was none.
const char *vmafgpu_standin_call(int i);
/// Handles that are alive, functions aside.
int vmafgpu_standin_alive(void);
/// Misuses so far.
int vmafgpu_standin_misuses(void);
}
