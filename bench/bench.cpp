// SPDX-License-Identifier: BSD-2-Clause-Patent
// Frames per second of the whole engine through its API: pictures lie
// in memory (frames.cpp), so neither files nor decoders are timed. With --csv
// the last column of the last line is frames per second. Kernels alone:
// `check --bench`.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "counted.h"
#include "frames.h"
#include "vmaf_gpu/pairing.h"

namespace vmafgpu {
namespace {

struct Options {
    std::string backend = "auto";
    std::string size = "1920x1080";
    std::string distorted_size; ///< that is scaled up or down; "": no scaling
    std::vector<std::string> models;
    std::vector<std::string> features;
    BenchFormat format = {0, 0, 8, 0, VMAFGPU_CHROMA_400, false, false, {}, {}};
    int threads = 0;
    int ring = 0; ///< 0: what suits the size
    int frames = 100;
    int warmup = 4;
    int distinct = 4;
    bool is_csv = false;
    bool is_resident = false;
    bool is_latency = false;
    bool is_table = false;
    bool is_counted = false;
    std::string api = "submit"; ///< or "push"
    bool has_sketches = false;
    std::vector<std::string> sizes = {"576x324", "1280x720", "1920x1080", "3840x2160",
                                      "7680x4320"}; ///< sizes of the table
    std::vector<int> depths = {8, 10};
    double gops = 0; ///< integer operations per second in 10^9 that the device can issue
};

struct Timing {
    double seconds = 0;            ///< time of all frames
    std::vector<double> latencies; ///< seconds of each pair, in latency mode
    double last_score = 0;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

void require(int status, const VmafGpuError &error)
{
    if (status < 0)
        throw std::runtime_error(error.text);
}

void parse_size(const std::string &text, BenchFormat &format, const char *option = "--size")
{
    char rest = 0;
    if (std::sscanf(text.c_str(), "%dx%d%c", &format.width, &format.height, &rest) != 2)
        throw std::runtime_error(option + (": '" + text) + "' is not of the form WIDTHxHEIGHT");
}

bool is_cpu(const Options &options)
{
    return options.backend.rfind("cpu", 0) == 0;
}

/// Pairs in flight: small pictures need many to fill a large GPU, and to share what a
/// driver call costs.
int ring_of(const Options &options)
{
    if (options.is_latency)
        return 1;
    if (options.ring > 0)
        return options.ring;
    if (is_cpu(options))
        return 4;
    const int64_t pixels = static_cast<int64_t>(options.format.width) * options.format.height;
    return pixels <= 1920 * 1080 ? 64 : 16;
}

/// A context and the models it was opened with.
class Session {
public:
    Session(const Options &options, void *native_context)
    {
        VmafGpuError error;
        for (const std::string &name : options.models) {
            models_.push_back(nullptr);
            require(vmafgpu_model_load(&models_.back(), name.c_str(), &error), error);
            if (options.models.size() > 1)
                require(vmafgpu_model_option(models_.back(), "name", name.c_str(), &error), error);
        }
        std::vector<VmafGpuFeature> features;
        features.reserve(options.features.size());
        for (const std::string &name : options.features)
            features.push_back({name.c_str(), nullptr});
        VmafGpuSettings settings;
        vmafgpu_settings_default(&settings);
        settings.width = options.format.width;
        settings.height = options.format.height;
        settings.depth = options.format.depth;
        settings.chroma = options.format.chroma;
        settings.device = options.backend.c_str();
        settings.native_context = native_context;
        settings.models = models_.data();
        settings.model_count = static_cast<int>(models_.size());
        settings.features = features.data();
        settings.feature_count = static_cast<int>(features.size());
        if (!options.distorted_size.empty()) {
            BenchFormat distorted{};
            parse_size(options.distorted_size, distorted, "--distorted_size");
            if (distorted.width > settings.width || distorted.height > settings.height)
                throw std::runtime_error("--distorted_size: larger than --size");
            distorted_width_ = settings.distorted_width = distorted.width;
            distorted_height_ = settings.distorted_height = distorted.height;
        }
        settings.ring_depth = ring_of(options);
        settings.threads = options.threads;
        VmafGpuPairingSettings pairing;
        vmafgpu_pairing_default(&pairing);
        // Rule auto looks at sketches.
        pairing.rule = options.has_sketches ? VMAFGPU_PAIR_AUTO : VMAFGPU_PAIR_INDEX;
        for (VmafGpuPairingInput &input : pairing.input)
            input.rate_num = 25;
        if (options.api == "push")
            settings.pairing = &pairing;
        require(vmafgpu_open(&ctx_, &settings, &error), error);
    }
    ~Session()
    {
        vmafgpu_close(&ctx_);
        for (VmafGpuModel *model : models_)
            vmafgpu_model_free(&model);
    }
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    VmafGpuContext *ctx() const { return ctx_; }

    /// The picture, or its upper left corner if the context scales.
    VmafGpuPicture distorted_of(const BenchPair &pair) const
    {
        VmafGpuPicture picture = pair.distorted;
        if (distorted_width_ > 0) {
            picture.width = distorted_width_;
            picture.height = distorted_height_;
        }
        return picture;
    }

    void check(int status) const
    {
        if (status < 0)
            throw std::runtime_error(vmafgpu_error_text(ctx_));
    }

private:
    std::vector<VmafGpuModel *> models_;
    VmafGpuContext *ctx_ = nullptr;
    int distorted_width_ = 0, distorted_height_ = 0; ///< 0: as the reference
};

/// Collect until there is no more; returns the last pair's last score.
double drain(const Session &session)
{
    VmafGpuResult result;
    double score = 0;
    session.check(vmafgpu_flush(session.ctx()));
    int status = 0;
    while ((status = vmafgpu_collect(session.ctx(), &result, 1)) == 0)
        score = result.scores[result.score_count - 1];
    if (status != -ENODATA)
        session.check(status);
    return score;
}

void submit(const Session &session, const BenchPair &pair, int tag)
{
    const auto number = static_cast<uint64_t>(tag);
    const VmafGpuPicture distorted = session.distorted_of(pair);
    int status = 0;
    while ((status = vmafgpu_submit(session.ctx(), &pair.reference, &distorted, number)) ==
           -EAGAIN) {
        VmafGpuResult result;
        session.check(vmafgpu_collect(session.ctx(), &result, 1));
    }
    session.check(status);
}

/// Frames of two inputs that the engine pairs, as the FFmpeg filter brings them. Returns the last
/// pair's last score.
double push(const Session &session, const BenchFrames &frames, int count)
{
    constexpr int64_t kFrameTime = 40000000; // nanoseconds
    VmafGpuContext *ctx = session.ctx();
    int pushed[2] = {};
    const auto push_one = [&](int input) {
        const int number = pushed[input]++;
        if (number >= count)
            return vmafgpu_push_end(ctx, input);
        const BenchPair &pair = frames.pair(static_cast<size_t>(number));
        const VmafGpuPicture picture =
            input == VMAFGPU_MAIN ? session.distorted_of(pair) : pair.reference;
        return vmafgpu_push(ctx, input, &picture, number * kFrameTime, 0, 0);
    };
    session.check(vmafgpu_reset(ctx)); // the frames before have ended
    VmafGpuMatch match;
    for (int status = 0; (status = vmafgpu_next(ctx, &match, 0)) != -ENODATA;) {
        if (status != -EAGAIN)
            session.check(status);
        VmafGpuResult result;
        if (status == -EAGAIN && match.needs == 0)
            session.check(vmafgpu_collect(ctx, &result, 1));
        for (const int input : {VMAFGPU_MAIN, VMAFGPU_REFERENCE})
            if (status == -EAGAIN && (match.needs >> input & 1) != 0)
                session.check(push_one(input));
    }
    return drain(session);
}

/// Submits pairs; returns the last pair's last score.
double feed(const Session &session, const BenchFrames &frames, const Options &options, int count)
{
    if (options.api == "push")
        return push(session, frames, count);
    for (int i = 0; i < count; ++i)
        submit(session, frames.pair(static_cast<size_t>(i)), i);
    return drain(session);
}

Timing run_throughput(const Session &session, const BenchFrames &frames, const Options &options)
{
    feed(session, frames, options, options.warmup);
    session.check(vmafgpu_reset(session.ctx()));
    Timing timing;
    const auto start = Clock::now();
    timing.last_score = feed(session, frames, options, options.frames);
    timing.seconds = seconds_since(start);
    return timing;
}

/// Each pair alone: submitted, ended, waited for.
Timing run_latency(const Session &session, const BenchFrames &frames, const Options &options)
{
    Timing timing;
    for (int i = -options.warmup; i < options.frames; ++i) {
        const auto start = Clock::now();
        submit(session, frames.pair(static_cast<size_t>(i + options.warmup)), i);
        timing.last_score = drain(session);
        if (i >= 0)
            timing.latencies.push_back(seconds_since(start));
    }
    for (const double seconds : timing.latencies)
        timing.seconds += seconds;
    return timing;
}

double milliseconds_at(const Timing &timing, double place)
{
    if (timing.latencies.empty())
        return 0;
    std::vector<double> sorted = timing.latencies;
    std::sort(sorted.begin(), sorted.end());
    const auto at = static_cast<size_t>(place * static_cast<double>(sorted.size() - 1));
    return sorted[at] * 1e3;
}

void print(const Session &session, const Options &options, const Timing &timing)
{
    VmafGpuDevice device;
    session.check(vmafgpu_device_info(session.ctx(), &device));
    const double fps = options.frames / timing.seconds;
    const int ring = ring_of(options);
    const double median = milliseconds_at(timing, 0.5);
    const double worst = milliseconds_at(timing, 1.0);
    if (options.is_csv) {
        std::printf("mode,device,memory,width,height,depth,threads,ring,frames,last_score,"
                    "latency_median_ms,latency_max_ms,seconds,fps\n");
        std::printf("%s,%s,%s,%d,%d,%d,%d,%d,%d,%.6f,%.3f,%.3f,%.4f,%.2f\n",
                    options.is_latency ? "latency" : "throughput", device.selector,
                    options.is_resident ? "device" : "host", options.format.width,
                    options.format.height, options.format.depth, options.threads, ring,
                    options.frames, timing.last_score, median, worst, timing.seconds, fps);
        return;
    }
    std::printf("device   %s (%s)\n", device.selector, device.name);
    std::printf("pictures %dx%d, %d bit, in %s memory\n", options.format.width,
                options.format.height, options.format.depth,
                options.is_resident ? "device" : "host");
    std::printf("frames   %d in %.3f s, ring %d, threads %d (0 = one per core)\n", options.frames,
                timing.seconds, ring, options.threads);
    if (options.is_latency)
        std::printf("latency  median %.3f ms, worst %.3f ms\n", median, worst);
    std::printf("speed    %.2f frames/s\n", fps);
}

/// Frames per second in the median of three runs, of about `seconds` each.
double median_speed(const Session &session, const BenchFrames &frames, Options options,
                    double seconds)
{
    const int ring = ring_of(options);
    options.warmup = ring;
    options.frames = 4 * ring;
    const Timing first = run_throughput(session, frames, options);
    const double wanted = seconds * options.frames / std::max(first.seconds, 1e-9);
    options.frames = static_cast<int>(std::clamp(wanted, 4.0 * ring, 100000.0));
    std::vector<double> speeds;
    for (int i = 0; i < 3; ++i)
        speeds.push_back(options.frames / run_throughput(session, frames, options).seconds);
    std::sort(speeds.begin(), speeds.end());
    return speeds[1];
}

/// A line of the table: v0.6.1 alone, then with NEG.
void table_line(Options options, const CopyRates &rates, bool resident)
{
    void *native_context = nullptr;
    const size_t count = options.format.width > 4096 ? 2 : 4;
    const auto frames = resident ? make_device_frames(options.format, count,
                                                      options.backend.c_str(), &native_context)
                                 : make_host_frames(options.format, count);
    double speeds[2] = {};
    for (int neg = 0; neg < 2; ++neg) {
        options.models = {"vmaf_v0.6.1"};
        if (neg != 0)
            options.models.emplace_back("vmaf_v0.6.1neg");
        const Session session(options, native_context);
        speeds[neg] = median_speed(session, *frames, options, 0.25);
    }
    const double pixels = static_cast<double>(options.format.width) * options.format.height;
    const double bytes = speeds[0] * 2 * pixels * (options.format.depth > 8 ? 2 : 1);
    const double copy = resident ? rates.device : rates.upload;
    std::printf("%9s %5d %-8s %10.1f %10.1f %6.2f %8.2f", options.size.c_str(),
                options.format.depth, resident ? "resident" : "upload", speeds[0], speeds[1],
                speeds[0] / speeds[1], bytes / 1e9);
    if (copy > 0)
        std::printf(" %7.1f", 100 * bytes / copy);
    if (options.gops > 0)
        std::printf(" %7.1f", 100 * speeds[0] * pixels *
                                  counted_per_pixel(options.format.depth).instructions /
                                  (options.gops * 1e9));
    std::printf("\n");
    std::fflush(stdout);
}

/// Sizes, depths, where pictures lie, models. GB/s: samples of both pictures, read once.
void print_table(Options options)
{
    const bool has_device = !is_cpu(options);
    const CopyRates rates = measure_copy_rates(options.backend.c_str());
    if (rates.device > 0)
        std::printf("copies: %.1f GB/s from pinned host memory, %.1f GB/s in device memory, read "
                    "and written\n",
                    rates.upload / 1e9, rates.device / 1e9);
    std::printf("%9s %5s %-8s %10s %10s %6s %8s%s%s\n", "size", "bits", "pictures", "v0.6.1/s",
                "and NEG/s", "time", "GB/s", rates.device > 0 ? "  % copy" : "",
                options.gops > 0 ? "   % ops" : "");
    for (const std::string &size : options.sizes) {
        for (const int depth : options.depths) {
            options.size = size;
            options.format.depth = depth;
            parse_size(size, options.format);
            if (has_device)
                table_line(options, rates, true);
            table_line(options, rates, false);
        }
    }
}

void run(Options &options)
{
    if (options.is_counted) {
        print_counted();
        return;
    }
    if (options.is_table) {
        if (options.backend == "auto")
            throw std::runtime_error("--table: name the backend");
        print_table(options);
        return;
    }
    parse_size(options.size, options.format);
    if (options.models.empty() && options.features.empty())
        options.models = {"vmaf_v0.6.1"};
    void *native_context = nullptr;
    const auto count = static_cast<size_t>(std::min(options.distinct, options.frames));
    const auto frames =
        options.is_resident
            ? make_device_frames(options.format, count, options.backend.c_str(), &native_context)
            : make_host_frames(options.format, count);
    const Session session(options, native_context);
    const Timing timing = options.is_latency ? run_latency(session, *frames, options)
                                             : run_throughput(session, *frames, options);
    print(session, options, timing);
}

} // namespace
} // namespace vmafgpu

int main(int argc, char **argv)
{
    vmafgpu::Options options;
    CLI::App app{"Frames per second of vmaf_gpu, pictures in memory"};
    app.add_option("--backend", options.backend, "auto, cpu, cuda, hip, cuda:1, ...");
    app.add_option("--size", options.size, "WIDTHxHEIGHT");
    app.add_option("--distorted_size", options.distorted_size,
                   "WIDTHxHEIGHT, at most --size: each distorted picture is scaled from it");
    app.add_option("--depth", options.format.depth, "bits per sample")->check(CLI::Range(8, 16));
    app.add_option("--chroma", options.format.chroma, "400 (luma only), 420, 422, 444")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, VmafGpuChroma>{{"400", VMAFGPU_CHROMA_400},
                                                 {"420", VMAFGPU_CHROMA_420},
                                                 {"422", VMAFGPU_CHROMA_422},
                                                 {"444", VMAFGPU_CHROMA_444}}));
    app.add_flag("--bands", options.format.is_banded, "pictures with banding instead of texture");
    auto *reference = app.add_option("--reference", options.format.reference,
                                     "raw planar file with --distinct pictures, instead of either");
    app.add_option("--distorted", options.format.distorted, "the other file")->needs(reference);
    app.add_option("--threads", options.threads, "of the cpu backend; 0 = one per core");
    app.add_option("--ring", options.ring, "pairs in flight; 0: by size")->check(CLI::Range(0, 64));
    app.add_option("--frames", options.frames, "pairs to time")->check(CLI::Range(1, 100000000));
    app.add_option("--warmup", options.warmup, "pairs before that")->check(CLI::Range(0, 100000));
    app.add_option("--distinct", options.distinct, "different pairs")->check(CLI::Range(1, 1000));
    app.add_option("--model", options.models, "built-in name or path; may be repeated");
    app.add_option("--feature", options.features, "beside the models; may be repeated");
    app.add_option("--api", options.api,
                   "submit: pairs of pictures; push: as the FFmpeg filter, frames that the engine "
                   "pairs")
        ->check(CLI::IsMember({"submit", "push"}));
    app.add_flag("--sketch", options.has_sketches, "with --api=push: sketches are looked at");
    app.add_flag("--csv", options.is_csv, "a header and a line; its last column is frames/s");
    app.add_flag("--resident", options.is_resident, "pictures in device memory");
    app.add_flag("--hold", options.format.is_held, "read them there: VMAFGPU_PICTURE_HOLD");
    app.add_flag("--latency", options.is_latency, "each pair alone, with ring 1");
    app.add_flag("--table", options.is_table, "a table of sizes, depths, memory and models");
    app.add_option("--sizes", options.sizes, "of the table, WIDTHxHEIGHT,...")->delimiter(',');
    app.add_option("--depths", options.depths, "of the table")->delimiter(',');
    app.add_flag("--counted", options.is_counted, "instructions and bytes a pixel of each kernel");
    app.add_option("--gops", options.gops,
                   "10^9 instructions per second of all lanes that the device can issue, for the "
                   "table's share of it");
    CLI11_PARSE(app, argc, argv);
    try {
        vmafgpu::run(options);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "bench: %s\n", error.what());
        return 1;
    }
    return 0;
}
