// SPDX-License-Identifier: BSD-2-Clause-Patent
// See file_guard.h: how files of media and logs begin.
#include "report/file_guard.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace vmafgpu {

namespace {

using namespace std::string_view_literals;

struct Signature {
    size_t at;
    std::string_view bytes;
};

constexpr size_t kBegin = 512; // reaches the third packet of a transport stream

constexpr Signature kSignatures[] = {
    {4, "ftyp"sv},                         // MP4, QuickTime, AVIF, HEIF
    {4, "moov"sv},                         // QuickTime
    {4, "mdat"sv},                         //
    {4, "styp"sv},                         // segments
    {4, "moof"sv},                         //
    {4, "wide"sv},                         //
    {4, "pnot"sv},                         //
    {0, "\x1a\x45\xdf\xa3"sv},             // Matroska, WebM
    {0, "RIFF"sv},                         // AVI, WAVE, WebP
    {0, "RF64"sv},                         //
    {0, "OggS"sv},                         //
    {0, "FLV\x01"sv},                      //
    {0, "YUV4MPEG2 "sv},                   //
    {0, "DKIF"sv},                         // IVF
    {0, "nut/multimedia container\0"sv},   //
    {0, "\x06\x0e\x2b\x34"sv},             // MXF
    {0, "\x30\x26\xb2\x75\x8e\x66\xcf"sv}, // ASF, WMV
    {0, "\x00\x00\x01\xba"sv},             // MPEG program stream
    {0, "\x00\x00\x01\xb3"sv},             // MPEG video
    {0, "\x00\x00\x01\xb0"sv},             // MPEG-4 video
    {0, "\x00\x00\x01\x67"sv},             // H.264 without container
    {0, "\x00\x00\x00\x01"sv},             // H.264, H.265, H.266 without container
    {0, "\x12\x00\x0a"sv},                 // AV1 without container
    {0, ".RMF"sv},                         // RealMedia
    {0, "\x89PNG"sv},                      //
    {0, "\xff\xd8\xff"sv},                 // JPEG
    {0, "GIF8"sv},                         //
    {0, "II*\0"sv},                        // TIFF
    {0, "MM\0*"sv},                        //
    {0, "SDPX"sv},                         // DPX
    {0, "XPDS"sv},                         //
    {0, "\x76\x2f\x31\x01"sv},             // OpenEXR
    {4, "jP  "sv},                         // JPEG 2000, JPEG XL
    {4, "JXL "sv},                         //
    {0, "\xff\x4f\xff\x51"sv},             // JPEG 2000 without container
    {0, "ID3"sv},                          // MP3
    {0, "fLaC"sv},                         //
};

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

bool has(const std::string &begin, size_t at, std::string_view bytes)
{
    return begin.size() >= at + bytes.size() && begin.compare(at, bytes.size(), bytes) == 0;
}

/// Packets of a transport stream begin with 0x47, every 188, 192 or 204 bytes.
bool is_transport_stream(const std::string &begin)
{
    for (const size_t packet : {188, 192, 204})
        for (const size_t at : {size_t{0}, size_t{4}})
            if (begin.size() > at + 2 * packet && begin[at] == 0x47 && begin[at + packet] == 0x47 &&
                begin[at + 2 * packet] == 0x47)
                return true;
    return false;
}

} // namespace

bool is_media(const std::string &begin)
{
    for (const Signature &signature : kSignatures)
        if (has(begin, signature.at, signature.bytes))
            return true;
    return is_transport_stream(begin);
}

bool is_log(std::string begin)
{
    const auto is_space = [](char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
    };
    begin.erase(std::remove_if(begin.begin(), begin.end(), is_space), begin.end());
    return std::any_of(std::begin(kLogs), std::end(kLogs), [&begin](const Log &log) {
        return has(begin, 0, log.begin) && begin.find(log.then) != std::string::npos;
    });
}

std::string overwrite_refusal(int descriptor, bool accepts_any)
{
    if (descriptor < 0)
        return "";
    std::string begin(kBegin, '\0');
    const auto size = read(descriptor, begin.data(), begin.size());
    close(descriptor);
    begin.resize(size > 0 ? static_cast<size_t>(size) : 0);
    if (is_media(begin))
        return "it is a video, picture or sound file";
    if (accepts_any || begin.empty() || is_log(begin))
        return "";
    begin = begin.substr(0, std::min(begin.find_first_of("\r\n"), size_t{24}));
    for (char &c : begin)
        c = c >= ' ' && c <= '~' ? c : '?';
    return "it is no log, but a file that begins with '" + begin + "'";
}

} // namespace vmafgpu
