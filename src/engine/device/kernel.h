// SPDX-License-Identifier: BSD-2-Clause-Patent
// How host code names a kernel and its launch. Device compilers read this file too, so it uses no
// host library; hence it is separate from device.h.
#pragma once

namespace vmafgpu {

/// The largest number of pairs that one launch covers; a feature's argument structs hold this many
/// plane pointers.
constexpr int kMaxBatch = 32;

/// The largest struct that every backend can pass to a kernel by value.
constexpr unsigned kMaxArgumentBytes = 4000;

/// A kernel as the host knows it: a constant in a feature's header. `Args` is
/// the one plain struct it takes by value, at most kMaxArgumentBytes.
template <typename Args> struct Kernel {
    const char *name; ///< symbol in the code object, "vif_filter"
    unsigned threads; ///< per block; a multiple of 64, at most 1024
};

/// Blocks of a launch.
struct Grid {
    unsigned x = 1, y = 1, z = 1;
};

/// Blocks that cover `length` items, `per_block` each.
constexpr unsigned blocks_of(int length, int per_block)
{
    return static_cast<unsigned>((length + per_block - 1) / per_block);
}

} // namespace vmafgpu
