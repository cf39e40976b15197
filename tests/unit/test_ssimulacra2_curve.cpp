// SPDX-License-Identifier: BSD-2-Clause-Patent
// The curve of ssimulacra2 on devices, on the host: its division has the bits of IEEE 754.
#include <gtest/gtest.h>

#include <cmath>

#include "features/ssimulacra2/ssimulacra2_math.h"

namespace vmafgpu::ssimulacra2_curve_test {
namespace {

/// The quotient is right for all arguments, and for all estimates that a device may have.
TEST(Ssimulacra2Curve, DividesAsIeee754Says)
{
    const uint32_t end = bits_of_float(1.0F);
    for (uint32_t bits = bits_of_float(ssimulacra2::kCurveFrom) + 1; bits <= end; ++bits) {
        const ssimulacra2::Curve curve(float_of_bits(bits));
        const float estimate = 1.0F / curve.q;
        for (const float near :
             {estimate, std::nextafter(estimate, 0.0F), std::nextafter(estimate, 9.0F)})
            ASSERT_EQ(ssimulacra2::exact_quotient(curve.p, curve.q, near), curve.p / curve.q)
                << bits;
    }
}

} // namespace
} // namespace vmafgpu::ssimulacra2_curve_test
