// SPDX-License-Identifier: BSD-2-Clause-Patent
// Heatmaps of cambi.h: names, sizes and samples of the files. A subject of its own: who opens them
// is in output/report_file.h.
#include "features/cambi/cambi.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/error.h"

namespace vmafgpu::cambi {

namespace {

constexpr double kLargest = 65535;

/// Returns the factor from c to 16 bits. The largest possible c is taken as an integer, rounded
/// down.
double factor_of(const Config &config)
{
    const int window = config.target[0].window;
    const int largest = kWeights[config.steps - 1] * window * window / 4;
    return largest == 0 ? 0 : kLargest / largest; // 0: a window of one pixel, every c is 0
}

/// libvmaf's. If cambi_high_res_speedup is active, scale 0 is half as large as its name says, and
/// so are the other scales.
std::vector<std::string> names_of(const Config &config)
{
    std::vector<std::string> names;
    int width = config.target[0].width;
    int height = config.target[0].height;
    for (int scale = 0; scale < kScales; ++scale) {
        names.push_back("cambi_heatmap_scale_" + std::to_string(scale) + "_" +
                        std::to_string(width) + "x" + std::to_string(height) + "_16b.gray");
        width = (width + 1) / 2;
        height = (height + 1) / 2;
    }
    return names;
}

} // namespace

Heatmaps::Heatmaps(const Config &config, std::string folder)
    : config_(config), folder_(std::move(folder)), factor_(factor_of(config))
{
}

void Heatmaps::open(const OpenPictureFiles &open)
{
    if (!open)
        throw Error(ENOSYS, "cambi: there is nothing that opens the files of heatmaps_path");
    files_ = open(folder_, names_of(config_));
}

int64_t Heatmaps::picture_bytes(int scale) const
{
    return int64_t{config_.scale_width(0, scale)} * config_.scale_height(0, scale) *
           static_cast<int64_t>(sizeof(uint16_t));
}

void Heatmaps::cut(int64_t pictures)
{
    for (size_t scale = 0; scale < files_.size(); ++scale)
        files_[scale]->cut(pictures * picture_bytes(static_cast<int>(scale)));
}

void Heatmaps::close()
{
    for (const auto &file : files_)
        file->close();
}

void Heatmaps::write(int64_t index, int scale, int y0, int y1, const float *c) const
{
    if (files_.empty())
        return; // the feature is computed without a context
    const auto width = static_cast<size_t>(config_.scale_width(0, scale));
    const size_t first = width * static_cast<size_t>(y0);
    std::vector<uint16_t> samples(width * static_cast<size_t>(y1 - y0));
    // Above 65535 is undefined in libvmaf. It takes a c between the largest one and that rounded
    // down.
    for (size_t i = 0; i < samples.size(); ++i)
        samples[i] =
            static_cast<uint16_t>(std::min(factor_ * static_cast<double>(c[first + i]), kLargest));
    files_[static_cast<size_t>(scale)]->write(index * picture_bytes(scale) +
                                                  static_cast<int64_t>(first * sizeof(uint16_t)),
                                              samples.data(), samples.size() * sizeof(uint16_t));
}

} // namespace vmafgpu::cambi
