// SPDX-License-Identifier: BSD-2-Clause-Patent
// Names of AMD architectures, and which embedded image runs on one: code for exactly that
// architecture, else code for its whole family. Called by hip_context.cpp, hip_device.cpp and
// tests/device. Needs no runtime and no device.
#pragma once

#include <string>

namespace vmafgpu {

/// The first runtime that loads code for a family (code object version 6), as
/// hipRuntimeGetVersion() counts: ROCm 6.3.
constexpr int kHipGenericVersion = 60300000;

/// "gfx90a" of "gfx90a:sramecc+:xnack-", which is how the runtime names a device.
std::string hip_base_target(const std::string &arch);

/// The family whose code runs on an architecture: "gfx11-generic" of "gfx1103". Empty if it has
/// none, such as gfx90a. From "Generic Processors" in LLVM's "User Guide for AMDGPU Backend".
std::string hip_generic_target(const std::string &arch);

/// The one of `images` ("gfx90a gfx1030 gfx11-generic") that a device of that architecture
/// takes; empty if none runs. `runtime_version` is the runtime's.
std::string hip_image_for(const std::string &images, const std::string &arch, int runtime_version);

/// True if the image for `target` ("gfx942", "gfx9-4-generic") has the kernels with simt.h's
/// matrix_s8(), and they are the faster ones there. gfx908 and gfx90a have matrix instructions for
/// bytes too, but a quarter of the rate: dot products of bytes are as fast.
bool hip_has_matrix_s8(const std::string &target);

} // namespace vmafgpu
