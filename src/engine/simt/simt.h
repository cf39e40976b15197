// SPDX-License-Identifier: BSD-2-Clause-Patent
// CONTRACT 2: the device language. Every *_kernels.cpp is written in these words and compiled
// alone: by nvcc (-DSIMT_CUDA), by clang for AMD (-DSIMT_HIP) and for OpenCL (-DSIMT_OPENCL), and
// by the host compiler for the emulator (-DSIMT_EMU). In other host sources this header provides
// only qualifiers, tables and integer words, so that reference code can share them. This file says
// what a word means; the dialects (*_dialect.h) define it. A new word needs a definition in all
// dialects and a test in tests/device. A word that only saves time has a plain definition in
// plain.h.
//
// Rules of a kernels file
//  1. A block is one-dimensional: a multiple of 64 threads, at most 1024.
//  2. Lanes of a wave are consecutive threads; no code may assume how many: ask
//     wave_size(). Arrays with one entry per wave hold threads / kMinWave entries.
//  3. Words marked [wave] are called by every lane of the wave, words marked [block]
//     by every thread of the block, each time from the same place in the source. So
//     no early return before them: guard the work, not the word.
//  4. Across threads only integers are accumulated (any order gives the same sum).
//  5. Helpers sit in an anonymous namespace and are SIMT_DEVICE; kernels sit in
//     namespace vmafgpu itself. No vendor intrinsic, no #if on a vendor.
//
// Definitions
//  SIMT_KERNEL(name, Args, threads, min_blocks) { body }
//      a kernel; the body sees `args`, a constant Args. `threads` is what launches
//      use at most (Kernel::threads), `min_blocks` how many blocks should fit on
//      one multiprocessor (a hint that limits registers); both may be left out, from
//      the right (1024, 1).
//      Each has a second argument, unseen by the body: where its first block counts the
//      launch when it has ended (Queue::count_launches). The emulator's queue does so itself.
//  SIMT_DEVICE        helper function for kernels only, always inlined
//  SIMT_HOST_DEVICE   helper function for kernels and host
//  SIMT_TABLE         constant table for kernels and host: SIMT_TABLE int kT[2] = {1, 2};
//                     a constant index costs nothing, one that differs between lanes is
//                     slow on CUDA: pass such tables by pointer in Args
//  SIMT_SHARED(type, name, count)       array in the block's shared memory; its
//                     contents are undefined until written. `type` is trivial and may be
//                     an alias of an array type (rows). Same array for every call of a function.
//  SIMT_UNROLL        in front of a loop with a constant trip count
//  SIMT_NO_UNROLL     in front of one that must stay a loop, to save registers
//
// Where am I (int)
//  thread_id()        0 .. block_threads() - 1
//  block_threads()    threads of the block (a constant of the kernel is faster)
//  block_id_x/y/z()   this block's place in the grid
//  wave_size()        lanes of a wave: 32 or 64, in OpenCL also 8 or 16; the only place that knows
//  lane_id()          0 .. wave_size() - 1
//  wave_id()          thread_id() / wave_size()
//
// Between threads
//  barrier()          [block] shared and global writes before it are seen after it
//  wave_barrier()     [wave] the same among the lanes of a wave
//  shfl(v, lane)      [wave] v of that lane; 0 <= lane < wave_size()
//  broadcast(v, lane) [wave] the same, lane is equal in the whole wave
//  shfl_xor(v, mask)  [wave] v of lane_id() ^ mask; mask < wave_size()
//      v: any trivial type of 4 or 8 bytes, moved whole.
//  matrix_u8(a, b, c) [wave] c + a * b, for unsigned bytes a (16 x 32) and b (32 x 8) and sums
//                     modulo 2^32; operands and who holds what of them: matrix.h. For
//                     launches on queues whose traits() say matrix_lanes == 32
//  matrix_s8(a, b, c) [wave] the same for signed bytes a (16 x 32) and b (32 x 16); for
//                     matrix_lanes == 64
//  with_matrix(f)     [wave] f(MatrixU8()) or f(MatrixS8()): the word of the two that this device
//                     has. kMatrixMostLanes: lanes of a wave there, at most
//  wave_add(v)        [wave] sum of all lanes' v, uint32_t, modulo 2^32; every lane gets it. Where
//                     has_wave_add() is true it is one instruction
//  atomic_add(p, v)   *p += v; int32_t, uint32_t, int64_t, uint64_t in global or shared memory;
//                     relaxed. No word reads such a sum during the launch
//  wave_sum, block_sum: reduce.h
//
// has_scarce_shared()  whether shared memory is what limits the waves of a multiprocessor, so that
//                    a kernel may use less of it at the price of more barriers
// has_scarce_double()  whether an addition of doubles takes 16 times as long as one of floats, or
//                    longer, so that a kernel may use many integer words instead
//
// Integer words (also on the host; definitions: plain.h)
//  has_dot2_u16()     whether dot2_u16(a, b, c) is one instruction; else mul24() serves better
//  has_dot4_u8()      the same for dot4_u8(a, b, c)
//  clz32(v), mul24(a, b), multiply2_u16(a, b), dot2_u16_u8_lo(a, b, c), dot2_u16_u8_hi(a, b, c),
//  dot2_s16_u8_lo(a, b, c), dot2_s16_u8_hi(a, b, c), reciprocal_estimate(x),
//  float_of_bits(v), bits_of_float(x), double_of_bits(v), bits_of_double(x),
//  byte_permute(a, b, selector), funnel_shift_right(high, low, n), square_root(v),
//  load_readonly(p), float_bits_about(v), double_from(v), truncated(v), divide(a, b)
//  multiply_add(a, b, c)  a * b + c in float or double, rounded once
//
// double and float arithmetic is written as ordinary C++: every compiler of the
// project is told not to contract a * b + c and to divide as IEEE 754 says.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vmafgpu {
/// Fewest lanes of a wave: sizes arrays with one entry per wave. OpenCL's build says 8 for sources
/// that take so few (src/engine/meson.build).
#ifdef SIMT_MIN_WAVE
constexpr int kMinWave = SIMT_MIN_WAVE;
#else
constexpr int kMinWave = 32;
#endif
} // namespace vmafgpu

// SIMT_KERNEL with two to four arguments becomes SIMT_DEFINE_KERNEL(name, Args,
// threads, min_blocks) of the dialect.
#define SIMT_PICK_KERNEL(a, b, c, d, macro, ...) macro
#define SIMT_KERNEL_2(name, Args) SIMT_DEFINE_KERNEL(name, Args, 1024, 1)
#define SIMT_KERNEL_3(name, Args, threads) SIMT_DEFINE_KERNEL(name, Args, threads, 1)
#define SIMT_KERNEL_4(name, Args, threads, min_blocks)                                             \
    SIMT_DEFINE_KERNEL(name, Args, threads, min_blocks)
#define SIMT_KERNEL(...)                                                                           \
    SIMT_PICK_KERNEL(__VA_ARGS__, SIMT_KERNEL_4, SIMT_KERNEL_3, SIMT_KERNEL_2, SIMT_KERNEL_1, )    \
    (__VA_ARGS__)

#if defined(SIMT_CUDA)
#include "simt/cuda_dialect.h"
#elif defined(SIMT_HIP)
#include "simt/hip_dialect.h"
#elif defined(SIMT_OPENCL)
#include "simt/opencl_dialect.h"
#elif defined(SIMT_EMU)
#include "simt/emu_dialect.h"
#else
#include "simt/host_dialect.h"
#endif

#include "base/numeric.h"
