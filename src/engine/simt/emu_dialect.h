// SPDX-License-Identifier: BSD-2-Clause-Patent
// simt.h for the emulator: kernels are host functions that register themselves by
// name, threads are fibers. One object serves waves of 32 and of 64. Included by
// simt.h in sources compiled with -DSIMT_EMU; the functions declared here are in
// block_runner.cpp, the register in kernel_registry.cpp.
#pragma once

#include <cstdint>
#include <cstring>

#define SIMT_EMU_DIALECT
#include "simt/host_dialect.h"
#include "simt/kernel_registry.h"

namespace vmafgpu {
namespace emu {

/// Data that all threads of a running block share.
struct BlockView {
    int id_x, id_y, id_z;
    int blocks_x;
    int threads;
    int wave_size;
};

/// The thread that runs now on this host thread.
struct ThreadView {
    int thread;
    int lane;
    int wave;
    const BlockView *block;
};

// Set by the block runner around every switch; null outside a kernel.
extern __thread const ThreadView *current __attribute__((tls_model("initial-exec")));

enum class Wait : uint8_t { kNone, kBarrier, kWaveBarrier, kShuffle };

/// Wait for the block, or for the wave; `line` is where the kernel calls it.
void block_barrier(int line);
/// Every lane gives a value (of the size `bytes`) and gets those of all lanes, valid until its next
/// [wave] word. Lanes that have ended read as poison.
const uint64_t *wave_exchange(Wait kind, uint64_t value, int line);
/// Memory of the shared array that `tag` stands for: the same for all threads of the block.
void *shared_array(const void *tag, const char *name, size_t bytes, size_t alignment);
/// Give up the launch: the word was used wrongly.
[[noreturn]] void misuse(const char *text, int line);

/// The value that a shuffle reads from a lane that has ended.
constexpr uint64_t kPoison = UINT64_C(0xa7a7a7a7a7a7a7a7);

template <typename T> inline T shuffled(T v, int source, int line)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "4 or 8 bytes");
    uint64_t bits = 0;
    std::memcpy(&bits, &v, sizeof(v));
    const uint64_t *all = wave_exchange(Wait::kShuffle, bits, line);
    std::memcpy(&v, &all[source], sizeof(v));
    return v;
}

} // namespace emu

inline int thread_id()
{
    return emu::current->thread;
}
inline int block_threads()
{
    return emu::current->block->threads;
}
inline int block_id_x()
{
    return emu::current->block->id_x;
}
inline int block_id_y()
{
    return emu::current->block->id_y;
}
inline int block_id_z()
{
    return emu::current->block->id_z;
}
inline int wave_size()
{
    return emu::current->block->wave_size;
}

// Returns true in a third of the blocks of a launch, so that both ways run.
inline bool has_dot2_u16()
{
    return (block_id_x() + block_id_y()) % 3 == 2;
}
inline bool has_dot4_u8()
{
    return (block_id_x() + block_id_y()) % 3 != 0;
}

inline bool has_scarce_double()
{
    return block_id_x() % 2 == 0;
}

inline bool has_scarce_shared() // one answer for a block, as barriers need it
{
    return (block_id_x() + block_id_y()) % 2 == 0;
}

inline bool has_wave_add() // one answer for a block
{
    return (block_id_x() + block_id_z()) % 2 == 0;
}

inline int lane_id()
{
    return emu::current->lane;
}
inline int wave_id()
{
    return emu::current->wave;
}

// `line` is never passed: its default is the line of the kernel that calls the word.
inline void barrier(int line = __builtin_LINE())
{
    emu::block_barrier(line);
}

inline void wave_barrier(int line = __builtin_LINE())
{
    emu::wave_exchange(emu::Wait::kWaveBarrier, 0, line);
}

template <typename T> inline T shfl(T v, int lane, int line = __builtin_LINE())
{
    if (lane < 0 || lane >= wave_size())
        emu::misuse("shfl from a lane that no wave has", line);
    return emu::shuffled(v, lane, line);
}

template <typename T> inline T broadcast(T v, int lane, int line = __builtin_LINE())
{
    if (lane < 0 || lane >= wave_size())
        emu::misuse("broadcast from a lane that no wave has", line);
    return emu::shuffled(v, lane, line);
}

template <typename T> inline T shfl_xor(T v, int mask, int line = __builtin_LINE())
{
    if (mask < 0 || mask >= wave_size())
        emu::misuse("shfl_xor with a mask that leaves the wave", line);
    return emu::shuffled(v, lane_id() ^ mask, line);
}

inline uint32_t wave_add(uint32_t v, int line = __builtin_LINE())
{
    const uint64_t *all = emu::wave_exchange(emu::Wait::kShuffle, v, line);
    uint32_t sum = 0;
    for (int lane = 0; lane < wave_size(); ++lane)
        sum += static_cast<uint32_t>(all[lane]);
    return sum;
}

namespace emu {

/// Pairs of words of all lanes.
template <int count> struct Gathered {
    uint64_t pairs[count][64];

    Gathered(const uint32_t (&mine)[2 * count], int line)
    {
        for (int i = 0; i < count; ++i) {
            const uint64_t pair = static_cast<uint64_t>(mine[2 * i + 1]) << 32 | mine[2 * i];
            std::memcpy(pairs[i], wave_exchange(Wait::kShuffle, pair, line),
                        sizeof(uint64_t) * static_cast<size_t>(current->block->wave_size));
        }
    }
    uint32_t word(int lane, int i) const
    {
        return static_cast<uint32_t>(pairs[i / 2][lane] >> (32 * (i % 2)));
    }
};

} // namespace emu

inline MatrixC matrix_u8(const MatrixA &a, const MatrixB &b, const MatrixC &c,
                         int line = __builtin_LINE())
{
    if (wave_size() != MatrixU8::kLanes)
        emu::misuse("matrix_u8 on a wave that has not 32 lanes", line);
    const emu::Gathered<3> all({a.word[0], a.word[1], a.word[2], a.word[3], b.word[0], b.word[1]},
                               line);
    return plain::matrix_u8(
        lane_id(), [&](int lane, int word) { return all.word(lane, word); },
        [&](int lane, int word) { return all.word(lane, 4 + word); }, c);
}

inline MatrixC matrix_s8(const MatrixLine &a, const MatrixLine &b, const MatrixC &c,
                         int line = __builtin_LINE())
{
    if (wave_size() != MatrixS8::kLanes)
        emu::misuse("matrix_s8 on a wave that has not 64 lanes", line);
    const emu::Gathered<2> all({a.word[0], a.word[1], b.word[0], b.word[1]}, line);
    return plain::matrix_s8(
        lane_id(), [&](int lane, int word) { return all.word(lane, word); },
        [&](int lane, int word) { return all.word(lane, 2 + word); }, c);
}

constexpr int kMatrixMostLanes = MatrixS8::kLanes;
template <typename F> inline void with_matrix(const F &f)
{
    if (wave_size() == MatrixU8::kLanes)
        f(MatrixU8());
    else
        f(MatrixS8());
}

template <typename T> inline T atomic_add(T *p, T v)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "int32_t, uint32_t, int64_t, uint64_t");
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}

} // namespace vmafgpu

#define SIMT_SHARED(type, name, count)                                                             \
    static char name##_tag;                                                                        \
    type(&name)[count] = *static_cast<type(*)[count]>(                                             \
        ::vmafgpu::emu::shared_array(&name##_tag, #name, sizeof(type) * (count), alignof(type)))

#define SIMT_DEFINE_KERNEL(name, Args, threads, min_blocks)                                        \
    static void name(const Args &args);                                                            \
    static void name##_entry(const void *args)                                                     \
    {                                                                                              \
        name(*static_cast<const Args *>(args));                                                    \
    }                                                                                              \
    static ::vmafgpu::emu::KernelEntry name##_kernel{#name, SIMT_EMU_MODULE_NAME, name##_entry,    \
                                                     sizeof(Args), threads};                       \
    static void name(const Args &args)

// The library's own kernels files get a module name from meson.build: a symbol that
// emu_modules.cpp asks for, so that a static link keeps the object and its register.
#ifdef SIMT_EMU_MODULE
#define SIMT_EMU_TEXT2(a) #a
#define SIMT_EMU_TEXT(a) SIMT_EMU_TEXT2(a)
#define SIMT_EMU_MODULE_NAME SIMT_EMU_TEXT(SIMT_EMU_MODULE)
#define SIMT_EMU_JOIN2(a, b) a##b
#define SIMT_EMU_JOIN(a, b) SIMT_EMU_JOIN2(a, b)
extern "C" void SIMT_EMU_JOIN(vmafgpu_emu_module_, SIMT_EMU_MODULE)();
extern "C" void SIMT_EMU_JOIN(vmafgpu_emu_module_, SIMT_EMU_MODULE)()
{
}
#else
#define SIMT_EMU_MODULE_NAME ""
#endif
