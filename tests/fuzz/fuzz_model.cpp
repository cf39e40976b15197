// SPDX-License-Identifier: BSD-2-Clause-Patent
// Any bytes as a model: parsed or refused by an Error of one line; what was
// parsed predicts without a fault, whatever the features are. Half of the mutations
// keep the text valid: an entry of a list or an object is left out, or there twice, or so often
// that the text has up to 1 MB. Time is in proportion to the size.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "bytes.h"
#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    using namespace vmafgpu;
    const std::clock_t start = std::clock();
    try {
        const auto model =
            Model::parse(std::string(reinterpret_cast<const char *>(data), size), "fuzz.json");
        const auto names = model->score_names();
        VMAFGPU_FUZZ_REQUIRE(!names.empty());
        std::vector<double> out(names.size());
        const double values[] = {0, 1, -1e300, std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity()};
        for (const double value : values) {
            const std::vector<double> features(model->features().size(), value);
            model->predict(features.data(), out.data());
        }
    } catch (const Error &error) {
        const std::string text = error.what();
        VMAFGPU_FUZZ_REQUIRE(!text.empty() && text.find('\n') == std::string::npos);
        VMAFGPU_FUZZ_REQUIRE(error.code() > 0);
    }
    // Some 50 times what it takes with sanitizers; 1 MB that takes quadratic time is far beyond.
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    VMAFGPU_FUZZ_REQUIRE(seconds < 0.5 + 1e-5 * static_cast<double>(size));
    return 0;
}

/// libFuzzer's own; absent where a corpus is only replayed.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

namespace {

/// Counts the digits of a text down; other characters stay.
void count_down(std::string &text)
{
    for (size_t i = text.size(); i > 0; --i) {
        char &c = text[i - 1];
        if (std::isdigit(static_cast<unsigned char>(c)) == 0)
            continue;
        c = c == '0' ? '9' : static_cast<char>(c - 1);
        if (c != '9')
            return;
    }
}

/// Repeats an entry behind itself until the text has `limit` bytes. A key, or a word of a list,
/// gets a number, so that all differ.
size_t repeat(uint8_t *data, size_t size, size_t limit, size_t begin, size_t end)
{
    const std::string tail(data + end, data + size);
    std::string entry(data + begin, data + end);
    const size_t quote = entry.find('"');
    size_t split = 0; // bytes behind the split do not count
    if (quote != std::string::npos) {
        split = quote + 9;
        entry.insert(quote + 1, "99999999");
    }
    std::string counted = entry.substr(0, split);
    const std::string rest = entry.substr(split);
    size_t used = end;
    while (used + entry.size() + tail.size() <= limit) {
        count_down(counted);
        entry = counted + rest;
        std::copy(entry.begin(), entry.end(), data + used);
        used += entry.size();
    }
    std::copy(tail.begin(), tail.end(), data + used);
    return used + tail.size();
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    std::vector<size_t> commas;
    for (size_t i = 0; i < size; ++i)
        if (data[i] == ',')
            commas.push_back(i);
    if (seed % 2 == 0 || commas.empty())
        return LLVMFuzzerMutate(data, size, max);
    const size_t begin = commas[seed / 4 % commas.size()];
    size_t end = begin + 1;
    while (end < size && std::strchr(",]}", data[end]) == nullptr)
        ++end;
    if (seed % 32 == 1) {
        const size_t limit = std::min(max, size_t{1} << (10 + seed / 32 % 11));
        return size < limit ? repeat(data, size, limit, begin, end) : size;
    }
    const bool is_left_out = seed / 2 % 2 == 0;
    if (is_left_out) {
        std::memmove(data + begin, data + end, size - end);
        return size - (end - begin);
    }
    if (size + (end - begin) > max)
        return size;
    std::memmove(data + end, data + begin, size - begin);
    return size + (end - begin);
}
