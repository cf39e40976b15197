// SPDX-License-Identifier: BSD-2-Clause-Patent
// Recorded: hashes of what the FFmpeg filter's own rules, in C, made of the lists of
// pairing_lists.h, block by block: number of the main frame and of its partner, -1 for none, and
// their distance; after each list what was found out about it, see add_facts() in
// test_pairing_recorded.cpp.
#pragma once

#include <cstdint>

namespace vmafgpu {

constexpr uint64_t kPairingRecorded[] = {
    UINT64_C(0x0fa810db75b759f6), UINT64_C(0x4ddeccd77715c1a1), UINT64_C(0xf9d50076aa0c4170),
    UINT64_C(0x4d403cbc8c8fb0aa), UINT64_C(0xe456d9dfef05c0fd), UINT64_C(0x8aa6bfb26bb576e0),
    UINT64_C(0x0052a30eb89256de), UINT64_C(0xd9f779b0d145c251), UINT64_C(0x85ab2272d1402708),
    UINT64_C(0x2f1f4070e1eb271a), UINT64_C(0x14fb0c415a46fc51), UINT64_C(0xc5fe82a127fc1d97),
    UINT64_C(0x11b1740bd5f03689), UINT64_C(0xe429b0b8c6f49183), UINT64_C(0xf5a3310c75b0852c),
    UINT64_C(0xd5309f638de968cb), UINT64_C(0x9c4544947555c3c7), UINT64_C(0xae540ffa0bb6c54f),
    UINT64_C(0x16d5cc1a2053d84b), UINT64_C(0x38f9299a19cb8001), UINT64_C(0x4066d231f927eceb),
    UINT64_C(0x153a897537d68863), UINT64_C(0x2423172836837e10), UINT64_C(0x0e2d9444d9e62fcb),
};

} // namespace vmafgpu
