// SPDX-License-Identifier: BSD-2-Clause-Patent
// Words of the matrix unit of CDNA. They know nothing of simt/matrix.h, on purpose: one mistake in
// both would not be seen. No accumulation registers: the kernels use none (SIMT_HIP_WAVES).
#include "words.h"

namespace vmafgpu {
namespace isa {

namespace {

using u32 = uint32_t;

/// Byte k of line `line` of an operand of 16 lines of 32 bytes: lane line + 16 * (k / 8) holds
/// bytes k to k + 7, the first in the low bits of the first register. As AMD's matrix instruction
/// calculator prints it for CDNA 3; IREE's table of layouts says the same.
int32_t element(const Lanes<64, uint64_t> &lanes, int line, int k)
{
    return static_cast<int8_t>(lanes.at[line + 16 * (k / 8)] >> (8 * (k % 8)) & 255);
}

/// The sums' register i of a lane is row 4 * (lane / 16) + i, column lane % 16. Lanes that are off
/// in EXEC take part, too.
void multiply(Wave<64> &wave, const Inst &inst)
{
    Lanes<64, uint64_t> a, b;
    read<uint64_t, 64>(wave, inst, 0, a);
    read<uint64_t, 64>(wave, inst, 1, b);
    u32 sums[4][64];
    const Operand &from = inst.from[2];
    for (int i = 0; i < 4; ++i) {
        for (int lane = 0; lane < 64; ++lane) {
            const int row = 4 * (lane / 16) + i, column = lane % 16;
            u32 sum = from.is_vector() ? wave.vectors[from.index + i][lane]
                                       : scalar_bits<u32>(wave, from);
            for (int k = 0; k < 32; ++k)
                sum += static_cast<u32>(element(a, row, k) * element(b, column, k));
            sums[i][lane] = sum;
        }
    }
    for (int i = 0; i < 4; ++i)
        std::memcpy(wave.vectors[inst.to[0].index + i], sums[i], sizeof(sums[i]));
}

} // namespace

void add_matrix_words(Table &table)
{
    special(table, "v_mfma_i32_16x16x32_i8",
            word_of(Unit::kVector, 1, {Type::kU64, Type::kU64, Type::kU32}),
            [](auto &wave, const Inst &inst) {
                if constexpr (kLanesOf<decltype(wave)> == 64)
                    multiply(wave, inst);
                else
                    wave.fail(inst, "waves of 32 have no matrix unit");
            });
}

} // namespace isa
} // namespace vmafgpu
