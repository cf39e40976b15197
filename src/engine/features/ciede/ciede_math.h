// SPDX-License-Identifier: BSD-2-Clause-Patent
// Constants of ciede that the plain and the SIMD code share. docs/numerics/classic.md has the
// formulas.
#pragma once

namespace vmafgpu {

constexpr double kCiedePi = 3.14159265358979323846;
/// Linear light to X, Y, Z.
constexpr double kCiedeXyz[3][3] = {{0.4124564390896921, 0.357576077643909, 0.18043748326639894},
                                    {0.21267285140562248, 0.715152155287818, 0.07217499330655958},
                                    {0.019333895582329317, 0.119192025881303, 0.9503040785363677}};
constexpr double kCiedeWhiteX = 1 / 0.95047;
constexpr double kCiedeWhiteZ = 1 / 1.08883;
constexpr double kCiedeCube = 216.0 / 24389; ///< above it the lightness is a cube root
constexpr double kCiedeSlope = 24389.0 / 27;
constexpr double kCiedePower7 = 6103515625; ///< 25 to the power of 7
constexpr float kCiedePower7Float = 6103515648.0F;

} // namespace vmafgpu
