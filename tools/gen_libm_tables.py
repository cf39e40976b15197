#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Write src/engine/libm/libm_tables.h, the tables of the engine's own libm.

Every entry is computed here with 80 decimal digits and rounded once. Four lists
are input and not computed: the points at which the tables of log, log2 and powf
are taken. Their publisher (Arm's optimized routines, which glibc uses) found them by
a search for points whose logarithm is very near to a double. A wrong point cannot hide:
this script refuses one that is outside its interval or whose logarithm
is not as near to a double as the search demanded. The list of the arctangent
(libm_atan_points.txt, from IBM's library, which glibc uses) has points found likewise
and coefficients that its publisher fitted. This script refuses coefficients whose
polynomial is not the arctangent to 2^-61. A wrong last bit of one shows only against
the C library (tests/unit).

Usage: gen_libm_tables.py [--check] HEADER
--check compares HEADER with what would be written and fails if they differ.
"""
import argparse
import decimal
import pathlib
import struct
import sys
from decimal import Decimal
from fractions import Fraction

decimal.getcontext().prec = 80
LN2 = Decimal(2).ln()

# 1 / c for a c near the middle of each of 128, 64 and 16 intervals: digits after "0x1.".
LOG_INVERSES = """
    734f0c3e0de9fp0 713786a2ce91fp0 6f26008fab5ap0 6d1a61f138c7dp0 6b1490bc5b4d1p0
    69147332f0cbap0 6719f18224223p0 6524f99a51ed9p0 63356aa8f24c4p0 614b36b9ddc14p0
    5f66452c65c4cp0 5d867b5912c4fp0 5babccb5b90dep0 59d61f2d91a78p0 5805612465687p0
    56397cee76bd3p0 54725e2a77f93p0 52aff42064583p0 50f22dbb2bddfp0 4f38f4734ded7p0
    4d843cfde284p0 4bd3ec078a3c8p0 4a27fc3e0258ap0 4880524d48434p0 46dce1b192d0bp0
    453d9d3391854p0 43a2744b4845ap0 420b54115f8fbp0 40782da3ef4b1p0 3ee8f5d57fe8fp0
    3d5d9a00b4ce9p0 3bd60c010c12bp0 3a5242b75dab8p0 38d22cd9fd002p0 3755bc5847a1cp0
    35dce49ad36e2p0 34679984dd44p0 32f5cceffcb24p0 3187775a10d49p0 301c8373e399p0
    2eb4ebb95f841p0 2d50a0219a9d1p0 2bef9a8b7fd2ap0 2a91c7a0c1babp0 293726014b53p0
    27dfa5757a1f5p0 268b39b1d3bbfp0 2539d838ff5bdp0 23eb7aac9083bp0 22a012ba940b6p0
    2157996cc4132p0 201201dd2fc9bp0 1ecf4494d480bp0 1d8f5528f6569p0 1c52311577e7cp0
    1b17c74cb26e9p0 19e010c2c1ab6p0 18ab07bb670bdp0 1778a25efbcb6p0 1648d354c31dap0
    151b990275fddp0 13f0ea432d24cp0 12c8b7210f9dap0 11a3028ecb531p0 107fbda8434afp0
    0f5ee0f4e6bb3p0 0e4065d2a9fcep0 0d244632ca521p0 0c0a77ce2981ap0 0af2f83c636d1p0
    09ddb98a01339p0 08cabaf52e7dfp0 07b9f2f4e28fbp0 06ab58c358f19p0 059eea5ecf92cp0
    04949cdd12c9p0 038c6c6f0ada9p0 02865137932a9p0 0182427ea7348p0 008040614b195p0
    fe01ff726fa1ap-1 fa11cc261ea74p-1 f6310b081992ep-1 f25f63ceeadcdp-1 ee9c8039113e7p-1
    eae8078cbb1abp-1 e741aa29d0c9bp-1 e3a91830a99b5p-1 e01e009609a56p-1 dca01e577bb98p-1
    d92f20b7c9103p-1 d5cac66fb5ccep-1 d272caa5ede9dp-1 cf26e3e6b2ccdp-1 cbe6da2a77902p-1
    c8b266d37086dp-1 c5894bd5d5804p-1 c26b533bb9f8cp-1 bf583eeece73fp-1 bc4fd75db96c1p-1
    b951e0c864a28p-1 b65e2c5ef3e2cp-1 b374867c9888bp-1 b094b211d304ap-1 adbe885f2ef7ep-1
    aaf1d31603da2p-1 a82e63fd358a7p-1 a5740ef09738bp-1 a2c2a90ab4b27p-1 a01a01393f2d1p-1
    9d79f24db3c1bp-1 9ae2505c7b19p-1 9852ef297ce2fp-1 95cbaeea44b75p-1 934c69de74838p-1
    90d4f2f6752e6p-1 8e6528effd79dp-1 8bfce9fcc007cp-1 899c0dabec30ep-1 87427aa2317fbp-1
    84f00acb39a08p-1 82a49e8653e55p-1 8060195f4026p-1 7e22563e0a329p-1 7beb377dcb5adp-1
    79baa679725c2p-1 77907f2170657p-1 756cadbd6130cp-1
"""
LOG2_INVERSES = """
    724286bb1acf8p0 6e1f766d2cca1p0 6a13d0e30d48ap0 661ec32d06c85p0 623fa951198f8p0
    5e75ba4cf026cp0 5ac055a214fb8p0 571ed0f166e1ep0 53909590bf835p0 5014fed61adddp0
    4cab88e487bdp0 49539b4334feep0 460cbdfafd569p0 42d664ee4b953p0 3fb01111dd8a6p0
    3c995b70c5836p0 3991c4ab6fd4ap0 3698e0ce099b5p0 33ae48213e7b2p0 30d191985bdb1p0
    2e025cab271d7p0 2b404cf13cd82p0 288b02c7ccb5p0 25e2263944de5p0 234563d8615b1p0
    20b46e33eaf38p0 1e2eefdcda3ddp0 1bb4a580b393p0 19453847f22p0 16e06c0d5d73cp0 1485f47b7e4c2p0
    12358ad0085d1p0 0fef00f532227p0 0db2077d03a8fp0 0b7e6d65980d9p0 0953efe7b408dp0
    07325cac53b83p0 05197e40d1b5cp0 03091c1208ea2p0 0101025b37e21p0 fc07ef9caa76bp-1
    f4465d3f6f184p-1 ecc079f84107fp-1 e573a99975ae8p-1 de5d6f0bd3de6p-1 d77b681ff38b3p-1
    d0cb5724de943p-1 ca4b2dc0e7563p-1 c3f8ee8d6cb51p-1 bdd2b4f020c4cp-1 b7d6c006015cap-1
    b20366e2e338fp-1 ac57026295039p-1 a6d01bc2731ddp-1 a16d3bc3ff18bp-1 9c2d14967feadp-1
    970e4f47c9902p-1 920fb3982bcf2p-1 8d30187f759f1p-1 886e5ebb9f66dp-1 83c97b658b994p-1
    7f405ffc61022p-1 7ad22181415cap-1 767dcf99eff8cp-1
"""
POWF_INVERSES = """
    661ec79f8f3bep0 571ed4aaf883dp0 49539f0f010bp0 3c995b0b80385p0 30d190c8864a5p0
    25e227b0b8eap0 1bb4a4a1a343fp0 12358f08ae5bap0 0953f419900a7p0 0p0 e608cfd9a47acp-1
    ca4b31f026aap-1 b2036576afce6p-1 9c2d163a1aa2dp-1 886e6037841edp-1 767dcf5534862p-1
"""

ATAN_BITS = 61  # how near a polynomial comes, in the middle of its interval and at its ends
ATAN_POINTS = pathlib.Path(__file__).with_name("libm_atan_points.txt")

HEADER = """\
// SPDX-License-Identifier: BSD-2-Clause-Patent
// Generated by tools/gen_libm_tables.py, do not edit. Tables of the elementary
// functions in libm.cpp, which says what they are for. Every entry is a
// correctly rounded value of the formula above it.
// clang-format off
#pragma once

#include <cstdint>

namespace vmafgpu::libm {

/// Of 2^(k/128): the relative error of its nearest double, and that double's bits
/// less k * 2^45, so that any multiple of 2^45 may be added as an exponent.
struct ExpEntry {
    double tail;
    uint64_t bits;
};
constexpr ExpEntry kExpTable[128] = {
%s
};

/// 2^(k/32) as bits, less k * 2^47.
constexpr uint64_t kExp2FloatTable[32] = {
%s
};

/// Of a point c in each interval: 1 / c and its logarithm, c taken as the exact inverse of 1 / c.
struct LogEntry {
    double inverse, log;
};
constexpr LogEntry kLogTable[128] = { // natural
%s
};
constexpr LogEntry kLog2Table[64] = { // base 2
%s
};
constexpr LogEntry kLog2FloatTable[16] = { // base 2
%s
};

/// As LogEntry, natural; log is a multiple of 2^-43 and log_tail is what it lacks.
struct PowLogEntry {
    double inverse, log, log_tail;
};
constexpr PowLogEntry kPowLogTable[128] = {
%s
};

/// Sine and cosine of k / 128, each as a double and what that lacks.
struct SinCosEntry {
    double sin, sin_tail, cos, cos_tail;
};
constexpr SinCosEntry kSinCosTable[110] = {
%s
};

/// A point near each of (16 + i) / 256, and the polynomial of its neighbours' arctangent: the sum
/// of c[n] * (x - point)^n. c[0] is the point's arctangent, c[1] its derivative.
struct AtanEntry {
    double point, c[6];
};
constexpr AtanEntry kAtanTable[241] = {
%s
};

} // namespace vmafgpu::libm
"""


def rounded(value):
    """The nearest double, ties to even."""
    return float(Fraction(value))


def bits_of(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def double_of(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def text(value):
    """As short as C++ reads it back."""
    mantissa, exponent = value.hex().split("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}p{int(exponent)}"


def exact_log(value):
    fraction = Fraction(value)
    return (Decimal(fraction.numerator) / Decimal(fraction.denominator)).ln()


def power_of_two(k, n):
    return (LN2 * k / n).exp() if k else Decimal(1)


def exp_table():
    for k in range(128):
        exact = power_of_two(k, 128)
        nearest = rounded(exact)
        yield rounded(exact / Decimal(nearest) - 1), bits_of(nearest) - (k << 45)


def exp2_float_table():
    return [bits_of(rounded(power_of_two(k, 32))) - (k << 47) for k in range(32)]


def inverses(digits):
    values = []
    for word in digits.split():
        mantissa, exponent = word.split("p")
        values.append(float.fromhex(f"0x1.{mantissa}p{exponent}"))
    return values


def log_table(digits, first, last_bits, base, error_bits):
    """`first`: bits of the first interval's left end; `last_bits`: its width, as a power of two."""
    for i, inverse in enumerate(inverses(digits)):
        left = Fraction(double_of(first + (i << last_bits)))
        right = Fraction(double_of(first + ((i + 1) << last_bits)))
        point = 1 / Fraction(inverse)
        if not left <= point <= right:
            sys.exit(f"1 / {inverse.hex()} is outside interval {i}")
        exact = -exact_log(inverse) / base
        nearest = rounded(exact)
        if abs(exact - Decimal(nearest)) > Decimal(2) ** error_bits:
            sys.exit(f"the logarithm of 1 / {inverse.hex()} is not near enough to a double")
        yield inverse, nearest


def nearest_integer(fraction):
    return (2 * fraction.numerator + fraction.denominator) // (2 * fraction.denominator)


def pow_log_table():
    first = 0x3FE6955500000000
    for i in range(128):
        left = Fraction(double_of(first + (i << 45)))
        right = Fraction(double_of(first + ((i + 1) << 45)))
        middle = (left + right) / 2
        steps = 128 if middle < 1 else 256
        inverse = Fraction(nearest_integer(steps / middle), steps)
        exact = Fraction(-exact_log(inverse))
        log = Fraction(nearest_integer(exact * 2 ** 43), 2 ** 43)
        yield float(inverse), float(log), float(exact - log)


def sin_cos(x):
    sums = [Decimal(0), Decimal(0)]
    term, n = Decimal(1), 0
    while abs(term) > Decimal(10) ** -78:
        sums[n % 2] += term if n % 4 < 2 else -term
        n += 1
        term = term * x / n
    return sums[1], sums[0]


def sin_cos_table():
    for k in range(110):
        row = []
        for exact in sin_cos(Decimal(k) / 128):
            row += [rounded(exact), rounded(exact - Decimal(rounded(exact)))]
        yield row


def arctan(x):
    """Of a Decimal from 0 to 1."""
    halvings = 0
    while x > Decimal("0.01"):
        x = x / (1 + (1 + x * x).sqrt())
        halvings += 1
    total, power, n = Decimal(0), x, 1
    while abs(power) > Decimal(10) ** -78:
        total += power / n if n % 4 == 1 else -power / n
        power *= x * x
        n += 2
    return total * 2 ** halvings


def atan_table():
    lines = ATAN_POINTS.read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if not line.startswith("#")]
    if len(lines) != 241:
        sys.exit(f"{ATAN_POINTS} has {len(lines)} points, not 241")
    for i, line in enumerate(lines):
        point, *rest = [float.fromhex(word) for word in line.split()]
        if abs(Fraction(point) - Fraction(16 + i, 256)) > Fraction(1, 768):
            sys.exit(f"{point.hex()} is not near {16 + i} / 256")
        exact = arctan(Decimal(point))
        value = rounded(exact)
        if abs(exact - Decimal(value)) > Decimal(2) ** -61:
            sys.exit(f"the arctangent of {point.hex()} is not near enough to a double")
        coefficients = [value, float(1 / (1 + Fraction(point) ** 2)), *rest]
        for step in range(-2, 3):
            x = min(max(Fraction(16 + i, 256) + Fraction(step, 1024), Fraction(1, 16)), Fraction(1))
            polynomial = sum(Fraction(c) * (x - Fraction(point)) ** n
                             for n, c in enumerate(coefficients))
            wanted = arctan(Decimal(x.numerator) / Decimal(x.denominator))
            if abs(polynomial - Fraction(wanted)) > Fraction(1, 2 ** ATAN_BITS):
                sys.exit(f"the polynomial at {point.hex()} is not the arctangent")
        yield point, coefficients


def atan_rows():
    return "\n".join("    {" + text(point) + ", {" + ", ".join(text(c) for c in row) + "}},"
                     for point, row in atan_table())


def rows(table):
    return "\n".join("    {" + ", ".join(text(v) for v in row) + "}," for row in table)


def header():
    exp = "\n".join(f"    {{{text(tail)}, 0x{bits:016x}}}," for tail, bits in exp_table())
    exp2 = [f"0x{bits:016x}," for bits in exp2_float_table()]
    exp2 = "\n".join("    " + " ".join(exp2[i:i + 4]) for i in range(0, 32, 4))
    one = Decimal(1)
    return HEADER % (
        exp, exp2,
        rows(log_table(LOG_INVERSES, 0x3FE6000000000000, 45, one, -66)),
        rows(log_table(LOG2_INVERSES, 0x3FE6000000000000, 46, LN2, -68)),
        rows(log_table(POWF_INVERSES, 0x3FE6600000000000, 48, LN2, -52)),
        rows(pow_log_table()), rows(sin_cos_table()), atan_rows())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("header")
    args = parser.parse_args()
    wanted = header()
    if not args.check:
        with open(args.header, "w", encoding="utf-8") as file:
            file.write(wanted)
        return 0
    with open(args.header, encoding="utf-8") as file:
        if file.read() != wanted:
            print(f"{args.header} is not what tools/gen_libm_tables.py writes")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
