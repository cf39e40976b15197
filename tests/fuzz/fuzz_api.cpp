// SPDX-License-Identifier: BSD-2-Clause-Patent
// Any sequence of calls of the C API on up to two contexts and with good and bad
// arguments: no fault, every accepted picture released exactly once, none that was
// refused, results in order, and -ENODATA only when nothing is left.
#include <cerrno>
#include <deque>
#include <memory>
#include <vector>

#include "bytes.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace {

using vmafgpu::Bytes;

struct Stored {
    std::vector<unsigned char> samples;
    int releases = 0;
    bool is_accepted = false;
};

struct Session {
    VmafGpuContext *ctx = nullptr;
    int width = 0, height = 0, depth = 8;
    std::deque<std::unique_ptr<Stored>> pictures;
    int64_t submitted = 0, collected = 0;

    ~Session() { close(); }

    void close()
    {
        vmafgpu_close(&ctx);
        for (const auto &picture : pictures)
            VMAFGPU_FUZZ_REQUIRE(picture->releases == (picture->is_accepted ? 1 : 0));
        pictures.clear();
        submitted = collected = 0;
    }
};

void open_session(Session &session, Bytes &bytes)
{
    session.close();
    static const VmafGpuFeature features[] = {{"motion", nullptr},
                                              {"vif", "vif_enhn_gain_limit=1"},
                                              {"motion", "motion_five_frame_window=true"},
                                              {"adm", nullptr},
                                              {"vif", "debug=true"}};
    VmafGpuModel *model = nullptr;
    VmafGpuError error = {};
    const bool has_model = bytes.one_in(3);
    if (has_model)
        VMAFGPU_FUZZ_REQUIRE(vmafgpu_model_load(&model, "vmaf_v0.6.1", &error) == 0);
    VmafGpuSettings settings;
    vmafgpu_settings_default(&settings);
    settings.width = session.width = bytes.between(15, 40);
    settings.height = session.height = bytes.between(15, 40);
    settings.depth = session.depth = bytes.one_in(3) ? bytes.between(6, 18) : 8;
    settings.chroma = bytes.below(5);
    settings.device = "cpu";
    settings.threads = bytes.below(3);
    settings.ring_depth = bytes.below(9);
    settings.subsample = bytes.below(4);
    settings.compat = bytes.below(2);
    settings.models = has_model ? &model : nullptr;
    settings.model_count = has_model ? 1 : 0;
    settings.features = features + bytes.below(3);
    settings.feature_count = bytes.below(4);
    if (settings.feature_count > 3)
        settings.feature_count = 3;
    if (bytes.one_in(16))
        settings.struct_size = bytes.word();
    if (settings.threads == 0)
        settings.threads = 2;
    const int code = vmafgpu_open(&session.ctx, &settings, &error);
    VMAFGPU_FUZZ_REQUIRE((code == 0) == (session.ctx != nullptr));
    VMAFGPU_FUZZ_REQUIRE((code == 0) == (error.text[0] == '\0'));
    vmafgpu_model_free(&model);
}

Stored &make_picture(Session &session, Bytes &bytes, VmafGpuPicture &picture)
{
    session.pictures.push_back(std::make_unique<Stored>());
    Stored &stored = *session.pictures.back();
    const int depth = bytes.one_in(8) ? bytes.between(7, 17) : session.depth;
    const int sample = depth > 8 ? 2 : 1;
    const int step = bytes.one_in(8) ? bytes.below(6) : 0;
    const int unit = step == 0 ? sample : step;
    const int width = session.width, height = session.height;
    const size_t row = static_cast<size_t>(unit) * static_cast<size_t>(width - 1) + 2;
    const size_t pitch = row + static_cast<size_t>(bytes.below(5));
    const bool is_flipped = bytes.one_in(4);
    stored.samples.assign(pitch * static_cast<size_t>(height), bytes.byte());
    for (size_t i = 0; i < stored.samples.size(); i += 7)
        stored.samples[i] = static_cast<unsigned char>(i * 37);
    picture = {};
    picture.width = bytes.one_in(16) ? width + 1 : width;
    picture.height = height;
    picture.depth = depth;
    picture.shift = bytes.one_in(8) ? bytes.below(18) - 1 : 0;
    picture.memory = bytes.one_in(16) ? bytes.below(4) : 0;
    const auto signed_pitch = static_cast<ptrdiff_t>(pitch);
    picture.plane[0].data = is_flipped
                                ? stored.samples.data() + pitch * static_cast<size_t>(height - 1)
                                : stored.samples.data();
    picture.plane[0].pitch = is_flipped ? -signed_pitch : signed_pitch;
    picture.plane[0].step = step;
    if (bytes.one_in(16))
        picture.plane[0].data = nullptr;
    if (bytes.one_in(16)) { // too small or not, but never out of the samples that there are
        const int smaller = bytes.below(static_cast<int>(pitch) + 1);
        picture.plane[0].pitch = is_flipped ? -smaller : smaller;
    }
    picture.opaque = &stored;
    picture.release = [](void *opaque) {
        ++static_cast<Stored *>(opaque)->releases;
    };
    return stored;
}

void submit(Session &session, Bytes &bytes)
{
    if (session.width < 1 || session.height < 1)
        return;
    VmafGpuPicture reference, distorted;
    Stored &first = make_picture(session, bytes, reference);
    Stored &second = make_picture(session, bytes, distorted);
    // Small pitches are refused, but only if they are too small.
    const int code = vmafgpu_submit(session.ctx, &reference, &distorted,
                                    static_cast<uint64_t>(session.submitted));
    if (code != 0) {
        VMAFGPU_FUZZ_REQUIRE(first.releases == 0 && second.releases == 0);
        session.pictures.resize(session.pictures.size() - 2);
        return;
    }
    first.is_accepted = second.is_accepted = true;
    ++session.submitted;
}

void collect(Session &session, int wait)
{
    VmafGpuResult result = {};
    const int code = vmafgpu_collect(session.ctx, &result, wait);
    if (session.ctx == nullptr) {
        VMAFGPU_FUZZ_REQUIRE(code < 0);
        return;
    }
    if (code == 0) {
        VMAFGPU_FUZZ_REQUIRE(result.index == session.collected);
        VMAFGPU_FUZZ_REQUIRE(result.tag == static_cast<uint64_t>(session.collected));
        VMAFGPU_FUZZ_REQUIRE(result.score_count == vmafgpu_score_count(session.ctx));
        ++session.collected;
    }
    if (code == -ENODATA)
        VMAFGPU_FUZZ_REQUIRE(session.collected == session.submitted);
}

void queries(Session &session, Bytes &bytes)
{
    const int i = bytes.below(40) - 4;
    double value = 0;
    char text[64];
    VmafGpuDevice device = {};
    vmafgpu_score_name(session.ctx, i);
    vmafgpu_model_score(session.ctx, i);
    vmafgpu_error_text(session.ctx);
    vmafgpu_device_info(session.ctx, bytes.one_in(4) ? nullptr : &device);
    if (vmafgpu_pooled(session.ctx, i, bytes.below(10) - 1, &value) == 0)
        VMAFGPU_FUZZ_REQUIRE(session.collected > 0);
    vmafgpu_format_score(text, static_cast<size_t>(bytes.below(65)), value, bytes.below(20));
}

void write_log(Session &session, Bytes &bytes)
{
    static const char *const formats[] = {"xml", "json", "csv", "sub", "html", "", nullptr};
    VmafGpuLog log = {};
    log.path = bytes.one_in(8) ? nullptr : "/dev/null";
    log.format = formats[bytes.below(7)];
    log.precision = bytes.below(20);
    vmafgpu_write_log(session.ctx, bytes.one_in(16) ? nullptr : &log);
}

void act(Session &session, Bytes &bytes)
{
    switch (bytes.below(12)) {
    case 0:
        open_session(session, bytes);
        break;
    case 1:
        session.close();
        break;
    case 2:
        vmafgpu_flush(session.ctx);
        break;
    case 3:
        if (vmafgpu_reset(session.ctx) == 0)
            session.submitted = session.collected = 0;
        break;
    case 4:
        queries(session, bytes);
        break;
    case 5:
        write_log(session, bytes);
        break;
    case 6:
    case 7:
    case 8:
        collect(session, bytes.below(2));
        break;
    default:
        submit(session, bytes);
        break;
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Bytes bytes(data, std::min<size_t>(size, 2000));
    Session sessions[2];
    open_session(sessions[0], bytes);
    for (int calls = 0; !bytes.is_empty() && calls < 100; ++calls)
        act(sessions[bytes.one_in(4) ? 1 : 0], bytes);
    return 0;
}
