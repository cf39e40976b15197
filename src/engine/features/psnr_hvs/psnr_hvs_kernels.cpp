// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernels of psnr_hvs: a thread computes the terms of a block; then a block of threads adds all
// terms of a plane, in their order. psnr_hvs_record.cpp launches them.
#include "features/psnr_hvs/psnr_hvs.h"
#include "simt/serial_sum.h"

namespace vmafgpu::psnr_hvs {
namespace {

constexpr int kSlotTerms = kSlotBlocks * kTerms;

/// Block `number` of a plane, in raster order: rows are read as words, which begin before a block.
template <typename Sample>
SIMT_DEVICE void load(const TermArgs &args, int picture, int number, Block &block)
{
    constexpr int kBits = 8 * static_cast<int>(sizeof(Sample));
    constexpr int kPerWord = 32 / kBits;
    const TermArgs::Pair &pair = args.pairs[block_id_z()];
    const int64_t pitch = pair.pitches[picture];
    const int column = number % args.columns * kStep;
    const int before = column % kPerWord;
    const char *first =
        static_cast<const char *>(pair.planes[picture]) + pitch * (number / args.columns * kStep);
    SIMT_UNROLL
    for (int i = 0; i < kBlock; ++i) {
        const auto *row = reinterpret_cast<const uint32_t *>(first + pitch * i) + column / kPerWord;
        uint32_t word = load_readonly(row);
        SIMT_UNROLL
        for (int j = 0; j < kBlock; j += kPerWord) {
            const int at = j / kPerWord + 1;
            const bool is_needed = before > 0 || j + kPerWord < kBlock; // else it may be no memory
            const uint32_t next = is_needed ? load_readonly(row + at) : 0;
            const uint32_t samples = funnel_shift_right(next, word, before * kBits);
            SIMT_UNROLL
            for (int k = 0; k < kPerWord; ++k)
                block.x[kBlock * i + j + k] = static_cast<Sample>(samples >> (kBits * k));
            word = next;
        }
    }
}

/// The terms of a block. The thread's part of `kept`, a place every kSlotBlocks, has the
/// coefficients of the first picture meanwhile: as floats, which are exact.
template <typename Sample>
SIMT_DEVICE void make_terms(const TermArgs &args, int number, float *kept, float *terms)
{
    Block block;
    float mask = 0;
    SIMT_NO_UNROLL
    for (int picture = 0; picture < 2; ++picture) { // one copy of the code for both
        if (picture > 0) {
            SIMT_UNROLL
            for (int i = 0; i < kTerms; ++i)
                kept[i * kSlotBlocks] = static_cast<float>(block.x[i]);
        }
        load<Sample>(args, picture, number, block);
        const float of_picture = block.mask(args.weights);
        mask = of_picture > mask ? of_picture : mask;
    }
    SIMT_UNROLL
    for (int i = 0; i < kTerms; ++i) {
        const float difference = kept[i * kSlotBlocks] - static_cast<float>(block.x[i]);
        terms[i] = term_of(args.weights, i, difference < 0 ? -difference : difference, mask);
    }
}

/// Sum of the counts of the threads before this one. `total`: of all. [block]
SIMT_DEVICE int32_t count_before(int32_t count, int32_t &total)
{
    SIMT_SHARED(int32_t, of_waves, kSlotBlocks / kMinWave);
    int32_t until = count;
    for (int distance = 1; distance < wave_size(); distance *= 2) {
        const bool is_there = lane_id() >= distance;
        const int32_t earlier = shfl(until, is_there ? lane_id() - distance : lane_id());
        until += is_there ? earlier : 0;
    }
    if (lane_id() == wave_size() - 1)
        of_waves[wave_id()] = until;
    barrier();
    int32_t before = until - count;
    total = 0;
    for (int wave = 0; wave < kSlotBlocks / wave_size(); ++wave) {
        before += wave < wave_id() ? of_waves[wave] : 0;
        total += of_waves[wave];
    }
    return before;
}

template <typename Sample> SIMT_DEVICE void fill_slot(const TermArgs &args)
{
    SIMT_SHARED(float, shared, kSlotTerms);
    const int number = args.first + block_id_x() * kSlotBlocks + thread_id();
    float terms[kTerms];
    if (number < args.blocks) {
        make_terms<Sample>(args, number, shared + thread_id(), terms);
    } else {
        SIMT_UNROLL
        for (int i = 0; i < kTerms; ++i)
            terms[i] = 0;
    }
    int32_t count = 0;
    SIMT_UNROLL
    for (int i = 0; i < kTerms; ++i)
        count += terms[i] > 0 ? 1 : 0;
    int32_t total = 0;
    int32_t at = count_before(count, total); // all threads have read their part of `shared`
    SIMT_UNROLL
    for (int i = 0; i < kTerms; ++i)
        if (terms[i] > 0)
            shared[at++] = terms[i];
    barrier();
    auto *slot =
        reinterpret_cast<Slot *>(args.slots + args.slots_stride * block_id_z()) + block_id_x();
    for (int i = thread_id(); i < total; i += kSlotBlocks)
        slot->terms[i] = shared[i];
    if (thread_id() == 0)
        slot->count = total;
}

} // namespace

SIMT_KERNEL(psnr_hvs_terms_u8, TermArgs, kSlotBlocks, 8)
{
    fill_slot<uint8_t>(args);
}

SIMT_KERNEL(psnr_hvs_terms_u16, TermArgs, kSlotBlocks, 8)
{
    fill_slot<uint16_t>(args);
}

SIMT_KERNEL(psnr_hvs_sum, SumArgs, kSumThreads)
{
    const int plane = block_id_x();
    const int slots = args.count[plane];
    const auto *slot =
        reinterpret_cast<const Slot *>(args.slots + args.slots_stride * block_id_z()) +
        args.first[plane];
    auto *sums = reinterpret_cast<Sums *>(args.sums + args.sums_stride * block_id_z());
    SerialSum<kSumThreads, float> sum(sums->error[plane]); // what earlier passes added
    TermsAhead<kSlotTerms / kSumThreads> ahead;
    if (slots > 0)
        ahead.load(slot[0].terms, slot[0].count);
    for (int i = 0; i < slots; ++i) {
        const TermsAhead<kSlotTerms / kSumThreads> part = ahead;
        if (i + 1 < slots)
            ahead.load(slot[i + 1].terms, slot[i + 1].count);
        sum.add(part.terms);
    }
    if (thread_id() == 0)
        sums->error[plane] = sum.value;
}

} // namespace vmafgpu::psnr_hvs
