// SPDX-License-Identifier: BSD-2-Clause-Patent
// Recorded: hashes of what the FFmpeg filter's own rules, in C, made of the lists of
// pairing_lists.h, block by block: number of the main frame and of its partner, -1 for none, and
// their distance; after each list what was found out about it, see add_facts() in
// test_pairing_recorded.cpp. Blocks in which pictures decide between two times that are nearly as
// close were recorded again when that rule came: 70 of 27,563 pairs that were wrong are right. All
// were when corrections learned to look past noise and further ahead, and inputs of other rates to
// pair by number: of 56,914 pairs 435 show closer moments and 201 further ones.
#pragma once

#include <cstdint>

namespace vmafgpu {

constexpr uint64_t kPairingRecorded[] = {
    UINT64_C(0xb84ee4c2c694b14c), UINT64_C(0x8a19d3059a06e687), UINT64_C(0xf69f28ae73c927eb),
    UINT64_C(0x3016121c5e54cd5e), UINT64_C(0x8e6e2b525d8c42eb), UINT64_C(0x6e9d50fd337045c0),
    UINT64_C(0xd2697a98371b0678), UINT64_C(0x8634f6d48991ef9c), UINT64_C(0xa2f01f3b5423e1d7),
    UINT64_C(0xa21c14f9db97272d), UINT64_C(0xe95d1834e3ca58c4), UINT64_C(0x3dc6da3280f59d6e),
    UINT64_C(0xeb05e9a9947f6def), UINT64_C(0xd2bfd0edfa107299), UINT64_C(0xcfbffe65b5b49349),
    UINT64_C(0xd7c53bb741f6ff09), UINT64_C(0x08044b793ab5b375), UINT64_C(0xc4b2449b6ed9bb13),
    UINT64_C(0x7193ace08a2374cd), UINT64_C(0x29a7903964a9a7a7), UINT64_C(0x2e6ef3287805142f),
    UINT64_C(0x30a7c5106c53f2c8), UINT64_C(0x3ee9acc8a2ab78dd), UINT64_C(0xbaee3ebe8ffeb725),
};

} // namespace vmafgpu
