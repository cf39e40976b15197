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
    UINT64_C(0x3ebb7b0297f877b6), UINT64_C(0xf4acafbc0d100a00), UINT64_C(0x6395acae32ab12f4),
    UINT64_C(0xc8f801964f8cc195), UINT64_C(0x80cc580e9023cacb), UINT64_C(0x2659ae89677478ef),
    UINT64_C(0xe8014b1e55010469), UINT64_C(0xb6cc00ac4ce36be0), UINT64_C(0x6c5fd1d0e2b9f1d6),
    UINT64_C(0x8fcc5b9f94b41a9c), UINT64_C(0xa2fe69884d967f71), UINT64_C(0xe70117b70e786ca3),
    UINT64_C(0xce4966f6dd701c12), UINT64_C(0x170c725c11d1bd66), UINT64_C(0x5295d05b9669e284),
    UINT64_C(0x28511858c475ff42), UINT64_C(0xfd76699f06931f9f), UINT64_C(0x472f6cbde0fe5a73),
    UINT64_C(0x662962c159659d59), UINT64_C(0x8816e504c5ffaabe), UINT64_C(0x1bf5d3b164922ee6),
    UINT64_C(0x79c74bcca8516e3f), UINT64_C(0x050c88402eb0d063), UINT64_C(0x57c3865c19695fab),
    UINT64_C(0x962f88a6ff89965e), UINT64_C(0x7383f5de3f0b539e), UINT64_C(0xd5d12befed6bafbd),
    UINT64_C(0x196b2455559e912e), UINT64_C(0x1b3109d1ffd69f78), UINT64_C(0x2e87aec30f94bf6d),
    UINT64_C(0xcd56c1119e691f9c), UINT64_C(0x11bc3f77c230e810), UINT64_C(0x83d16f75147553ac),
    UINT64_C(0x27a725181837399e), UINT64_C(0x1823fabe6c761bef), UINT64_C(0xe19c3d728ab17793),
};

} // namespace vmafgpu
