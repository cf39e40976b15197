#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The library imports no function of the C library's libm that may give other bits elsewhere.

    tests/lint/libm_imports.py LIBRARY [NM]

LIBRARY is the static library or one with the same objects. A name of libm that is not in
EXACT is a fault: libm/libm.h has our own of those that the engine needs.
"""
import re
import subprocess
import sys

# The result is exact, or IEEE 754 defines its rounding: every C library has the same bits.
EXACT = {
    "sqrt": "correctly rounded by IEEE 754",
    "ldexp": "a power of two; rounds only into the subnormal range, as IEEE 754 says",
    "nextafter": "a neighbour in the format",
    "llround": "an integer, exact",
    "lround": "an integer, exact",
    "round": "an integer, exact",
    "floor": "an integer, exact",
    "ceil": "an integer, exact",
    "trunc": "an integer, exact",
    "rint": "an integer, exact",
    "nearbyint": "an integer, exact",
    "fabs": "a sign bit",
    "copysign": "a sign bit",
    "fmin": "one of its arguments",
    "fmax": "one of its arguments",
}
# Functions that are not needed: they have other bits elsewhere, or are exact but were not looked at yet.
OTHERS = """acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp exp10 exp2 expm1 fma
    gamma hypot j0 j1 jn lgamma log log10 log1p log2 pow pow10 remquo sin sincos sinh tan tanh
    tgamma y0 y1 yn cexp clog cpow csqrt fmod remainder drem frexp modf scalb scalbn scalbln logb
    ilogb fdim significand"""
ALL = set(EXACT) | set(OTHERS.split())
# double, float, long double; glibc's names for -ffast-math, its vector functions.
NAME = re.compile(r"^(?:__)?(%s)(f|l|f128)?(?:_finite)?$" % "|".join(sorted(ALL)))
VECTOR = re.compile(r"^_ZGV")


def main():
    library = sys.argv[1]
    nm = sys.argv[2] if len(sys.argv) > 2 else "nm"
    listing = subprocess.run([nm, "--undefined-only", library], check=True, capture_output=True,
                             text=True).stdout
    faults, imports, owner = [], 0, library
    for line in listing.splitlines():
        if line.endswith(":"):
            owner = line[:-1]
            continue
        words = line.split()
        if not words:
            continue
        imports += 1
        name = words[-1].split("@")[0]
        found = NAME.match(name)
        if VECTOR.match(name) or (found and found.group(1) not in EXACT):
            faults.append(f"{owner}: imports {name}")
    if imports < 100:
        faults.append(f"{library}: only {imports} imports seen, is this the library?")
    for fault in faults:
        print(fault)
    print(f"libm_imports: {imports} imports, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
