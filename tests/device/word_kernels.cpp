// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of word_kernels.h.
#include "simt/simt.h"

#include "simt/reduce.h"
#include "simt/serial_sum.h"
#include "word_kernels.h"

namespace vmafgpu {

SIMT_KERNEL(test_shuffle, WordArgs, kShuffle.threads)
{
    const uint64_t v = word_value(thread_id());
    uint64_t *out = args.out + thread_id() * kShuffleResults;
    out[0] = shfl_xor(v, wave_size() - 1);
    out[1] = broadcast(v, 17);
    out[2] = shfl(v, lane_id() * 5 % wave_size());
    out[3] = shfl_xor(static_cast<uint32_t>(v), wave_size() / 2);
}

SIMT_KERNEL(test_reduce, WordArgs, kReduce.threads)
{
    const uint64_t v = word_value(thread_id());
    args.out[block_id_x() * block_threads() + thread_id()] = wave_sum(v);
    const int64_t sum = block_sum(-static_cast<int64_t>(v >> 12));
    if (thread_id() == 0)
        args.signed_out[block_id_x()] = sum;
    const uint32_t sum32 = block_sum(static_cast<uint32_t>(thread_id()));
    if (wave_id() == 0)
        args.out32[block_id_x() * 64 + lane_id()] = sum32;
}

SIMT_KERNEL(test_reduce_twice, WordArgs, kReduceTwice.threads)
{
    // The second call must not overwrite what the first one still reads.
    const uint64_t first = block_sum(word_value(thread_id()));
    const uint64_t second = block_sum(static_cast<uint64_t>(thread_id()));
    if (thread_id() == 0) {
        args.out[0] = first;
        args.out[1] = second;
    }
}

SIMT_KERNEL(test_atomics, WordArgs, kAtomics.threads)
{
    SIMT_SHARED(uint64_t, total, 1);
    if (thread_id() == 0)
        total[0] = 0;
    barrier();
    atomic_add(&total[0], word_value(thread_id()));
    barrier();
    if (thread_id() == 0)
        atomic_add(&args.out[0], total[0]);
    atomic_add(&args.signed_out[0], -static_cast<int64_t>(thread_id()) - (INT64_C(1) << 40));
    atomic_add(&args.out32[0], 0x10000001u);
    atomic_add(reinterpret_cast<int32_t *>(&args.out32[1]), -3);
    // Tickets: every thread of the launch gets another one.
    const uint64_t ticket = atomic_add(&args.out[1], UINT64_C(1));
    atomic_add(&args.out[2 + ticket], UINT64_C(1));
}

SIMT_KERNEL(test_rotate, WordArgs, kRotate.threads)
{
    SIMT_SHARED(uint64_t, tile, 256);
    uint64_t v = word_value(thread_id());
    for (int round = 0; round < args.count; ++round) {
        tile[(thread_id() + 1) % 256] = v;
        barrier();
        v = tile[thread_id()];
        barrier();
    }
    args.out[block_id_x() * 256 + thread_id()] = v;
}

SIMT_KERNEL(test_places, WordArgs, kPlaces.threads)
{
    const int block = (block_id_z() * 3 + block_id_y()) * args.count + block_id_x();
    args.out[block * block_threads() + thread_id()] =
        static_cast<uint64_t>(wave_size() * 1000000 + wave_id() * 10000 + lane_id() * 100) +
        static_cast<uint64_t>(block_id_x() + block_id_y() + block_id_z());
}

SIMT_KERNEL(test_order, WordArgs, kOrder.threads)
{
    const uint32_t ticket = atomic_add(&args.out32[0], 1u);
    args.out[ticket] = static_cast<uint64_t>(block_id_x() * 256 + thread_id());
}

SIMT_KERNEL(test_matrix, WordArgs, kMatrix.threads)
{
    MatrixA a = {};
    MatrixB b = {};
    MatrixC c = {};
    const int lane = lane_id();
    for (int byte = 0; byte < 4; ++byte) {
        for (int i = 0; i < 4; ++i)
            a.word[i] |= matrix_byte(matrix_a_row(lane, i), matrix_a_column(lane, i) + byte)
                         << (8 * byte);
        for (int i = 0; i < 2; ++i)
            b.word[i] |=
                matrix_byte(matrix_b_row(lane, i) + byte + wave_id(), matrix_b_column(lane) + 50)
                << (8 * byte);
    }
    for (int i = 0; i < 4; ++i)
        c.word[i] = 0xffff0000u + static_cast<uint32_t>(matrix_c_row(lane, i));
    c = matrix_u8(a, b, c);
    for (int i = 0; i < 4; ++i)
        args.out[(wave_id() * 16 + matrix_c_row(lane, i)) * 8 + matrix_c_column(lane, i)] =
            c.word[i];
}

SIMT_KERNEL(test_matrix_signed, WordArgs, kMatrixSigned.threads)
{
    MatrixLine a = {}, b = {};
    MatrixC c = {};
    const int lane = lane_id(), line = matrix_line(lane);
    for (int byte = 0; byte < 8; ++byte) {
        const int place = matrix_line_place(lane, byte / 4) + byte % 4;
        a.word[byte / 4] |= matrix_byte(line, place) << (8 * (byte % 4));
        b.word[byte / 4] |= matrix_byte(place + wave_id(), line + 50) << (8 * (byte % 4));
    }
    for (int i = 0; i < 4; ++i)
        c.word[i] = 0xffff0000u + static_cast<uint32_t>(matrix_sum_row(lane, i));
    c = matrix_s8(a, b, c);
    for (int i = 0; i < 4; ++i)
        args.out[(wave_id() * 16 + matrix_sum_row(lane, i)) * 16 + matrix_sum_column(lane)] =
            c.word[i];
}

namespace {
struct LanesOf {
    const WordArgs &args;
    template <typename Kind> SIMT_DEVICE void operator()(const Kind &) const
    {
        args.out[thread_id()] = Kind::kLanes;
    }
};
} // namespace

SIMT_KERNEL(test_matrix_of_device, WordArgs, kMatrixOfDevice.threads)
{
    with_matrix(LanesOf{args});
}

SIMT_KERNEL(test_rows, WordArgs, kRows.threads)
{
    using Row = uint32_t[33];
    SIMT_SHARED(Row, rows, 64);
    for (int x = 0; x < 33; ++x)
        rows[thread_id()][x] = static_cast<uint32_t>(thread_id() * 100 + x);
    barrier();
    args.out32[thread_id()] = rows[63 - thread_id()][thread_id() % 33];
}

SIMT_KERNEL(test_many, WordArgs, kMany.threads)
{
    args.out[thread_id()] = block_sum(static_cast<uint64_t>(thread_id()));
}

/// Terms first, first + 1 ... of a kind.
template <int kLength>
SIMT_DEVICE void load_terms(const WordArgs &args, int first, float (&terms)[kLength])
{
    for (int i = 0; i < kLength; ++i) {
        const int at = first + i;
        terms[i] = at < args.count ? serial_term(block_id_x(), at) : 0;
    }
}

/// The sum of a kind of terms, of which each thread adds kLength at a time.
template <int kLength, typename T> SIMT_DEVICE T sum_serially(const WordArgs &args, T start)
{
    SerialSum<kSerialSum.threads, T> sum(start);
    SIMT_NO_UNROLL
    for (int first = 0; first < kSerialTerms; first += kSerialSum.threads * kLength) {
        float terms[kLength];
        load_terms(args, first + thread_id() * kLength, terms);
        sum.add(terms);
    }
    return sum.value;
}

/// Adds some parts one after the other, then the others by their runs.
template <typename T> SIMT_DEVICE T sum_by_runs(const WordArgs &args, T start)
{
    constexpr int kThreads = kSerialSumByRuns.threads;
    constexpr int kParts = kSerialTerms / kThreads, kFirst = 3;
    SerialSum<kThreads, T> sum(start);
    const auto add_part = [&](int part) {
        float terms[1];
        load_terms(args, part * kThreads + thread_id(), terms);
        sum.add(terms);
    };
    for (int part = 0; part < kFirst; ++part)
        add_part(part);
    PartRuns<T> own = {};
    for (int part = kFirst; part < kParts; ++part) {
        float terms[1];
        load_terms(args, part * kThreads + thread_id(), terms);
        const PartRuns<T> runs = part_runs<kThreads>(sum.value, terms);
        if (thread_id() == part - kFirst)
            own = runs;
    }
    sum.add_parts(own, kParts - kFirst, [&](int part) { add_part(kFirst + part); });
    return sum.value;
}

SIMT_DEVICE void store_sums(const WordArgs &args, float of_floats, double of_doubles)
{
    constexpr int kCopies = kSerialSum.threads;
    for (int i = thread_id(); i < kCopies; i += block_threads()) {
        uint64_t *out = args.out + (block_id_x() * kCopies + i) * 2;
        out[0] = bits_of_float(of_floats);
        out[1] = bits_of_double(of_doubles);
    }
}

SIMT_KERNEL(test_serial_sum, WordArgs, kSerialSum.threads)
{
    constexpr int kLength = kSerialTerms / kSerialSum.threads;
    const float start = serial_start(block_id_x());
    store_sums(args, sum_serially<kLength>(args, start),
               sum_serially<kLength>(args, static_cast<double>(start) * 0x1p29));
}
SIMT_KERNEL(test_serial_sum_of_parts, WordArgs, kSerialSumOfParts.threads)
{
    const float start = serial_start(block_id_x());
    store_sums(args, sum_serially<1>(args, start),
               sum_serially<1>(args, static_cast<double>(start) * 0x1p29));
}
SIMT_KERNEL(test_serial_sum_by_runs, WordArgs, kSerialSumByRuns.threads)
{
    const float start = serial_start(block_id_x());
    store_sums(args, sum_by_runs(args, start),
               sum_by_runs(args, static_cast<double>(start) * 0x1p29));
}

SIMT_KERNEL(test_store, WordArgs, kStore.threads)
{
    args.out[block_id_x() * 64 + thread_id()] = static_cast<uint64_t>(args.count);
}

SIMT_KERNEL(test_copy, WordArgs, kCopy.threads)
{
    args.out[thread_id()] = static_cast<uint64_t>(args.signed_out[thread_id()]);
}

SIMT_KERNEL(test_many_barriers, WordArgs, kManyBarriers.threads)
{
    for (int i = 0; i < args.count; ++i)
        barrier();
    if (thread_id() == 0)
        args.out[block_id_x()] = 1;
}

SIMT_KERNEL(test_many_shuffles, WordArgs, kManyShuffles.threads)
{
    uint64_t v = word_value(thread_id());
    for (int i = 0; i < args.count; ++i)
        v += shfl_xor(v, i % wave_size());
    args.out[block_id_x()] = v; // any lane's
}

} // namespace vmafgpu
