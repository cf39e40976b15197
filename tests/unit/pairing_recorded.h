// SPDX-License-Identifier: BSD-2-Clause-Patent
// Recorded: hashes of what the FFmpeg filter's own rules, in C, made of the lists of
// pairing_lists.h, block by block: number of the main frame and of its partner, -1 for none, and
// their distance; after each list what was found out about it, see add_facts() in
// test_pairing_recorded.cpp. Blocks in which pictures decide between two times that are nearly as
// close were recorded again when that rule came: 70 of 27,563 pairs that were wrong are right. All
// were when corrections learned to look past noise and further ahead, and inputs of other rates to
// pair by number: of 56,914 pairs 435 show closer moments and 201 further ones. All were again when
// corrections got the comparison of offset_search.h: of 64,293 main frames 18,121 meet their own
// moment (18,101 before), and the distances add up to 466,863 moments (479,743). Four blocks were
// once more when a single gap was no other rate any more, each for one list: a gap that its
// pictures do not show is in the first times of main (lists 476, 2121) or reference (1061, 1230).
// They were paired by number, with 75 of 77 at their own moments; corrections find 42 of them.
#pragma once

#include <cstdint>

namespace vmafgpu {

constexpr uint64_t kPairingRecorded[] = {
    UINT64_C(0x3eb5ff51ded873d9), UINT64_C(0x4c075fbb5127d1e8), UINT64_C(0xe6098ee5af24a260),
    UINT64_C(0xbf96e9f0a95a109d), UINT64_C(0x0f7bae54c417e2d6), UINT64_C(0x58842b857eada309),
    UINT64_C(0xd27ae784cf0059f7), UINT64_C(0xea9123003099d7be), UINT64_C(0x7a9518b0401e034a),
    UINT64_C(0xd08945b333f56091), UINT64_C(0xcdf03412b448c11d), UINT64_C(0x7a5f94890cfa18e8),
    UINT64_C(0x4e98e7167e080434), UINT64_C(0x2f20545dc5a9eb08), UINT64_C(0x560453b3a41c0678),
    UINT64_C(0xb1bd1bb82f71150c), UINT64_C(0xedca306f23d02ebb), UINT64_C(0xd24f2f327d80ad93),
    UINT64_C(0xcf12a051420326d9), UINT64_C(0x973407bb784ab20c), UINT64_C(0xc5d5f7bce02e9738),
    UINT64_C(0xbdea74a5f20b1cf1), UINT64_C(0xfacda4c9221ae3a9), UINT64_C(0xa0da5b386b3d794c),
};

} // namespace vmafgpu
