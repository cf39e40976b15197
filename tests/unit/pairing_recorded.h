// SPDX-License-Identifier: BSD-2-Clause-Patent
// Recorded: hashes of what the FFmpeg filter's own rules, in C, made of the lists of
// pairing_lists.h, block by block: number of the main frame and of its partner, -1 for none, and
// their distance; after each list what was found out about it, see add_facts() in
// test_pairing_recorded.cpp. Blocks in which pictures decide between two times that are nearly as
// close were recorded again when that rule came: 70 of 27,563 pairs that were wrong are right.
#pragma once

#include <cstdint>

namespace vmafgpu {

constexpr uint64_t kPairingRecorded[] = {
    UINT64_C(0x4ec0f150725be978), UINT64_C(0xd2a181d7148f9a32), UINT64_C(0x39ed0c15e11b4d8a),
    UINT64_C(0x301ed9a58bf22762), UINT64_C(0xe456d9dfef05c0fd), UINT64_C(0x8aa6bfb26bb576e0),
    UINT64_C(0x1a57054b706b0e5c), UINT64_C(0x076a33d2f4613c4e), UINT64_C(0x84692d0af308dd36),
    UINT64_C(0x69bc9f17929a632e), UINT64_C(0x14fb0c415a46fc51), UINT64_C(0x07806cdd1749f9a2),
    UINT64_C(0x686b11a1e7958960), UINT64_C(0xc7bc2b60f7f382b8), UINT64_C(0xf5a3310c75b0852c),
    UINT64_C(0x5c794798af160ca3), UINT64_C(0x9c4544947555c3c7), UINT64_C(0x395402b4b9d6957d),
    UINT64_C(0x16d5cc1a2053d84b), UINT64_C(0xc4c74eb6ff91130f), UINT64_C(0xfd4ff083ead686a4),
    UINT64_C(0x153a897537d68863), UINT64_C(0x87656a3318919a19), UINT64_C(0x0fba3026467bef6a),
};

} // namespace vmafgpu
