// SPDX-License-Identifier: BSD-2-Clause-Patent
// Approximate reciprocals as processors for x86-64 have them (the instruction RCPSS). libvmaf's
// float ADM multiplies by them, and makers of processors differ in their table. Here: those of this
// processor and two fixed ones. float_adm_tables.h has their numbers.
#pragma once

#include <cstdint>
#include <string>

namespace vmafgpu {

/// Order of float_adm_rcp's words.
enum class ReciprocalMaker { kHost, kAmd, kIntel };

constexpr int kReciprocalBits = 12;
constexpr int kReciprocals = 1 << kReciprocalBits;

/// Bits of the reciprocals of numbers from 1 to 2, by the upper bits of their mantissa.
struct ReciprocalTable {
    uint32_t bits[kReciprocals];
    bool is_hosts; ///< this processor's instruction gives the same
};

/// The table; nullptr for this processor's if it has no such instruction. libvmaf then divides.
const ReciprocalTable *reciprocal_table(ReciprocalMaker maker);

/// x * approximate_reciprocal(x) is near 1; x is normal, and below 2^126 in size.
float approximate_reciprocal(const ReciprocalTable &table, float x);

/// One line on what divides, for the log.
std::string reciprocal_line(ReciprocalMaker maker);

} // namespace vmafgpu
