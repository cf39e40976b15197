// SPDX-License-Identifier: BSD-2-Clause-Patent
// CONTRACT 3: what a feature (VIF, ADM, motion, ...) offers the engine. The feature folders
// implement it, the engine and the executors call it, registry.h lists the features.
//
// A *variant* is one set of option values of a feature ("vif with gain limit 1"). A *Feature*
// object computes one or several variants that share work. It turns pairs into Sums: plain bytes,
// integers or floats, equal on every backend. It turns Sums into scores, with one host code for all
// backends.
#pragma once

#include <any>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/log.h"
#include "picture/picture.h"
#include "picture/picture_file.h"

namespace vmafgpu {

class Queue;
class ThreadPool;

enum class OptionType { kBool, kInt, kDouble, kChoice, kText };

/// The type of an option that is a T in the feature's struct.
template <typename T> constexpr OptionType option_type()
{
    static_assert(std::is_same_v<T, bool> || std::is_same_v<T, int> || std::is_same_v<T, double> ||
                  std::is_same_v<T, std::string> || std::is_enum_v<T>);
    return std::is_same_v<T, bool>     ? OptionType::kBool
           : std::is_same_v<T, int>    ? OptionType::kInt
           : std::is_same_v<T, double> ? OptionType::kDouble
           : std::is_enum_v<T>         ? OptionType::kChoice
                                       : OptionType::kText;
}

/// The options of a variant: an object of the struct that the feature has for them.
struct FeatureOptions {
    std::any object;

    template <typename Options> Options &as() { return std::any_cast<Options &>(object); }
    template <typename Options> const Options &as() const
    {
        return std::any_cast<const Options &>(object);
    }
};

/// One option, named and bounded as in libvmaf, and its member of the struct.
struct OptionInfo {
    template <typename Options, typename T>
    OptionInfo(const char *its_name, const char *its_alias, T Options::*member, double least = 0,
               double most = 1, const char *const *words = nullptr, bool does_add_series = false)
        : name(its_name), alias(its_alias), type(option_type<T>()), min(least), max(most),
          choices(words), adds_series(does_add_series)
    {
        if constexpr (std::is_same_v<T, std::string>) {
            text = [member](FeatureOptions &options) -> std::string & {
                return options.as<Options>().*member;
            };
            get = [member](const FeatureOptions &options) {
                return (options.as<Options>().*member).empty() ? 0.0 : 1.0;
            };
        } else {
            set = [member](FeatureOptions &options, double value) {
                options.as<Options>().*member = static_cast<T>(value);
            };
            get = [member](const FeatureOptions &options) {
                return static_cast<double>(options.as<Options>().*member);
            };
        }
        default_value = get({Options()});
    }

    const char *name;
    const char *alias; ///< used in report names; nullptr: never in names
    OptionType type;
    double default_value; ///< the struct's
    double min, max;
    const char *const *choices; ///< kChoice: the words, then nullptr
    bool adds_series;           ///< kBool or kText that adds series or files and changes no other
    /// Returns the value as a number. Bool: 0 or 1; choice: index of choices; text: 1 if there is
    /// one, else 0.
    std::function<double(const FeatureOptions &options)> get;
    /// Sets the value. Empty for kText.
    std::function<void(FeatureOptions &options, double value)> set;
    /// Returns the member of a kText option. Empty for others.
    std::function<std::string &(FeatureOptions &options)> text;
};

/// One score series that a variant can produce.
struct OutputInfo {
    const char *name = nullptr;   ///< libvmaf's full name, as models ask for it
    const char *report = nullptr; ///< short name in logs; nullptr: the full name is printed
    bool is_default = false;      ///< reported without the option `debug`
    bool is_delayed = false;      ///< needs later pairs: its column comes after the others'
    /// Replaces `report` once an option with an alias differs from its default.
    const char *renamed = nullptr;
    bool has_suffix = true; ///< If false, options never show in the output's name.
    /// Delayed, but libvmaf writes it from the second pair on: its column comes before those of
    /// delayed outputs that libvmaf writes at the end.
    bool precedes_flush = false;
};

enum class Compat { k3_2, k3_1 };

/// Sums of the pairs around the one being scored, all of one segment.
class SumsWindow {
public:
    virtual ~SumsWindow() = default;
    /// Sums of the pair `offset` away (negative = earlier), or nullptr if the
    /// segment has no such pair. Valid from -lookback() to +delay().
    virtual const void *at(int offset) const = 0;
    /// Position of the pair in its segment, from 0.
    virtual int64_t position() const = 0;
};

/// Memory that a Feature needs, in bytes. Alignment of every area: 256.
struct MemoryPlan {
    size_t sums = 0;           ///< per pair; copied to the host after the device part
    size_t scratch = 0;        ///< per pair of a batch, device only
    size_t shared_scratch = 0; ///< per pair of a batch, those of a batch together, device only
    size_t tables = 0;         ///< once per context, filled by fill_tables()
    size_t cpu_scratch = 0;    ///< per worker thread, CPU only
};

/// Device memory of a batch, laid out by the engine from the MemoryPlan.
struct BatchView {
    const PairView *pairs; ///< host array; the planes are device pointers
    int count;             ///< 1 .. Device batch limit
    char *sums;            ///< device, all zero; pair i at sums + i * sums_stride
    size_t sums_stride;
    char *scratch; ///< device; pair i at scratch + i * scratch_stride
    size_t scratch_stride;
    char *shared_scratch;
    const char *tables;
};

/// Tags of a picture's colours: FFmpeg's names, "" without a tag.
struct ColourTags {
    std::string matrix, range, primaries, transfer;
    bool has_alpha = false; ///< whether the picture had alpha before it was converted
};

/// What the engine asks a Feature once, when a context is opened.
struct FeatureTraits {
    bool needs_chroma = false; ///< Cb and Cr
    /// Earlier reference luma planes that compute()/record() reads (0..kMaxHistory).
    /// A feature with history sees every pair, also those left out by subsample.
    int history = 0;
    int delay = 0, lookback = 0; ///< how many later / earlier Sums scores() looks at
    /// Lines that the context logs. Notes are no faults: they are logged as information.
    std::vector<std::string> warnings = {}, notes = {};
};

/// The device code of a Feature.
class FeatureDevice {
public:
    /// Constant tables, uploaded once at open.
    virtual void fill_tables(void *host) const { (void)host; }
    /// Append the launches that fill the Sums of a whole batch.
    virtual void record(Queue &queue, const BatchView &batch) const = 0;
    /// Host part of one pair, on the Sums that came back; after it they are what compute()
    /// gives. All zero if the pair was left out. For what a device can only decide up to an error
    /// bound (docs/develop/architecture.md). Returns how many values had to be recomputed.
    virtual int finish(void *sums) const
    {
        (void)sums;
        return 0;
    }
    /// False if Sums that came back (and went through finish()) lack what only compute() can
    /// give. The pair's pictures are then fetched and compute() fills the Sums anew; not for
    /// features with history. True for Sums of zeros.
    virtual bool is_complete(const void *sums) const
    {
        (void)sums;
        return true;
    }

protected:
    ~FeatureDevice() = default;
};

/// Values of a whole run. Their running state is plain numbers; all zero is the state of no pairs.
/// A feature with a state sees every pair, also those left out by subsample, as in libvmaf.
class FeatureAggregates {
public:
    virtual size_t state_bytes() const = 0;
    /// Add the Sums of one pair to a state. The engine calls it for all pairs, in their order.
    virtual void accumulate(const void *sums, void *state) const = 0;
    /// Variant v's values, in FeatureInfo::aggregates order, go to out[v][...].
    virtual void values(const void *state, double *const *out) const = 0;

protected:
    ~FeatureAggregates() = default;
};

/// Files that a Feature writes besides its scores, in compute().
class FeaturePictures {
public:
    /// Once, before the first pair.
    virtual void open(const OpenPictureFiles &open) = 0;
    /// Only pairs below this index count from now on. Those behind it, if there were any, are
    /// forgotten and may come again. No compute() is running.
    virtual void cut(int64_t pairs) = 0;
    /// Ends the files after the last pair.
    virtual void close() = 0;

protected:
    ~FeaturePictures() = default;
};

class Feature {
public:
    virtual ~Feature() = default;

    virtual MemoryPlan plan() const = 0;
    virtual FeatureTraits traits() const { return {}; }

    /// nullptr: no device computes this feature. There, compute() runs on threads of the host,
    /// from the same pictures.
    virtual const FeatureDevice *device() const { return nullptr; }
    /// nullptr: there are none.
    virtual const FeatureAggregates *aggregates() const { return nullptr; }
    virtual FeaturePictures *pictures() { return nullptr; }

    /// Tags of the reference and the distorted picture, before the first pair if they are known.
    /// Returns a line for the log, or "". Throws Error for colours that it cannot take. If
    /// `was_set`, pictures were taken by earlier tags: it throws where these ask for something
    /// else.
    virtual std::string set_colours(const ColourTags *tags, bool was_set)
    {
        (void)tags, (void)was_set;
        return "";
    }

    /// CPU backend: fill `sums` for one pair. Called from any worker, for
    /// several pairs at once: must not touch members. `scratch` has
    /// plan().cpu_scratch bytes; `pool` may be used to split the work.
    virtual void compute(const PairView &pair, void *sums, void *scratch,
                         ThreadPool &pool) const = 0;

    /// The plain oracle behind compute(): same bytes, slow, no pool.
    virtual void reference(const PairView &pair, void *sums) const = 0;

    /// Scores of one pair: variant v's outputs, in FeatureInfo::outputs order,
    /// go to out[v][...]. Reads only Sums; the same code for every backend.
    virtual void scores(const SumsWindow &window, double *const *out) const = 0;
};

/// A Feature object and which of the asked variants it covers: out[k] of
/// scores() belongs to variant variants[k].
struct FeatureGroup {
    std::unique_ptr<Feature> feature;
    std::vector<int> variants;
};

struct FeatureInfo {
    const char *name = nullptr; ///< name as in libvmaf: "vif", "adm", "motion"
    FeatureOptions defaults = {};
    std::vector<OptionInfo> options = {}; ///< one for each member of the struct in `defaults`
    /// Returns the outputs of a variant with these options, in libvmaf's order.
    std::vector<OutputInfo> (*outputs)(Compat compat, const FeatureOptions &options) = nullptr;
    int min_size = 1; ///< smallest width and height
    /// Build as few Feature objects as cover all variants. Throws Error for
    /// option combinations that cannot be computed exactly.
    std::vector<FeatureGroup> (*create)(const Format &format, Compat compat,
                                        const std::vector<FeatureOptions> &variants) = nullptr;
    std::vector<int> depths = {}; ///< bits per sample that it accepts; empty: all, 8 to 16
    bool refuses_400 = false;     ///< the feature needs chroma
    /// Names of the values per run of a variant, in libvmaf's order; nullptr: none.
    std::vector<const char *> (*aggregates)(const FeatureOptions &options) = nullptr;
    /// Sets the options that a format decides, such as no chroma with 4:0:0; nullptr: none.
    void (*adapt)(const Format &format, FeatureOptions &options) = nullptr;
};

/// Throws Error(EINVAL) naming what is allowed, unless the feature accepts the format.
void check_format(const FeatureInfo &info, const Format &format);

/// Set one option from text. Throws Error(EINVAL) naming what is allowed.
void set_option(const FeatureInfo &info, FeatureOptions &options, const std::string &key,
                const std::string &text);

/// Set several: "key=value:key=value". A backslash takes the next character as it is.
void set_options(const FeatureInfo &info, FeatureOptions &options, const std::string &text);

/// Name under which logs print an output of a variant: "integer_adm2",
/// "integer_adm2_egl_1".
std::string report_name(const FeatureInfo &info, const OutputInfo &output,
                        const FeatureOptions &options);

} // namespace vmafgpu
