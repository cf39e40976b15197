// SPDX-License-Identifier: BSD-2-Clause-Patent
// See file_guard.h: how logs begin.
#include "report/file_guard.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace vmafgpu {

namespace {

using namespace std::string_view_literals;

constexpr size_t kBegin = 512;

struct Log {
    std::string_view begin, then; ///< without spaces and ends of lines; then: somewhere behind it
};

constexpr Log kLogs[] = {
    {"<VMAFversion="sv, ""sv}, // XML
    {"<?xml"sv, "<VMAFversion="sv},
    {"{\"version\":\""sv, "\"fps\":"sv},         // JSON
    {"{\"version\":\""sv, "\"frames\":["sv},     // of libvmaf 2.0
    {"{\"version\":\""sv, "\"scaledWidth\":"sv}, // of libvmaf 1
    {"{\"schema\":\"vmaf_gpu.part/"sv, ""sv},
    {"{"sv, "}frame:"sv}, // SUB
    {"{"sv, "}incomplete:"sv},
    {"Frame,"sv, ""sv}, // CSV
    {"n:"sv, "pts:"sv}, // statistics
    {"<!DOCTYPEhtml>"sv, ":root{color-scheme:lightdark;--page:"sv},
};

bool is_log(std::string begin)
{
    const auto is_space = [](char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
    };
    begin.erase(std::remove_if(begin.begin(), begin.end(), is_space), begin.end());
    return std::any_of(std::begin(kLogs), std::end(kLogs), [&begin](const Log &log) {
        return begin.rfind(log.begin, 0) == 0 && begin.find(log.then) != std::string::npos;
    });
}

} // namespace

std::string overwrite_refusal(int descriptor)
{
    if (descriptor < 0)
        return "";
    std::string begin(kBegin, '\0');
    const auto size = read(descriptor, begin.data(), begin.size());
    close(descriptor);
    begin.resize(size > 0 ? static_cast<size_t>(size) : 0);
    if (begin.empty() || is_log(begin))
        return "";
    begin = begin.substr(0, std::min(begin.find_first_of("\r\n"), size_t{24}));
    for (char &c : begin)
        c = c >= ' ' && c <= '~' ? c : '?';
    return "it is no log, but a file that begins with '" + begin + "'";
}

} // namespace vmafgpu
