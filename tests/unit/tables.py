#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The engine's tables against their formulas: each entry is computed here with 80 digits and rounded once.

    tables.py LIBM_TABLES_H VIF_LOG2_TABLE_H

Points are not computed: where a logarithm or an arctangent is taken, and coefficients of the arctangent. They are those of
Arm's optimized routines and IBM's library, which glibc uses. A point has to be in its interval, and its value as near to a
double as their search demanded; a polynomial has to be the arctangent to 2^-61.
"""
import decimal
import pathlib
import re
import struct
import sys
from decimal import Decimal
from fractions import Fraction

decimal.getcontext().prec = 80
LN2 = Decimal(2).ln()


def table(text, name):
    """Rows of numbers: doubles in hexadecimal, integers."""
    body = re.search(name + r"\[\w+\] = \{[^\n]*\n(.*?)\n\};", text, re.S)[1]
    rows = [re.findall(r"-?0x[\w.]+p-?\d+|0x\w+|\d+", line) for line in body.splitlines()]
    return [[float.fromhex(word) if "p" in word else int(word, 0) for word in row] for row in rows]


def rounded(value):
    """The nearest double, ties to even."""
    return float(Fraction(value))


def bits_of(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def double_of(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def interval(first, width, i):
    """Returns the ends of an interval: doubles whose bits are a multiple of a power of two apart."""
    return [Fraction(double_of(first + ((i + n) << width))) for n in (0, 1)]


def exact_log(value):
    return (Decimal(value.numerator) / Decimal(value.denominator)).ln()


def is_near(exact, bits):
    return abs(exact - Decimal(rounded(exact))) <= Decimal(2) ** -bits


def exp_row(k):
    exact = (LN2 * k / 128).exp()
    nearest = rounded(exact)
    return [rounded(exact / Decimal(nearest) - 1), bits_of(nearest) - (k << 45)]


def log_row(inverse, ends, base, bits):
    """The row of an inverse; none if it is no good point."""
    exact = -exact_log(Fraction(inverse)) / base
    return [inverse, rounded(exact)] if ends[0] <= 1 / Fraction(inverse) <= ends[1] and is_near(exact, bits) else []


def nearest_integer(fraction):
    return (2 * fraction.numerator + fraction.denominator) // (2 * fraction.denominator)


def pow_log_row(i):
    middle = sum(interval(0x3FE6955500000000, 45, i)) / 2
    steps = 128 if middle < 1 else 256
    inverse = Fraction(nearest_integer(steps / middle), steps)
    exact = Fraction(-exact_log(inverse))
    log = Fraction(nearest_integer(exact * 2 ** 43), 2 ** 43)
    return [float(inverse), float(log), float(exact - log)]


def sin_cos_row(k):
    sums, term, n = [Decimal(0), Decimal(0)], Decimal(1), 0
    while abs(term) > Decimal(10) ** -78:
        sums[n % 2] += term if n % 4 < 2 else -term
        n += 1
        term = term * k / 128 / n
    return [rounded(part) for exact in reversed(sums) for part in (exact, exact - Decimal(rounded(exact)))]


def arctan(x):
    """Returns the arc tangent of a fraction from 0 to 1."""
    x, halvings = Decimal(x.numerator) / Decimal(x.denominator), 0
    while x > Decimal("0.01"):
        x, halvings = x / (1 + (1 + x * x).sqrt()), halvings + 1
    total, power, n = Decimal(0), x, 1
    while abs(power) > Decimal(10) ** -78:
        total += power / n if n % 4 == 1 else -power / n
        power *= x * x
        n += 2
    return total * 2 ** halvings


def atan_row(i, point, coefficients):
    """The row; none if it is no good point or polynomial."""
    exact, middle = arctan(Fraction(point)), Fraction(16 + i, 256)
    is_good = abs(Fraction(point) - middle) <= Fraction(1, 768) and is_near(exact, 61)
    for step in range(-2, 3):
        x = min(max(middle + Fraction(step, 1024), Fraction(1, 16)), Fraction(1))
        value = sum(Fraction(c) * (x - Fraction(point)) ** n for n, c in enumerate(coefficients))
        is_good = is_good and abs(value - Fraction(arctan(x))) <= Fraction(1, 2 ** 61)
    return [point, rounded(exact), float(1 / (1 + Fraction(point) ** 2)), *coefficients[2:]] if is_good else []


def libm_faults(text):
    """Names of tables, and numbers of rows."""
    logs = {"kLogTable": (0x3FE6000000000000, 45, Decimal(1), 66), "kLog2Table": (0x3FE6000000000000, 46, LN2, 68),
            "kLog2FloatTable": (0x3FE6600000000000, 48, LN2, 52)}
    wanted = {"kExpTable": (128, lambda i, _: exp_row(i)), "kPowLogTable": (128, lambda i, _: pow_log_row(i)),
              "kSinCosTable": (110, lambda i, _: sin_cos_row(i)), "kAtanTable": (241, lambda i, row: atan_row(i, row[0], row[1:]))}
    for name, (first, width, base, bits) in logs.items():
        wanted[name] = (1 << (52 - width), lambda i, row, f=first, w=width, b=base, n=bits: log_row(row[0], interval(f, w, i), b, n))
    for name, (count, row_of) in wanted.items():
        found = table(text, name)
        if len(found) != count:
            yield name
        yield from (f"{name}[{i}]" for i, row in enumerate(found) if [*map(repr, row)] != [*map(repr, row_of(i, row))])
    exp2 = [number for row in table(text, "kExp2FloatTable") for number in row]
    if exp2 != [bits_of(rounded((LN2 * k / 32).exp())) - (k << 47) for k in range(32)]:
        yield "kExp2FloatTable"


def vif_faults(text):
    """Run lengths of floor(2048 * log2(i) + 513/1024) for i = 32768 .. 65535: what comes out when log2(i) is first rounded to
    a float and the product with 2048 then to an integer, as libvmaf does (docs/numerics/vif-motion.md)."""
    runs = [length for row in table(text, "kLog2RunLength") for length in row]
    values = [int(30720 + n) for n, length in enumerate(runs) for _ in range(length)]
    with decimal.localcontext() as context:
        context.prec = 30
        # Logarithms of powers of two are whole numbers.
        exact = [int(2048 * (Decimal(i).ln() / LN2).quantize(Decimal(10) ** -25) + Decimal(513) / 1024) for i in range(32768, 65536)]
    return [] if values == exact else ["kLog2RunLength"]


def main():
    libm, vif = (pathlib.Path(path).read_text(encoding="utf-8") for path in sys.argv[1:])
    faults = [*libm_faults(libm), *vif_faults(vif)]
    for fault in faults:
        print(f"{fault} is not what its formula says")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
