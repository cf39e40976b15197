// SPDX-License-Identifier: BSD-2-Clause-Patent
// Parity jobs as text, targets by name, and the integer Sums of one feature. The
// running itself is tests/check's.
#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/error.h"
#include "features/registry.h"
#include "gpu/backends.h"
#include "job.h"

namespace vmafgpu {
namespace {

Chroma parse_chroma(const std::string &text)
{
    static const char *const names[] = {"400", "420", "422", "444"};
    for (size_t i = 0; i < std::size(names); ++i)
        if (text == names[i])
            return static_cast<Chroma>(i);
    throw Error(EINVAL, "unknown chroma '" + text + "'");
}

Content parse_content(const std::string &text)
{
    for (const Content content : kAllContents)
        if (text == content_name(content))
            return content;
    if (text == content_name(Content::kBands)) // which only some features need
        return Content::kBands;
    throw Error(EINVAL, "unknown content '" + text + "'");
}

} // namespace

ParityJob parse_job(const nlohmann::json &text)
{
    ParityJob job;
    text.at("id").get_to(job.id);
    job.is_scores = text.at("kind") == "scores";
    job.compat = text.value("compat", "3.2") == "3.1" ? Compat::k3_1 : Compat::k3_2;
    if (job.is_scores) {
        for (const auto &model : text.at("models")) {
            ModelRequest request{model.at("name"), {}};
            for (const auto &[key, value] : model.at("options").items())
                request.options.emplace_back(key, value.get<std::string>());
            job.models.push_back(std::move(request));
        }
        for (const auto &feature : text.at("features"))
            job.features.push_back({feature.at(0), feature.at(1)});
    } else {
        text.at("feature").get_to(job.feature);
        text.at("options").get_to(job.options);
    }
    const auto &clip = text.at("clip");
    job.format = {clip.at("width"), clip.at("height"), clip.at("depth"),
                  parse_chroma(clip.at("chroma"))};
    job.content = parse_content(clip.at("content"));
    job.frames = clip.at("frames");
    job.seed = clip.at("seed");
    job.ring = text.value("ring", 4);
    job.threads = text.value("threads", 2);
    return job;
}

std::unique_ptr<Target> open_parity_target(const std::string &backend, int threads)
{
    auto target = std::make_unique<Target>();
    target->name = backend;
    if (backend == "cpu") {
        target->pool = std::make_unique<ThreadPool>(threads);
        return target;
    }
    const size_t colon = backend.find(':');
    for (const Backend &known : backends()) {
        if (backend.substr(0, colon) != known.name)
            continue;
        DeviceRequest request;
        request.selector = colon == std::string::npos ? "" : backend.substr(colon + 1);
        target->device = known.open(request);
        return target;
    }
    throw Error(ENOSYS, "backend '" + backend + "' is not in this build");
}

std::vector<FeatureGroup> create_groups(const ParityJob &job)
{
    const FeatureInfo *info = find_feature(job.feature);
    if (info == nullptr)
        throw Error(EINVAL, "unknown feature '" + job.feature + "'");
    if (std::min(job.format.width, job.format.height) < info->min_size)
        throw Error(EINVAL, "picture is smaller than the minimum of feature " + job.feature);
    std::vector<FeatureOptions> values;
    for (const std::string &text : job.options) {
        values.push_back(info->defaults);
        set_options(*info, values.back(), text);
    }
    return info->create(job.format, job.compat, values);
}

ParityResult run_sums(const ParityJob &job, const std::string &backend)
{
    const bool is_reference = backend == kReferenceBackend;
    const auto target = is_reference ? nullptr : open_parity_target(backend, job.threads);
    const TestClip clip = job.clip();
    ParityResult result;
    result.backend = target && target->device ? target->device->info().backend : backend;
    result.selector = target && target->device ? target->device->info().selector : backend;
    result.rows.resize(static_cast<size_t>(clip.frames()));
    const std::vector<FeatureGroup> groups = create_groups(job);
    for (size_t group = 0; group < groups.size(); ++group) {
        const Feature &feature = *groups[group].feature;
        const AllSums sums =
            is_reference ? reference_sums(feature, clip) : target_sums(feature, clip, *target);
        for (size_t word = 0; word < sums.front().size(); ++word)
            result.names.push_back(std::to_string(group) + "." + std::to_string(word));
        for (size_t frame = 0; frame < sums.size(); ++frame)
            result.rows[frame].insert(result.rows[frame].end(), sums[frame].begin(),
                                      sums[frame].end());
    }
    return result;
}

} // namespace vmafgpu
