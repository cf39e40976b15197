// SPDX-License-Identifier: BSD-2-Clause-Patent
// Approximate reciprocals as processors for x86-64 have them (the instruction RCPSS). libvmaf's
// float ADM multiplies by them, and makers of processors differ in their table. Here: those of this
// processor and two fixed ones. A subject of its own: it knows processors, and nothing of pictures.
#include "features/float_adm/float_adm.h"

#include <cmath>
#include <cstring>

#include "features/float_adm/float_adm_tables.h"

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace vmafgpu::float_adm {

namespace {

constexpr uint32_t kOne = 0x3f800000;
constexpr uint32_t kHalf = 0x3f000000;
constexpr int kDroppedBits = 23 - kReciprocalBits;

bool is_same(const ReciprocalTable &a, const ReciprocalTable &b)
{
    return std::memcmp(a.bits, b.bits, sizeof(a.bits)) == 0;
}

#ifdef __x86_64__
const ReciprocalTable *executed_table()
{
    static const ReciprocalTable table = [] {
        ReciprocalTable made = {};
        for (uint32_t i = 0; i < kReciprocals; ++i) {
            const uint32_t argument = kOne + (i << kDroppedBits);
            float x;
            std::memcpy(&x, &argument, sizeof(x));
            const float y = _mm_cvtss_f32(_mm_rcp_ss(_mm_set_ss(x)));
            std::memcpy(&made.bits[i], &y, sizeof(y));
        }
        made.is_hosts = true;
        return made;
    }();
    return &table;
}
#else
const ReciprocalTable *executed_table()
{
    return nullptr;
}
#endif

ReciprocalTable marked(ReciprocalTable table)
{
    const ReciprocalTable *host = executed_table();
    table.is_hosts = host != nullptr && is_same(table, *host);
    return table;
}

ReciprocalTable amd_table()
{
    ReciprocalTable table = {};
    for (int i = 0; i < kReciprocals; ++i) {
        const int row = i >> 8;
        const int mantissa = kReciprocalCoarse[row][i >> 4 & 15] - kReciprocalFine[row][i & 15];
        table.bits[i] = kHalf + (static_cast<uint32_t>(mantissa) << kDroppedBits);
    }
    return marked(table);
}

ReciprocalTable intel_table()
{
    ReciprocalTable table = {};
    for (int i = 0; i < kReciprocals; ++i) {
        const double middle = 1 + (i / 2 + 0.5) / 2048; // NOLINT: of two neighbours
        const double mantissa = std::floor(8192 * (1 / middle - 0.5) + 0.5);
        table.bits[i] = kHalf + (static_cast<uint32_t>(mantissa) << kDroppedBits);
    }
    return marked(table);
}

const char *maker_of(const ReciprocalTable &table)
{
    if (is_same(table, *reciprocal_table(ReciprocalMaker::kAmd)))
        return "amd";
    return is_same(table, *reciprocal_table(ReciprocalMaker::kIntel)) ? "intel" : nullptr;
}

} // namespace

const ReciprocalTable *reciprocal_table(ReciprocalMaker maker)
{
    if (maker == ReciprocalMaker::kHost)
        return executed_table();
    static const ReciprocalTable amd = amd_table();
    static const ReciprocalTable intel = intel_table();
    return maker == ReciprocalMaker::kAmd ? &amd : &intel;
}

float approximate_reciprocal(const ReciprocalTable &table, float x)
{
    uint32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    const uint32_t exponent = bits & 0x7f800000;
    const uint32_t sign = bits & 0x80000000;
    const uint32_t result =
        sign | (table.bits[bits >> kDroppedBits & (kReciprocals - 1)] - exponent + kOne);
    float y;
    std::memcpy(&y, &result, sizeof(y));
    return y;
}

std::string reciprocal_line(ReciprocalMaker maker)
{
    const std::string subject = "float_adm divides by approximate reciprocals ";
    if (maker != ReciprocalMaker::kHost)
        return subject + "of " + (maker == ReciprocalMaker::kAmd ? "amd" : "intel") +
               " processors (float_adm_rcp)";
    const ReciprocalTable *table = executed_table();
    if (table == nullptr)
        return "float_adm divides exactly, as libvmaf does on this processor; float_adm_rcp=amd "
               "or =intel gives the scores of those";
    const char *name = maker_of(*table);
    return subject + "of this processor, as libvmaf does; " +
           (name != nullptr ? "they equal float_adm_rcp=" + std::string(name)
                            : "they equal neither float_adm_rcp=amd nor =intel");
}

} // namespace vmafgpu::float_adm
