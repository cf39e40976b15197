// SPDX-License-Identifier: BSD-2-Clause-Patent
// Whole runs for the parity gate: through the C API on a backend, as an application
// would; and the reference, from the plain code's Sums by the same host arithmetic.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "job.h"

namespace vmafgpu {
namespace {

uint64_t bits_of(double value)
{
    uint64_t bits;
    static_assert(sizeof(bits) == sizeof(value));
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

void append_row(ParityResult &result, const double *scores, size_t count)
{
    result.rows.emplace_back();
    for (size_t i = 0; i < count; ++i)
        result.rows.back().push_back(bits_of(scores[i]));
}

/// The pairs of a clip, of which one is being scored.
class ClipWindow final : public SumsWindow {
public:
    ClipWindow(const AllSums &sums, int frame) : sums_(sums), frame_(frame) {}

    const void *at(int offset) const override
    {
        const int frame = frame_ + offset;
        if (frame < 0 || frame >= static_cast<int>(sums_.size()))
            return nullptr;
        return sums_[static_cast<size_t>(frame)].data();
    }
    int64_t position() const override { return frame_; }

private:
    const AllSums &sums_;
    int frame_;
};

ParityResult reference_scores(const ParityJob &job)
{
    std::vector<std::unique_ptr<Model>> models;
    for (const ModelRequest &request : job.models) {
        models.push_back(Model::load(request.name));
        for (const auto &[key, value] : request.options)
            models.back()->set_option(key, value);
    }
    const ScorePlan plan(job.format, job.compat, std::move(models), job.features);
    ScorePlan::Scratch scratch = plan.make_scratch();
    const TestClip clip = job.clip();
    AllSums sums(static_cast<size_t>(clip.frames()));
    for (auto &of_frame : sums)
        of_frame.resize(plan.sums_bytes() / sizeof(uint64_t));
    for (const ScorePlan::Group &group : plan.groups()) {
        const AllSums of_group = reference_sums(*group.feature, clip);
        for (size_t i = 0; i < sums.size(); ++i)
            std::copy(of_group[i].begin(), of_group[i].end(),
                      sums[i].begin() +
                          static_cast<std::ptrdiff_t>(group.sums_offset / sizeof(uint64_t)));
    }
    ParityResult result;
    result.backend = result.selector = kReferenceBackend;
    result.names = plan.names();
    for (int frame = 0; frame < clip.frames(); ++frame) {
        std::vector<double> row(plan.names().size());
        plan.scores(ClipWindow(sums, frame), scratch, row.data());
        append_row(result, row.data(), row.size());
    }
    return result;
}

void check_call(int code, const char *text)
{
    if (code != 0)
        throw Error(-code, text);
}

/// A context and what it was opened with, freed in order.
struct Session {
    ~Session()
    {
        vmafgpu_close(&ctx);
        for (VmafGpuModel *&model : models)
            vmafgpu_model_free(&model);
    }
    VmafGpuContext *ctx = nullptr;
    std::vector<VmafGpuModel *> models;
};

void open_session(const ParityJob &job, const std::string &backend, Session &session)
{
    VmafGpuError error = {};
    for (const ModelRequest &request : job.models) {
        session.models.push_back(nullptr);
        check_call(vmafgpu_model_load(&session.models.back(), request.name.c_str(), &error),
                   error.text);
        for (const auto &[key, value] : request.options)
            check_call(
                vmafgpu_model_option(session.models.back(), key.c_str(), value.c_str(), &error),
                error.text);
    }
    std::vector<VmafGpuFeature> features;
    for (const FeatureRequest &request : job.features)
        features.push_back({request.name.c_str(), request.options.c_str()});
    VmafGpuSettings settings;
    vmafgpu_settings_default(&settings);
    settings.width = job.format.width;
    settings.height = job.format.height;
    settings.depth = job.format.depth;
    settings.chroma = static_cast<int>(job.format.chroma);
    settings.device = backend.c_str();
    settings.models = session.models.data();
    settings.model_count = static_cast<int>(session.models.size());
    settings.features = features.data();
    settings.feature_count = static_cast<int>(features.size());
    settings.ring_depth = job.ring;
    settings.threads = job.threads;
    settings.compat = job.compat == Compat::k3_1 ? VMAFGPU_COMPAT_3_1 : VMAFGPU_COMPAT_3_2;
    check_call(vmafgpu_open(&session.ctx, &settings, &error), error.text);
}

VmafGpuPicture picture_of(const std::vector<TestPlane> &planes, const Format &format)
{
    VmafGpuPicture picture = {};
    picture.width = format.width;
    picture.height = format.height;
    picture.depth = format.depth;
    for (size_t p = 0; p < planes.size(); ++p)
        picture.plane[p] = {planes[p].data(), planes[p].pitch(), 0, 0};
    return picture;
}

/// Everything that is final; true until the context has no more.
bool take(const ParityJob &job, VmafGpuContext *ctx, ParityResult &result)
{
    for (;;) {
        VmafGpuResult row = {};
        const int code = vmafgpu_collect(ctx, &row, 1);
        if (code == -EAGAIN)
            return true;
        if (code == -ENODATA)
            return false;
        check_call(code, vmafgpu_error_text(ctx));
        if (row.index != static_cast<int64_t>(result.rows.size()) || row.scored != 1 ||
            row.tag != job.seed + static_cast<uint64_t>(row.index))
            throw Error(EIO, "pair " + std::to_string(row.index) + " came out of order");
        append_row(result, row.scores, static_cast<size_t>(row.score_count));
    }
}

} // namespace

ParityResult run_scores(const ParityJob &job, const std::string &backend)
{
    if (backend == kReferenceBackend)
        return reference_scores(job);
    const TestClip clip = job.clip();
    Session session;
    open_session(job, backend, session);
    VmafGpuDevice device = {};
    check_call(vmafgpu_device_info(session.ctx, &device), "device_info failed");
    ParityResult result;
    result.backend = device.backend;
    result.selector = device.selector;
    for (int i = 0; i < vmafgpu_score_count(session.ctx); ++i)
        result.names.emplace_back(vmafgpu_score_name(session.ctx, i));
    for (int frame = 0; frame < clip.frames(); ++frame) {
        const VmafGpuPicture reference = picture_of(clip.pair(frame).reference, clip.format());
        const VmafGpuPicture distorted = picture_of(clip.pair(frame).distorted, clip.format());
        int code;
        while ((code = vmafgpu_submit(session.ctx, &reference, &distorted,
                                      job.seed + static_cast<uint64_t>(frame))) == -EAGAIN)
            take(job, session.ctx, result);
        check_call(code, vmafgpu_error_text(session.ctx));
    }
    check_call(vmafgpu_flush(session.ctx), vmafgpu_error_text(session.ctx));
    if (take(job, session.ctx, result))
        throw Error(EIO, "a flushed context has pairs that never become final");
    return result;
}

} // namespace vmafgpu
