// SPDX-License-Identifier: BSD-2-Clause-Patent
// Stand-ins for GPU drivers: libraries with the entry points that src/engine/hip
// (libamdhip64) and src/engine/cuda (libcuda) use, so that the host code of both backends
// runs where there is no GPU. entry_hip.cpp and entry_cuda.cpp hold the entry points;
// what both have in common is in entry.cpp, written on a Device of this project: the
// emulator (device_emu.cpp), or for HIP also a CUDA GPU (device_cuda.cpp). rig.cpp counts
// calls, makes them fail, and keeps the list of what was not given back.
//
// Settings, from the environment or by vmafgpu_standin_set():
//  VMAFGPU_STANDIN_WAVE=32|64     HIP: waves; 32 (default) reports gfx1030, 64 gfx90a
//  VMAFGPU_STANDIN_ARCH=gfx906    HIP: reports that architecture instead; gfx1036,gfx1030: those
//                                 of the first device and of all others
//  VMAFGPU_STANDIN_HIP_VERSION=60221132  HIP: the runtime's version; default: 6.4
//  VMAFGPU_STANDIN_CAPABILITY=80  CUDA: compute capability, 10 * major + minor, or a list; the
//                                 default is the first of the build's images
//  VMAFGPU_STANDIN_CUDA_VERSION=12040  CUDA: what the driver supports
//  VMAFGPU_STANDIN_DEVICES=2      how many devices there are; 0: none
//  VMAFGPU_STANDIN_UNITS=2i,60    multiprocessors of the devices, the last for all others; i:
//                                 integrated; default: 2
//  VMAFGPU_STANDIN_FAIL=LIST      calls that fail, by commas:
//      17=719             the 17th call of all returns 719
//      hipMalloc#3=2      the third hipMalloc returns 2
//      hipMalloc#*=2      every hipMalloc
//      lost#40=719        the 40th call and every later one
//      broken#40=719      the same, but for those that make a device or context current
//  VMAFGPU_STANDIN_LOG=FILE       the names of all calls in order, written at exit
// Names are those of error texts: cuMemAlloc, not cuMemAlloc_v2. Calls that give something
// back do so even when they report failure. At exit a process that leaked or misused
// handles ends with status 86, and says so on stderr.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.h"

// Functions that the library exports. standin.map hides everything else, and on Windows nothing
// else is exported.
#ifdef _WIN32
#define STANDIN_SHOWN __declspec(dllexport)
#else
#define STANDIN_SHOWN __attribute__((visibility("default")))
#endif

namespace vmafgpu {
namespace standin {

/// Results; CUDA and HIP give them the same numbers.
constexpr int kSuccess = 0;
constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr int kNoDevice = 100;
constexpr int kInvalidDevice = 101;
constexpr int kInvalidImage = 200;
constexpr int kInvalidContext = 201;
constexpr int kNoBinaryForGpu = 209;
constexpr int kInvalidHandle = 400;
constexpr int kNotFound = 500;
constexpr int kNotReady = 600;
constexpr int kLaunchFailure = 719;
constexpr int kNotSupported = 801;

// ---- what a stand-in's devices are: device_emu.cpp or device_cuda.cpp

std::vector<VmafGpuDevice> list_devices();
std::unique_ptr<Device> open_device(int ordinal);
/// Bytes of a kernel's argument struct, which its image declares as `declared`; 0 if this
/// stand-in has no such kernel.
size_t argument_bytes(const std::string &kernel, size_t declared);

// ---- entry_hip.cpp or entry_cuda.cpp

/// Lanes of a wave of the emulated devices.
int wave_size();

// ---- rig.cpp

/// Counts a call; the result that it shall return, or kSuccess.
int enter(const char *name);
/// A call that a program must not make: said on stderr, and remembered.
int misused(const char *name, const std::string &what, int result);

enum class Kind { kContext, kModule, kStream, kEvent, kDeviceMemory, kHostMemory, kImport };

/// `place`: what it belongs to, see Place.
void add(Kind kind, const void *handle, int place);
/// Counts a stream that has been added.
void count_stream(bool is_urgent);
/// False if there is no such handle of that kind.
bool remove(Kind kind, const void *handle);
/// The place of a handle of that kind, or -1.
int place_of(Kind kind, const void *handle);
/// Returns what is left of a place that ends. Anything left is a leak, unless calls were made to
/// fail.
std::vector<std::pair<Kind, void *>> take_all_of(int place);

/// Environment variable as text, or `otherwise`.
std::string setting(const char *name, const std::string &otherwise);
int number_setting(const char *name, int otherwise);
/// Entry `i` of a list by commas, whose last one counts for all that follow.
std::string list_setting(const char *name, int i, const std::string &otherwise);
int units_of(int ordinal);
int is_integrated(int ordinal);

} // namespace standin
} // namespace vmafgpu

// Functions for tests in the same process, which dlsym() finds.
extern "C" {
/// Replaces VMAFGPU_STANDIN_FAIL and starts counting anew.
void vmafgpu_standin_set(const char *failures);
/// Calls since then.
int vmafgpu_standin_calls(void);
/// Name of call i (from 1) since then; "" if there was none.
const char *vmafgpu_standin_call(int i);
/// Handles that are alive.
int vmafgpu_standin_alive(void);
/// Handles that went only because their context went, since then.
int vmafgpu_standin_left(void);
/// The most streams that were alive at a time since then, or those that were made with a priority
/// above the normal one.
int vmafgpu_standin_streams(void);
int vmafgpu_standin_urgent_streams(void);
/// Misuses so far.
int vmafgpu_standin_misuses(void);
}
