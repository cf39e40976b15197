// SPDX-License-Identifier: BSD-2-Clause-Patent
// Where the samples of an array lie. What an array may look like is decided in vmaf_gpu/_frames.py.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

namespace vmafgpu_python {

/// An array by DLPack or by the buffer protocol, which keeps its memory while the view lives.
class View {
public:
    /// object: an array, or a capsule of DLPack. TypeError if it is neither.
    explicit View(nanobind::handle object);

    uint64_t address() const { return reinterpret_cast<uint64_t>(array_.data()); }
    nanobind::tuple shape() const;
    /// In bytes.
    nanobind::tuple strides() const;
    /// DLPack's: 1 is unsigned integers.
    int kind() const { return array_.dtype().lanes == 1 ? array_.dtype().code : -1; }
    int bits() const { return array_.dtype().bits; }

private:
    nanobind::ndarray<nanobind::ro> array_;
};

void bind_view(nanobind::module_ &module);

} // namespace vmafgpu_python
