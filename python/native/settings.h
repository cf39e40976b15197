// SPDX-License-Identifier: BSD-2-Clause-Patent
// Structs of the C API out of Python's dicts, with the memory of their texts and arrays, and back.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu_python {

/// The bytes of a name of a file: a str, bytes or path. Raises what Python's open() raises:
/// TypeError, or ValueError for a NUL.
std::string text_of(nanobind::handle value);

/// VmafGpuSettings. The models of the dict have to live until the context is open.
class Settings {
public:
    explicit Settings(const nanobind::dict &from);
    VmafGpuSettings &get() { return settings_; }

private:
    const char *keep(nanobind::handle text);
    void add_features(const nanobind::list &from);
    void add_pairing(const nanobind::dict &from);

    VmafGpuSettings settings_;
    VmafGpuChunk chunk_ = {};
    VmafGpuPairingSettings pairing_ = {};
    std::deque<std::string> texts_;
    std::vector<VmafGpuModel *> models_;
    std::vector<VmafGpuFeature> features_;
};

/// VmafGpuLog, and the VmafGpuRun of it.
class LogSettings {
public:
    explicit LogSettings(const nanobind::dict &from);
    const VmafGpuLog &get() const { return log_; }
    void add(const VmafGpuPairing &pairing);

private:
    VmafGpuLog log_ = {};
    VmafGpuRun run_ = {};
    VmafGpuPairing pairing_ = {};
    std::string path_, format_, title_;
    std::vector<int64_t> pts_;
    std::vector<std::string> warnings_;
    std::vector<const char *> warning_texts_;
};

nanobind::dict dict_of(const VmafGpuDevice &device);
nanobind::dict dict_of(const VmafGpuPairing &pairing);

} // namespace vmafgpu_python
