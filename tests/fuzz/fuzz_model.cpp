// SPDX-License-Identifier: BSD-2-Clause-Patent
// Any bytes as a model: parsed or refused by an Error of one line; what was
// parsed predicts without a fault, whatever the features are. Half of the mutations
// keep the text valid: an entry of a list or an object is left out, or there twice.
#include <cstring>
#include <limits>
#include <vector>

#include "base/error.h"
#include "bytes.h"
#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    using namespace vmafgpu;
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
    return 0;
}

/// libFuzzer's own; absent where a corpus is only replayed.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

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
