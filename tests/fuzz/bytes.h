// SPDX-License-Identifier: BSD-2-Clause-Patent
// Turns a fuzzer's bytes into numbers and texts, for the targets of this folder. Reading
// past the end gives zeros, so that every input means something.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

/// Ends the program where the library breaks a promise: libFuzzer keeps the input.
#define VMAFGPU_FUZZ_REQUIRE(condition)                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            __builtin_trap();                                                                      \
    } while (false)

namespace vmafgpu {

class Bytes {
public:
    Bytes(const uint8_t *data, size_t size) : at_(data), end_(data + size) {}

    bool is_empty() const { return at_ == end_; }
    size_t left() const { return static_cast<size_t>(end_ - at_); }

    uint8_t byte() { return is_empty() ? uint8_t{0} : *at_++; }
    /// 0 .. count - 1.
    int below(int count) { return byte() % count; }
    int between(int low, int high)
    {
        return low + static_cast<int>(word() % unsigned(high - low + 1));
    }
    uint32_t word()
    {
        uint32_t value = 0;
        for (int i = 0; i < 4; ++i)
            value = value << 8 | byte();
        return value;
    }
    bool one_in(int count) { return below(count) == 0; }
    /// Up to the next newline, at most `limit` bytes.
    std::string line(size_t limit = 200)
    {
        std::string text;
        while (!is_empty() && *at_ != '\n' && text.size() < limit)
            text += static_cast<char>(*at_++);
        if (!is_empty() && *at_ == '\n')
            ++at_;
        return text;
    }

private:
    const uint8_t *at_;
    const uint8_t *end_;
};

} // namespace vmafgpu

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
