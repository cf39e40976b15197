# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Mutations of mutations.py that no suite can or should notice, and why. strength.py counts them apart and
does not run them. A name has a hash of its line: once the line changes, the entry means nothing and goes.
"""

# No score, text or file depends on it.
HARMLESS = {
    'api-0033f61f': 'each group that computes a pair writes all of its sums, and nothing reads those of a pair '
                    'that was left out',
    'api-006ec818': 'look() sets both entries together, from -1 to 0 or more',
    'pairing-009a4162': 'fresh is below kFewPairs in finish() only, where begin_ is 0 if the two are equal',
    'pairing-0161ebd8': 'it writes over fields that are set afterwards; -O3 -Werror refuses it',
    'pairing-025e639e': 'kLeastDeviation raises every deviation below 8 to 8',
    'pairing-2efc9337': 'without a first pair compare_offsets() has no main, and the correction is 0',
    'scores-0245342e': 'the largest luminance ends the loop at 940 at the latest',
    'scores-1b7c99a9': 'the JSON library calls it for binary formats only',
    'report-00a4a393': 'open_locked() returns a descriptor above 2, or -1',
    'report-01add064': 'a margin of a heading',
    'report-57ba70dc': 'copysign() takes only the sign of its second argument',
    'reference-00b40eac': 'a word behind two local arrays, which nothing reads; -O3 -Werror refuses it',
    'reference-033f77c0': 'is_flat() is called for x and y inside the picture only',
    'reference-0c01c4c1': 'all filtered values change their sign, and only squares are used',
    'cpu-0000b296': 'both forms are exact at 8 and at 9 bits: 2 * (64 * 511)^2 is below 2^31',
    'cpu-000da506': 'the additional tile has 0 columns',
    'cpu-00a920c8': 'a row is kept if its number in the picture is even, whatever the rows of a task',
    'cpu-00c134bf': 'both are 32 for kN = 25',
    'cpu-00faf3f8': 'the additional rows are weighed, and not counted',
    'cpu-0dd6a5e4': 'a weight is at most 1.15 units, far below INT16_MAX',
    'cpu-2bc2e2f5': 'the additional sums are of rows and scales that add_rows() does not read',
    'cpu-e06aaddc': 'how many pairs are computed at once: time and memory',
    'device-0ed3c8e0': 'whether a wait goes on at once or sleeps first: time',
    'kernels-0078fdcf': 'a pass begins a group of levels early and still has its own: with at most 32 steps it has '
                        'room for two',
    'kernels-009f2cd7': 'both are 32, or 64 for waves of 16',
    'kernels-020f73f8': 'waves beyond the picture do work whose pixels are masked',
    'kernels-02457ced': 'all sums of samples change their sign, and only magnitudes of differences are used',
    'kernels-0248fc29': 'record() launches nothing if the window does not fit, and five scales have room for it',
    'kernels-026a6d9a': 'it stores what is there',
    'kernels-0b14d2f1': 'rows of pictures on a device begin at multiples of 16 bytes at least',
    'kernels-10dbb08e': 'other threads store the same value; where gamma is 0, beta is what is there',
    'kernels-22604d10': 'the barrier makes the compiler load again, which saves registers',
    'kernels-7960877b': 'how a row is cut into blocks: time',
    'kernels-7fdb6eb1': 'blocks behind the last part of a sum do nothing',
    'kernels-82da9c0a': 'how a row is cut into blocks: time',
    'kernels-ad8977be': 'how a row is cut into blocks: time',
    'kernels-f25d2d61': 'how a row is cut into blocks: time',
}

# A limit of the judge of pictures, where no video is known that tells one value from the other.
LIMITS = {
    'pairing-0076b024': 'whether one unrelated pair is enough where offsets change',
    'pairing-026d7c48': 'whether exactly nine of ten pairs astray are all of them',
    'pairing-04a1d386': 'how often pictures that are not displaced are looked at again',
    'pairing-3296f2fa': 'half a sample in the middle of a stretch, which the fitted shift makes up for',
}
