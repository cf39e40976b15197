// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_page.h.
#include "report/report_page.h"

#include <algorithm>
#include <string_view>

#include "report/markup.h"
#include "report/report_chart.h"

namespace vmafgpu {
namespace {

constexpr char kHead[] = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; --page: #ffffff; --text: #1b1f24; --weak: #59636e;
  --rule: #d8dee4; --curve: #1d63b8; --band: #1d63b833; --card: #f6f8fa; --amber: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --page: #14171b; --text: #e6e9ed; --weak: #9aa4af;
  --rule: #343b43; --curve: #6fb1f7; --band: #6fb1f740; --card: #1d2127; --amber: #e3b341; } }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 68rem; background: var(--page);
  color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
h3 { font-size: .95rem; margin: 1rem 0 0; font-weight: 600; }
p { color: var(--weak); margin: .25rem 0; } .amber { color: var(--amber); }
.cards { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 8px;
  padding: .6rem 1rem; }
.card b { display: block; font-size: 1.6rem; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; padding-right: 1rem; } .warnings { color: var(--amber); margin: .5rem 0; padding-left: 1.2rem; }
.facts td { white-space: normal; overflow-wrap: anywhere; text-align: left; }
.facts td:first-child { color: var(--weak); white-space: nowrap; vertical-align: top; }
summary { cursor: pointer; color: var(--weak); margin: .5rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .87rem; }
th, td { padding: .25rem .55rem; text-align: right; border-bottom: 1px solid var(--rule);
  white-space: nowrap; }
th { color: var(--weak); font-weight: 600; } th:first-child, td:first-child { text-align: left; }
svg { display: block; width: 100%; min-width: 44rem; height: auto; overflow: visible; }
.grid { stroke: var(--rule); stroke-width: 1; }
.tick { fill: var(--weak); font-size: 12px; }
.tick.y { text-anchor: end; } .tick.x { text-anchor: middle; }
.curve { fill: none; stroke: var(--curve); stroke-width: 1.6; stroke-linejoin: round;
  stroke-linecap: round; }
.band { fill: var(--band); stroke: var(--curve); stroke-opacity: .55; stroke-width: .8; }
.bar { fill: var(--curve); }
.touch { fill: transparent; } .touch:hover { fill: var(--band); }
.s0 { --line: #1d63b8; } .s1 { --line: #c2410c; } .s2 { --line: #15803d; } .s3 { --line: #7e22ce; }
.s4 { --line: #be123c; } .s5 { --line: #0e7490; } .s6 { --line: #a16207; } .s7 { --line: #4b5563; }
@media (prefers-color-scheme: dark) {
.s0 { --line: #6fb1f7; } .s1 { --line: #fb923c; } .s2 { --line: #4ade80; } .s3 { --line: #d8b4fe; }
.s4 { --line: #fda4af; } .s5 { --line: #67e8f9; } .s6 { --line: #fde047; } .s7 { --line: #cbd5e1; } }
path.several { fill: none; stroke: var(--line); stroke-width: 1.6; stroke-linejoin: round;
  stroke-linecap: round; }
.dot { fill: var(--line); } input { accent-color: var(--line); margin: 0 .5em 0 0; }
section:has(input.n0:not(:checked)) path.n0, section:has(input.n1:not(:checked)) path.n1,
section:has(input.n2:not(:checked)) path.n2, section:has(input.n3:not(:checked)) path.n3,
section:has(input.n4:not(:checked)) path.n4, section:has(input.n5:not(:checked)) path.n5,
section:has(input.n6:not(:checked)) path.n6, section:has(input.n7:not(:checked)) path.n7,
section:has(input.n8:not(:checked)) path.n8, section:has(input.n9:not(:checked)) path.n9,
section:has(input.n10:not(:checked)) path.n10, section:has(input.n11:not(:checked)) path.n11,
section:has(input.n12:not(:checked)) path.n12, section:has(input.n13:not(:checked)) path.n13,
section:has(input.n14:not(:checked)) path.n14, section:has(input.n15:not(:checked)) path.n15
{ display: none; }
.tip { display: none; font-size: 13px; fill: var(--text); stroke: var(--page); stroke-width: 5px;
  stroke-linejoin: round; paint-order: stroke; pointer-events: none; }
.tip.end { text-anchor: end; } .at:hover .tip { display: block; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr));
  gap: 1rem; margin: 1rem 0 .5rem; }
figure { margin: 0; display: flex; flex-wrap: wrap; gap: .4rem; align-content: start; }
figcaption { flex: 1 0 100%; font-size: .87rem; font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere; }
figure span { flex: 1 1 12rem; max-width: 20rem; } figure small { color: var(--weak); }
img { display: block; max-width: 100%; height: auto; }
@media print { svg, figure, tr, .card { break-inside: avoid; } h2, summary { break-after: avoid; }
  svg { min-width: 0; } .scroll { overflow: visible; } }
</style>
)";

/// RFC 4648, section 4.
std::string base64(std::string_view data)
{
    static constexpr char kDigits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((data.size() + 2) / 3 * 4);
    for (size_t i = 0; i < data.size(); i += 3) {
        const size_t count = std::min<size_t>(data.size() - i, 3);
        uint32_t bits = 0;
        for (size_t j = 0; j < 3; ++j)
            bits = bits << 8 | (j < count ? static_cast<unsigned char>(data[i + j]) : 0u);
        for (size_t j = 0; j < 4; ++j)
            text += j <= count ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
    }
    return text;
}

bool is_set(const VmafGpuThumbnail &picture)
{
    return picture.png != nullptr && picture.png_size > 0 && picture.width > 0 &&
           picture.height > 0;
}

/// Nothing here needs escapes.
std::string picture_text(const VmafGpuThumbnail &picture, int64_t pair, const std::string &name)
{
    if (!is_set(picture))
        return "<span><small>" + name + ": no picture</small></span>";
    const std::string_view data(static_cast<const char *>(picture.png), picture.png_size);
    return "<span><img alt=\"" + name + ", frame " + std::to_string(pair) + "\" width=\"" +
           std::to_string(picture.width) + "\" height=\"" + std::to_string(picture.height) +
           "\" src=\"data:image/png;base64," + base64(data) + "\"><small>" + name +
           "</small></span>";
}

} // namespace

std::string page_head(const std::string &title)
{
    return kHead + markup("<title>%</title>\n</head>\n", {title});
}

std::string table_text(const Row &head, const std::vector<Row> &rows,
                       const std::vector<size_t> &curves)
{
    std::string text = "<div class=\"scroll\"><table><tr>";
    for (const std::string &name : head)
        text += markup("<th>%</th>", {name});
    for (size_t row = 0; row < rows.size(); ++row) {
        text += "</tr><tr>";
        for (size_t i = 0; i < head.size(); ++i) {
            text += "<td>";
            if (i == 0 && !curves.empty())
                text +=
                    markup("<label><input type=\"checkbox\" class=\"% n%\" checked> %</label>",
                           {colour_class(curves[row]), std::to_string(curves[row]), rows[row][i]});
            else
                text += markup("%", {rows[row][i]});
            text += "</td>";
        }
    }
    return text + "</tr></table></div>";
}

Thumbnails thumbnails_of(const RunFacts &run, std::vector<int64_t> pairs)
{
    if (!run.thumbnails || pairs.empty())
        return {};
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::vector<VmafGpuThumbnail> list(2 * pairs.size());
    for (size_t i = 0; i < list.size(); ++i) {
        list[i].pair = pairs[i / 2];
        list[i].video = static_cast<int>(i % 2);
    }
    const char *note = run.thumbnails(list.data(), static_cast<int>(list.size()));
    Thumbnails thumbnails = {{}, note == nullptr ? "" : note};
    for (size_t i = 0; i < pairs.size(); ++i)
        if (is_set(list[2 * i]) || is_set(list[2 * i + 1]))
            thumbnails.pictures[pairs[i]] = picture_text(list[2 * i], pairs[i], "reference") +
                                            picture_text(list[2 * i + 1], pairs[i], "distorted");
    return thumbnails;
}

} // namespace vmafgpu
