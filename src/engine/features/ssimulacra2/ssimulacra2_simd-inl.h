// SPDX-License-Identifier: BSD-2-Clause-Patent
// The sums of a plane of ssimulacra2. simd_targets.h compiles it once per level for
// ssimulacra2_cpu.cpp. With a fused multiply-add every step is the one of the reference code;
// without it there are no functions.
//
// As many rows as a vector has lanes are a group. It is turned, so that lanes are rows, and
// filtered along the rows; turned back into a ring of rows; filtered down the columns, as far as
// its rows reach; and its terms are added in raster order. All of it stays in the cache.
#include "simd/simd-inl.h"

#if HWY_NATIVE_FMA
#include "features/ssimulacra2/ssimulacra2_row-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::ssimulacra2::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

#if HWY_NATIVE_FMA

constexpr int kRingOf = kLanes32 + (kLineLead + kLanes32 - 1) / kLanes32 * kLanes32;
static_assert(kLanes32 <= kMostLanes && kRingOf < kRingRows, "memory fits");

/// A plane's scratch, by name.
struct PlaneMemory {
    const PlaneTask &task;
    float *turned, *ring, *states, *terms;

    explicit PlaneMemory(const PlaneTask &of) : task(of)
    {
        turned = of.scratch;
        ring = turned + 2 * turned_floats();
        states = ring + int64_t{kAllMoments} * kRingRows * of.pitch;
        terms = states + int64_t{kAllMoments} * 2 * kSections * of.pitch;
    }
    int64_t turned_floats() const { return int64_t{task.pitch + 2 * kPad} * kMostLanes; }
    /// Column x of a picture's turned rows.
    float *column(int picture, int x) const
    {
        return turned + picture * turned_floats() + int64_t{x + kLineLead} * kLanes32;
    }
    float *ring_row(int moment, int row) const
    {
        return ring + (int64_t{moment} * kRingRows + row) * task.pitch;
    }
    float *state(int moment, int i) const
    {
        return states + (int64_t{moment} * 2 * kSections + i) * task.pitch;
    }
    float *term(int map, int row) const
    {
        return terms + (int64_t{map} * kMostLanes + row) * task.pitch;
    }
    int moments() const { return task.has_structure ? kAllMoments : kMeans; }
};

/// Swaps blocks of 1, 2, 4 .. lanes across the diagonal.
HWY_INLINE void turn(VF32 *rows)
{
    const DF32 d;
    const DF64 wide;
    for (int i = 0; i < kLanes32; i += 2) {
        const VF32 a = rows[i], b = rows[i + 1];
        rows[i] = hn::OddEven(hn::DupEven(b), a);
        rows[i + 1] = hn::OddEven(b, hn::DupOdd(a));
    }
    for (int i = 0; i < kLanes32; i += (i & 1) != 0 ? 3 : 1) {
        const VF64 a = hn::BitCast(wide, rows[i]), b = hn::BitCast(wide, rows[i + 2]);
        rows[i] = hn::BitCast(d, hn::InterleaveLower(wide, a, b));
        rows[i + 2] = hn::BitCast(d, hn::InterleaveUpper(wide, a, b));
    }
#if HWY_TARGET == HWY_AVX3
    for (int i = 0; i < kLanes32; i += (i & 3) == 3 ? 5 : 1) {
        const VF32 a = rows[i], b = rows[i + 4];
        rows[i] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
        rows[i + 4] = hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
    }
#endif
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
    constexpr int kHalf = kLanes32 / 2;
    for (int i = 0; i < kHalf; ++i) {
        const VF32 a = rows[i], b = rows[i + kHalf];
        rows[i] = hn::ConcatLowerLower(d, b, a);
        rows[i + kHalf] = hn::ConcatUpperUpper(d, b, a);
    }
#endif
}

/// Rows first .. of both pictures, those below the last one being that one, with zeros around.
inline void turn_rows(const PlaneMemory &memory, int first)
{
    const DF32 d;
    const PlaneTask &task = memory.task;
    for (int picture = 0; picture < 2; ++picture) {
        const float *rows[kLanes32];
        for (int r = 0; r < kLanes32; ++r) {
            const int y = first + r < task.height ? first + r : task.height - 1;
            rows[r] = task.planes[picture] + int64_t{y} * task.pitch;
        }
        for (int x = 0; x < task.width; x += kLanes32) {
            VF32 tile[kLanes32];
            for (int r = 0; r < kLanes32; ++r)
                tile[r] = hn::LoadU(d, rows[r] + x);
            turn(tile);
            for (int r = 0; r < kLanes32; ++r)
                hn::StoreU(tile[r], d, memory.column(picture, x + r));
        }
        for (int x = 0; x < kLineLead; ++x) {
            hn::StoreU(hn::Zero(d), d, memory.column(picture, x - kLineLead));
            hn::StoreU(hn::Zero(d), d, memory.column(picture, task.width + x));
        }
    }
}

/// The outputs of turned rows, on their way to the ring.
class TurnedOutputs {
public:
    TurnedOutputs(float *to, int pitch) : to_(to), pitch_(pitch) {}

    HWY_INLINE void put(int x, VF32 v)
    {
        hn::StoreU(v, DF32(), tile_ + x % kLanes32 * kLanes32);
        if (x % kLanes32 == kLanes32 - 1)
            flush(x);
    }
    /// Column x is the last one.
    HWY_INLINE void flush(int x)
    {
        const DF32 d;
        VF32 tile[kLanes32];
        for (int r = 0; r < kLanes32; ++r)
            tile[r] = hn::LoadU(d, tile_ + r * kLanes32);
        turn(tile);
        for (int r = 0; r < kLanes32; ++r)
            hn::StoreU(tile[r], d, to_ + int64_t{r} * pitch_ + x / kLanes32 * kLanes32);
    }

private:
    float *to_;
    int64_t pitch_;
    float tile_[kLanes32 * kLanes32] = {};
};

struct Section {
    VF32 last, before;
};

HWY_INLINE VF32 sum_of(VF32 a, VF32 b, VF32 c)
{
    return hn::Add(a, hn::Add(b, c));
}

/// Vector form of filter_along().
HWY_INLINE VF32 along(Section *sections, VF32 in)
{
    for (int k = 0; k < kSections; ++k) {
        Section &s = sections[k];
        const VF32 out = hn::MulAdd(number32(kBack[k][0]), s.last,
                                    hn::Sub(hn::Mul(number32(kIn[k][0]), in), s.before));
        s = {out, s.last};
    }
    return sum_of(sections[0].last, sections[1].last, sections[2].last);
}

/// Vector form of filter_block().
HWY_INLINE void along_block(Section *sections, const VF32 *in, VF32 *out)
{
    VF32 made[kSections][kBlock];
    for (int k = 0; k < kSections; ++k) {
        Section &s = sections[k];
        for (int j = 0; j < kBlock; ++j) {
            VF32 v = hn::Mul(number32(kIn[k][j]), in[0]);
            for (int q = 1; q <= j; ++q)
                v = hn::MulAdd(number32(kIn[k][j - q]), in[q], v);
            v = j == 0 ? hn::Sub(v, s.before)
                       : hn::NegMulAdd(number32(kBack[k][j - 1]), s.before, v);
            made[k][j] = hn::MulAdd(number32(kBack[k][j]), s.last, v);
        }
        s = {made[k][kBlock - 1], made[k][kBlock - 2]};
    }
    for (int j = 0; j < kBlock; ++j)
        out[j] = sum_of(made[0][j], made[1][j], made[2][j]);
}

/// A group of turned rows. column(x) is that of the moment's plane.
template <typename Column>
HWY_INLINE void filter_turned(int width, const Column &column, TurnedOutputs &outputs)
{
    const auto input = [&](int i) HWY_ATTR {
        return hn::Add(column(i - kBefore), column(i + kAfter));
    };
    const VF32 zero = hn::Zero(DF32());
    Section sections[kSections] = {{zero, zero}, {zero, zero}, {zero, zero}};
    int i = -kAfter;
    for (; i < 0; ++i)
        along(sections, input(i));
    for (; i < kHead && i < width; ++i)
        outputs.put(i, along(sections, input(i)));
    for (; i < width - kTail; i += kBlock) {
        const VF32 in[kBlock] = {input(i), input(i + 1), input(i + 2), input(i + 3)};
        VF32 out[kBlock];
        along_block(sections, in, out);
        for (int j = 0; j < kBlock; ++j)
            outputs.put(i + j, out[j]);
    }
    for (; i < width; ++i)
        outputs.put(i, along(sections, input(i)));
    if (width % kLanes32 != 0)
        outputs.flush(width - 1);
}

/// Rows first .. into the ring.
inline void filter_rows(const PlaneMemory &memory, int first)
{
    const DF32 d;
    const PlaneTask &task = memory.task;
    const float *a = memory.column(0, 0);
    const float *b = memory.column(1, 0);
    const auto load = [&](const float *from, int x) HWY_ATTR {
        return hn::LoadU(d, from + int64_t{x} * kLanes32);
    };
    for (int moment = 0; moment < memory.moments(); ++moment) {
        TurnedOutputs outputs(memory.ring_row(moment, first % kRingOf), task.pitch);
        if (moment < kMeans) {
            const float *from = moment == 0 ? a : b;
            filter_turned(
                task.width, [&](int x) HWY_ATTR { return load(from, x); }, outputs);
        } else {
            const float *one = moment == 3 ? b : a;
            const float *other = moment == 2 ? a : b;
            filter_turned(
                task.width, [&](int x) HWY_ATTR { return hn::Mul(load(one, x), load(other, x)); },
                outputs);
        }
    }
}

/// Which rows of the ring the outputs first .. take, and which of them are rows of the plane.
struct RowWindow {
    int first, begin, end; ///< outputs begin .. end - 1 are wanted
    int before[kLanes32], after[kLanes32];

    RowWindow(int from, int height) : first(from)
    {
        begin = from < 0 ? -from : 0;
        end = height - from < kLanes32 ? height - from : kLanes32;
        for (int r = 0; r < kLanes32; ++r) {
            const int one = from + r - kBefore;
            const int other = from + r + kAfter;
            before[r] = one >= 0 ? one % kRingOf : kRingOf;
            after[r] = other < height ? other % kRingOf : kRingOf;
        }
    }
};

/// The outputs of a moment down kLanes32 columns from x on.
HWY_INLINE void filter_down(const PlaneMemory &memory, const RowWindow &window, int moment, int x,
                            float *to)
{
    const DF32 d;
    Section sections[kSections];
    for (int k = 0; k < kSections; ++k)
        sections[k] = {hn::LoadU(d, memory.state(moment, 2 * k) + x),
                       hn::LoadU(d, memory.state(moment, 2 * k + 1) + x)};
    for (int r = 0; r < kLanes32; ++r) {
        const VF32 in = hn::Add(hn::LoadU(d, memory.ring_row(moment, window.before[r]) + x),
                                hn::LoadU(d, memory.ring_row(moment, window.after[r]) + x));
        for (int k = 0; k < kSections; ++k) {
            Section &s = sections[k];
            const VF32 out = hn::MulAdd(number32(kIn[k][0]), in,
                                        hn::MulSub(number32(kBack[k][0]), s.last, s.before));
            s = {out, s.last};
        }
        hn::StoreU(sum_of(sections[0].last, sections[1].last, sections[2].last), d,
                   to + r * kLanes32);
    }
    for (int k = 0; k < kSections; ++k) {
        hn::StoreU(sections[k].last, d, memory.state(moment, 2 * k) + x);
        hn::StoreU(sections[k].before, d, memory.state(moment, 2 * k + 1) + x);
    }
}

/// Vector form of similarity_of().
HWY_INLINE VF32 similarity_of(const VF32 *m)
{
    const VF32 small = number32(0.0009F);
    const VF32 difference = hn::Sub(m[0], m[1]);
    const VF32 means = hn::Sub(number32(1), hn::Mul(difference, difference));
    const VF32 covariance = hn::Sub(m[4], hn::Mul(m[0], m[1]));
    const VF32 shared = hn::Add(hn::Mul(number32(2), covariance), small);
    const VF32 own = hn::Add(
        hn::Add(hn::Sub(m[2], hn::Mul(m[0], m[0])), hn::Sub(m[3], hn::Mul(m[1], m[1]))), small);
    return hn::Div(hn::Mul(means, shared), own);
}

/// Stores the sources of the terms of the window's rows, for kLanes32 columns from x on.
HWY_INLINE void store_terms(const PlaneMemory &memory, const RowWindow &window, int x,
                            const float *blurred)
{
    const DF32 d;
    const PlaneTask &task = memory.task;
    for (int r = window.begin; r < window.end; ++r) {
        VF32 m[kAllMoments];
        for (int i = 0; i < memory.moments(); ++i)
            m[i] = hn::LoadU(d, blurred + (i * kLanes32 + r) * kLanes32);
        const int64_t at = int64_t{window.first + r} * task.pitch + x;
        for (int picture = 0; picture < 2; ++picture)
            hn::StoreU(hn::Abs(hn::Sub(hn::LoadU(d, task.planes[picture] + at), m[picture])), d,
                       memory.term(1 + picture, r) + x);
        if (task.has_structure)
            hn::StoreU(similarity_of(m), d, memory.term(0, r) + x);
    }
}

/// The terms of a row, added one after the other.
template <bool kStructure> HWY_INLINE void add_row(const PlaneMemory &memory, int row, double *sums)
{
    constexpr int kChunk = 64;
    constexpr int kFirst = kStructure ? 0 : 1;
    const hn::Rebind<float, DF64> half;
    const VF64 one = hn::Set(DF64(), 1.0), zero = hn::Zero(DF64());
    const auto load = [&](int map, int x) HWY_ATTR {
        return hn::PromoteTo(DF64(), hn::LoadU(half, memory.term(map, row) + x));
    };
    double terms[kSums][kChunk];
    double total[kSums];
    for (int k = 0; k < kSums; ++k)
        total[k] = sums[k];
    for (int begin = 0; begin < memory.task.width; begin += kChunk) {
        const int rest = memory.task.width - begin;
        const int count = rest < kChunk ? rest : kChunk;
        for (int i = 0; i < count; i += kLanes64) {
            const int x = begin + i;
            const VF64 edges =
                hn::Sub(hn::Div(hn::Add(one, load(2, x)), hn::Add(one, load(1, x))), one);
            VF64 map[kMaps] = {zero, hn::Max(edges, zero), hn::Max(hn::Sub(zero, edges), zero)};
            if (kStructure)
                map[0] = hn::Max(hn::Sub(one, load(0, x)), zero);
            for (int k = kFirst; k < kMaps; ++k) {
                const VF64 square = hn::Mul(map[k], map[k]);
                hn::StoreU(map[k], DF64(), terms[k] + i);
                hn::StoreU(hn::Mul(square, square), DF64(), terms[kMaps + k] + i);
            }
        }
        for (int i = 0; i < count; ++i)
            for (int k = kFirst; k < kMaps; ++k) {
                total[k] += terms[k][i];
                total[kMaps + k] += terms[kMaps + k][i];
            }
    }
    for (int k = 0; k < kSums; ++k)
        sums[k] = total[k];
}

/// Outputs first .. of all columns, and their terms.
inline void filter_columns(const PlaneMemory &memory, int first, double *sums)
{
    const PlaneTask &task = memory.task;
    const RowWindow window(first, task.height);
    HWY_ALIGN float blurred[kAllMoments * kLanes32 * kLanes32];
    for (int x = 0; x < task.width; x += kLanes32) {
        for (int moment = 0; moment < memory.moments(); ++moment)
            filter_down(memory, window, moment, x, blurred + moment * kLanes32 * kLanes32);
        store_terms(memory, window, x, blurred);
    }
    for (int r = window.begin; r < window.end; ++r)
        if (task.has_structure)
            add_row<true>(memory, r, sums);
        else
            add_row<false>(memory, r, sums);
}

inline void run_plane(const PlaneTask &task)
{
    const PlaneMemory memory(task);
    const auto clear = [&](float *row) {
        for (int x = 0; x < task.pitch; ++x)
            row[x] = 0;
    };
    for (int moment = 0; moment < memory.moments(); ++moment) {
        clear(memory.ring_row(moment, kRingOf));
        for (int i = 0; i < 2 * kSections; ++i)
            clear(memory.state(moment, i));
    }
    double sums[kSums] = {};
    for (int y = 0; y < task.height + kAfter; y += kLanes32) {
        if (y < task.height) {
            turn_rows(memory, y);
            filter_rows(memory, y);
        }
        filter_columns(memory, y - kAfter, sums);
    }
    for (int k = 0; k < kSums; ++k)
        task.sums[k] = sums[k];
}

inline LevelForms level_forms()
{
    return {run_linear_row, run_xyb_row, run_half_row, run_plane};
}

#else

inline LevelForms level_forms()
{
    return {};
}

#endif

} // namespace vmafgpu::ssimulacra2::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();
