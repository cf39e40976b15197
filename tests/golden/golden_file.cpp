// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "golden_file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace vmafgpu {

using nlohmann::json;

const json &golden_file(const char *name)
{
    static std::map<std::string, json> files;
    const auto known = files.find(name);
    if (known != files.end())
        return known->second;
    const auto text = golden_texts().find(name);
    if (text == golden_texts().end())
        throw Error(EINVAL, std::string("no golden file ") + name);
    return files[name] = json::parse(text->second);
}

double golden_number(const json &text)
{
    const auto &digits = text.get_ref<const std::string &>();
    char *end = nullptr;
    const double value = std::strtod(digits.c_str(), &end);
    if (end == digits.c_str() || *end != '\0')
        throw Error(EINVAL, "'" + digits + "' is no number");
    return value;
}

namespace {

/// Bits, so that signs of zeros count, and of a NaN nothing but its sign.
uint64_t bits_of(double value)
{
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    if (std::isnan(value))
        bits = std::signbit(value) ? 0xfff8000000000000U : 0x7ff8000000000000U;
    return bits;
}

} // namespace

size_t expect_series(const std::string &name, const json &wanted, const std::vector<double> &have)
{
    size_t compared = 0;
    for (size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i].is_null())
            continue;
        ++compared;
        EXPECT_EQ(bits_of(have.at(i)), bits_of(golden_number(wanted[i])))
            << name << " of frame " << i << ": " << have[i] << ", not " << golden_number(wanted[i]);
    }
    return compared;
}

} // namespace vmafgpu
