// SPDX-License-Identifier: BSD-2-Clause-Patent
// What comes of a run while it lasts, and its logs. Its end is in run_end.cpp. See run.h.
#include "run/run.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/format_number.h"
#include "base/require.h"
#include "base/text.h"
#include "core/pooling.h"
#include "inputs/pixel_format.h"
#include "run/places.h"

namespace vmafgpu {

namespace {

/// The log prints 16 digits for tiny fractions, as libvmaf does. Readers of metadata expect %f.
std::string result_text(double value, int precision)
{
    return precision == 6 && std::isfinite(value) ? format_fixed(value, 6)
                                                  : format_score(value, precision);
}

/// What the engine knows of the run, but for its results.
RunFacts facts_of(Engine &engine)
{
    const ScorePlan &plan = engine.plan();
    const EngineSettings &settings = engine.settings();
    RunFacts run;
    run.version = VMAFGPU_VERSION;
    run.backend = engine.executor().info().backend;
    run.device = engine.executor().info().name;
    run.width = settings.format.width;
    run.height = settings.format.height;
    run.depth = settings.format.depth;
    run.chroma = kChromaNames[static_cast<size_t>(settings.format.chroma)];
    run.compat = settings.compat == Compat::k3_1 ? "3.1" : "3.2";
    run.subsample = settings.subsample;
    if (const auto &scale = settings.scale; scale != nullptr)
        run.scaler = "bicubic+accurate_rnd+bitexact from " + std::to_string(scale->source().width) +
                     "x" + std::to_string(scale->source().height);
    run.colours = engine.colours();
    for (const auto &model : plan.models())
        run.models.push_back({model->score_names().front(), model->source(), model->digest(),
                              model->options_set(), model->range()});
    for (const FeatureRequest &request : settings.features)
        run.features.emplace_back(request.name, request.options);
    run.host_features = engine.host_features();
    run.warnings.assign(plan.warnings().begin(), plan.warnings().end());
    run.model_columns = plan.model_columns();
    return run;
}

PartFacts part_of(const Engine &engine)
{
    const ScorePlan &plan = engine.plan();
    return {engine.chunk(),         engine.reached(),       engine.before(),
            engine.after(),         engine.overlap(),       plan.spatial_columns(),
            plan.aggregate_words(), engine.aggregate_sums()};
}

/// A part has more warnings about pairs than were said, and has them last.
void add_said(const std::vector<std::string> &said, std::vector<std::string> &warnings)
{
    for (const std::string &text : said) {
        warnings.erase(std::remove(warnings.begin(), warnings.end(), text), warnings.end());
        warnings.push_back(text);
    }
}

bool has(const std::vector<std::string> &texts, const std::string &text)
{
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

/// As what features take the colours of an input.
ColourTags colours_of(const VmafGpuInputs &inputs, int input)
{
    const VmafGpuInput &of = inputs.compared[input];
    const bool is_full = parse_pixel_format(tag_of(of.format)).is_full;
    const auto original = tag_of(inputs.input[input].format);
    std::string_view matrix = tag_of(of.matrix);
    // FFmpeg makes Y'CbCr of RGB by BT.601, if no matrix is asked for.
    if (!original.empty() && (matrix.empty() || matrix == "gbr") &&
        parse_pixel_format(original).colour == PixelFormat::Colour::kRgb)
        matrix = "smpte170m";
    return {std::string(matrix), std::string(is_full ? "pc" : tag_of(of.range)),
            std::string(tag_of(of.primaries)), std::string(tag_of(of.transfer)),
            has_alpha(original)};
}

std::unique_ptr<ReportFile> open_file(const Log &log, const char *path, const FileOptions &options)
{
    auto file = std::make_unique<ReportFile>(path, options);
    if (file->path() != path)
        log(VMAFGPU_LOG_WARNING,
            std::string("another output has '") + path + "': writing '" + file->path() + "'");
    return file;
}

} // namespace

void Run::warn(const std::string &text)
{
    if (warnings_.size() < kMostWarnings && !has(warnings_, text))
        warnings_.push_back(text);
}

void Run::open(Engine &engine, Pairing *pairing)
{
    engine_ = &engine;
    pairing_ = pairing;
    opening_warnings_ = warnings_.size();
}

void Run::require_reset() const
{
    if (stream_ != nullptr)
        throw Error(EBUSY, "vmafgpu_reset: a log is streamed, and its pairs cannot be taken back");
}

void Run::reset(Pairing *pairing)
{
    pairing_ = pairing;
    warnings_.resize(std::min(opening_warnings_, warnings_.size()));
    has_logged_cuts_ = false;
    history_ = {};
    fault_.clear();
    times_.clear();
    pictures_.reset();
    start_.reset();
    was_slowed_.reset();
    collected_ = scored_ = 0;
    for (int i = 0; i < 2; ++i) {
        frames_[i] = 0;
        last_time_[i] = 0;
    }
}

void Run::begin(const VmafGpuRunSettings &settings)
{
    const int digits = settings.precision;
    require(digits == VMAFGPU_PRECISION_MAX || (digits >= 6 && digits <= 17), "precision", digits,
            "6 to 17, or max");
    settings_ = settings;
    limit_.reset();
    if (settings.fail_below != nullptr)
        limit_ = read_limit(engine_->plan(), settings.fail_below);
    FileOptions options = {"log", settings.overwrite != 0, false, true};
    if (settings.log_path != nullptr)
        log_ = open_file(engine_->log(), settings.log_path, options);
    if (log_ != nullptr && settings.keep_pictures != 0 &&
        settings.log_format == std::string("html")) {
        pictures_ = std::make_unique<WorstPictures>(engine_->plan().model_columns(),
                                                    engine_->plan().delay());
        pairing_->keep_pictures();
    }
    // Only what is asked for is kept, so that a run may last for ever.
    if (settings.pool < VMAFGPU_POOL_PERC1) // percentiles need all pairs
        stream_log(log_ == nullptr ? nullptr : settings.log_format, digits, log_.get());
    begin_in_place(settings.place);
    options.kind = "stats_file";
    options.is_live = true;
    if (settings.stats_path != nullptr)
        stats_ = open_file(engine_->log(), settings.stats_path, options);
}

void Run::stream_log(const char *format, int precision, ReportFile *file)
{
    if (stream_ != nullptr)
        throw Error(EINVAL, "vmafgpu_stream_log: a log is streamed already");
    if (engine_->score_table().left() > 0)
        throw Error(EINVAL, "vmafgpu_stream_log: older pairs were dropped; call it before the "
                            "first pair");
    if (file == nullptr) {
        engine_->limit_scores({});
        keeps_times_ = false;
        return;
    }
    if (!has_only_rows(format))
        return;
    auto stream = std::make_unique<RowStream>(
        format, precision, engine_->plan().names(), *file,
        [this](const char *failure) { engine_->log()(VMAFGPU_LOG_ERROR, failure); });
    engine_->limit_scores(
        [this](int64_t index, const double *scores) { stream_->take(index, scores); });
    keeps_times_ = false;
    stream_ = std::move(stream); // last: a call that failed changes nothing
}

void Run::set_inputs(const VmafGpuInputs &inputs)
{
    const ColourTags tags[] = {colours_of(inputs, VMAFGPU_REFERENCE),
                               colours_of(inputs, VMAFGPU_MAIN)};
    engine_->set_colours(tags);
    history_.set(inputs, frames_);
    for (int i = 0; i < 2; ++i) {
        formats_[i] = tag_of(inputs.compared[i].format);
        streams_[i] = stream_text(inputs.input[i]);
        compared_[i] = inputs.compared[i];
    }
    doubt_ = gray_fault(inputs);
}

void Run::came(int input, int64_t time)
{
    ++frames_[input];
    if (time != VMAFGPU_NO_TIME)
        last_time_[input] = static_cast<double>(time) *
                            pairing_->settings().base(static_cast<Input>(input)).value();
}

void Run::met(const VmafGpuMatch &match, Pairing::Pictures pictures)
{
    submitted();
    if (pictures_ != nullptr)
        pictures_->met(match.index, std::move(pictures));
    const double base = pairing_->settings().base(kMain).value();
    // What the tags of this pair say that those before did not.
    for (const std::string &text : history_.look(match.number)) {
        std::string line = "from pair " + std::to_string(match.index);
        line.append(" (")
            .append(format_fixed(static_cast<double>(match.time) * base, 3))
            .append(" s) on tags are others: ")
            .append(text);
        engine_->log()(VMAFGPU_LOG_WARNING, line);
        if (fault_.empty())
            fault_ = line;
    }
}

void Run::submitted()
{
    was_slowed_.reset(); // a clip more after finish()
    if (start_)
        return;
    start_ = std::chrono::steady_clock::now();
    host_seconds_before_ = engine_->executor().host_seconds();
}

bool Run::is_in_log(const VmafGpuResult &result) const
{
    return result.scored != 0 && engine_->chunk().counts(result.index);
}

void Run::scored(const VmafGpuResult &result)
{
    ++collected_;
    if (pairing_ != nullptr && keeps_times_)
        times_.push_back(result.time);
    if (pictures_ != nullptr)
        pictures_->scored(result.index, is_in_log(result) ? result.scores : nullptr);
    if (!is_in_log(result))
        return;
    if (scored_++ == 0)
        scored_times_[0] = result.time;
    scored_times_[1] = result.time;
    if (stats_ != nullptr)
        write_line(result);
}

/// Writes a line of statistics.
void Run::write_line(const VmafGpuResult &result)
{
    std::string text =
        "n:" + std::to_string(result.index + 1) + " pts:" + std::to_string(result.time);
    const auto reference = static_cast<int64_t>(result.reference_tag);
    if (reference != VMAFGPU_NO_TIME)
        text += " ref_pts:" + std::to_string(reference);
    for (int i = 0; i < result.score_count; ++i)
        text += " " + engine_->plan().names()[static_cast<size_t>(i)] + ":" +
                result_text(result.scores[i], settings_->precision);
    try {
        stats_->write(text + "\n");
    } catch (const Error &error) { // a full disk must not spoil the log: the run fails at its end
        engine_->log()(VMAFGPU_LOG_ERROR, error.what());
        stats_error_ = -error.code();
        stats_.reset();
    }
}

double Run::elapsed() const
{
    const std::chrono::duration<double> time =
        start_ ? std::chrono::steady_clock::now() - *start_ : std::chrono::seconds(0);
    return time.count();
}

double Run::frames_per_second() const
{
    return start_ ? static_cast<double>(collected_) / elapsed() : 0;
}

/// Most of the time passed in waiting for what the device had left to the host.
bool Run::is_slowed_by_host() const
{
    if (was_slowed_) // time goes on after the end
        return *was_slowed_;
    return start_ && 2 * (engine_->executor().host_seconds() - host_seconds_before_) > elapsed();
}

VmafGpuProgress Run::progress(int64_t total) const
{
    VmafGpuProgress progress = {};
    progress.done = collected_;
    progress.total = total;
    progress.rate = frames_per_second();
    progress.left = -1;
    if (total > collected_ && progress.rate > 0)
        progress.left = static_cast<double>(total - collected_) / progress.rate;
    std::string text = std::to_string(collected_) +
                       (total > 0 ? " of " + std::to_string(total) : "") + " frames, " +
                       format_fixed(progress.rate, 2) + " FPS";
    if (progress.left >= 0) {
        const auto left = std::llround(progress.left);
        char time[48];
        std::snprintf(time, sizeof(time), ", %lld:%02lld:%02lld left", left / 3600, left / 60 % 60,
                      left % 60);
        text += time;
    }
    progress.text[text.copy(progress.text, sizeof(progress.text) - 1)] = '\0';
    return progress;
}

const std::string &Run::fault() const
{
    for (const std::string *cause : {&fault_, &doubt_})
        if (!cause->empty())
            return *cause;
    return pairing_->said().fault;
}

void Run::each_metadata(const VmafGpuResult &result, const Sink &sink) const
{
    if (!is_in_log(result))
        return;
    const auto reference = static_cast<int64_t>(result.reference_tag);
    if (reference != VMAFGPU_NO_TIME)
        sink("ref_pts", std::to_string(reference).c_str());
    if (result.shot >= 0)
        sink("shot", std::to_string(result.shot).c_str());
    for (int i = 0; i < result.score_count; ++i)
        if (std::isfinite(result.scores[i]))
            sink(engine_->plan().names()[static_cast<size_t>(i)].c_str(),
                 result_text(result.scores[i], settings_->precision).c_str());
}

/// Where the caller said nothing.
void Run::add_known(RunFacts &run, const VmafGpuLog &log) const
{
    if (run.fps == 0)
        run.fps = frames_per_second();
    if (run.main_format.empty())
        run.main_format = formats_[VMAFGPU_MAIN];
    if (run.reference_format.empty())
        run.reference_format = formats_[VMAFGPU_REFERENCE];
    for (const std::string &text : warnings_)
        if (!has(run.warnings, text))
            run.warnings.push_back(text);
    if (pairing_ == nullptr)
        return;
    if (!run.pairing) {
        const VmafGpuPairing counts = pairing_->report();
        run.pairing = {counts, counts.rule, counts.start};
    }
    // XML has no times: its readers would take them for those of a whole run.
    const bool has_none = log.run != nullptr && log.run->time_base_num < 0;
    if (has_none || run.pts != nullptr || times_.empty() || log.format == std::string("xml"))
        return;
    const Rational base = pairing_->settings().base(kMain);
    run.base = {static_cast<int>(base.num), static_cast<int>(base.den)};
    run.time_base = std::to_string(base.num) + "/" + std::to_string(base.den);
    run.pts = times_.data();
    run.pts_first = engine_->chunk().first;
    run.pts_count = static_cast<int64_t>(times_.size());
}

RunFacts Run::facts(const VmafGpuLog &log) const
{
    RunFacts run = facts_of(*engine_);
    run.shots = engine_->shots();
    run.aggregates = engine_->aggregates();
    run.is_slowed_by_host = is_slowed_by_host();
    run.main_stream = streams_[VMAFGPU_MAIN];
    run.reference_stream = streams_[VMAFGPU_REFERENCE];
    add_log(log, run);
    return run;
}

std::optional<std::array<double, 2>> Run::mean_interval_of(size_t column) const
{
    return interval_of(engine_->score_table(), facts_of(*engine_), column);
}

/// Where nobody calls vmafgpu_finish(). A chunk does not know its borders.
void Run::log_cuts_once(const Shots &shots)
{
    if (pairing_ != nullptr || engine_->settings().is_chunk || has_logged_cuts_)
        return;
    has_logged_cuts_ = true;
    for (const auto &[cuts, text] : {std::pair{&shots.cuts.main_only, kMainOnlyCuts},
                                     std::pair{&shots.cuts.reference_only, kReferenceOnlyCuts}})
        if (!cuts->empty())
            engine_->log()(VMAFGPU_LOG_WARNING, std::to_string(cuts->size()) + text + " (pairs " +
                                                    list_of_pairs(*cuts) + ")");
}

/// What was said of pictures is left out: merging says it of the whole run.
void Run::add_pairs_of_part(RunFacts &run) const
{
    if (run.pairing)
        run.pairing->pictures = pairing_->pictures();
    for (const std::string &text : pairing_->picture_messages())
        run.warnings.erase(std::remove(run.warnings.begin(), run.warnings.end(), text),
                           run.warnings.end());
    add_said(pairing_->said().warnings, run.warnings);
}

void Run::write_log(const VmafGpuLog &log, ReportFile *file, Knowledge knowledge)
{
    RunFacts run = facts(log);
    if (knowledge == Knowledge::kAll)
        add_known(run, log);
    if (pictures_ != nullptr && !run.thumbnails && run.incomplete.empty())
        run.thumbnails = [this](VmafGpuThumbnail *list, int count) {
            return pictures_->draw(compared_, engine_->settings().format.chroma, list, count);
        };
    if (pairing_ != nullptr && log.format == std::string("part"))
        add_pairs_of_part(run);
    const PartFacts part = part_of(*engine_);
    if (run.shots)
        log_cuts_once(*run.shots);
    write_report({engine_->score_table(), run, log, file, stream_.get(),
                  engine_->settings().is_chunk ? &part : nullptr});
}

void find_window(const VmafGpuChunk &chunk, int subsample, int64_t before, int64_t after,
                 int64_t &first, int64_t &last)
{
    first = std::max<int64_t>(0, chunk.begin - before);
    first -= first % subsample;
    last = chunk.end == 0 ? -1 : chunk.end + after;
}

} // namespace vmafgpu
