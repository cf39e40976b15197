// SPDX-License-Identifier: BSD-2-Clause-Patent
// CONTRACT 3: what a feature (VIF, ADM, motion, ...) offers the engine. The feature folders
// implement it, the engine and the executors call it, registry.h lists the features.
//
// A *variant* is one set of option values of a feature ("vif with gain limit 1"). A *Feature*
// object computes one or several variants that share work. It turns pairs into Sums: plain bytes,
// integers or floats, equal on every backend. It turns Sums into scores, with one host code for all
// backends.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/picture.h"
#include "base/picture_file.h"

namespace vmafgpu {

class Queue;
class ThreadPool;

enum class OptionType { kBool, kInt, kDouble, kChoice, kText };

/// One option, named and bounded as in libvmaf.
struct OptionInfo {
    const char *name;
    const char *alias; ///< used in report names; nullptr: never in names
    OptionType type;
    double default_value; ///< bool: 0 or 1; choice: index of choices; text: 0
    double min, max;
    const char *const *choices = nullptr; ///< kChoice: the words, then nullptr
    bool adds_series = false; ///< kBool or kText that adds series or files and changes no other
};

/// Values in the order of FeatureInfo::options. That of a text is 1 if it is given, else 0.
class OptionValues {
public:
    size_t size() const { return numbers_.size(); }
    bool empty() const { return numbers_.empty(); }
    double operator[](size_t i) const { return numbers_[i]; }
    double &operator[](size_t i) { return numbers_[i]; }
    const std::string &text(size_t i) const { return texts_[i]; }
    std::vector<double>::const_iterator begin() const { return numbers_.begin(); }
    std::vector<double>::const_iterator end() const { return numbers_.end(); }
    void push_back(double value)
    {
        numbers_.push_back(value);
        texts_.emplace_back();
    }
    void set_text(size_t i, const std::string &text)
    {
        numbers_[i] = 1;
        texts_[i] = text;
    }

private:
    std::vector<double> numbers_;
    std::vector<std::string> texts_;
};

/// One score series that a variant can produce.
struct OutputInfo {
    const char *name;   ///< libvmaf's full name, as models ask for it
    const char *report; ///< short name in logs; nullptr: the full name is printed
    bool is_default;    ///< reported without the option `debug`
    bool is_delayed;    ///< needs later pairs: its column comes after the others'
    /// Instead of `report` once an option with an alias differs from its default.
    const char *renamed = nullptr;
    bool has_suffix = true; ///< false: options never show in its name
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
    char *sums;            ///< device; pair i at sums + i * sums_stride
    size_t sums_stride;
    char *scratch; ///< device; pair i at scratch + i * scratch_stride
    size_t scratch_stride;
    char *shared_scratch;
    const char *tables;
};

/// What is known of a picture's colours: FFmpeg's names, "" without a tag.
struct ColourTags {
    std::string matrix, range, primaries, transfer;
    bool has_alpha = false; ///< before it was converted to what is compared
};

class Feature {
public:
    virtual ~Feature() = default;

    virtual MemoryPlan plan() const = 0;

    /// Earlier reference luma planes that compute()/record() reads (0..kMaxHistory).
    /// A feature with history sees every pair, also those left out by subsample.
    virtual int history() const { return 0; }
    /// How many later / earlier Sums scores() looks at.
    virtual int delay() const { return 0; }
    virtual int lookback() const { return 0; }
    /// True if Cb and Cr are needed.
    virtual bool needs_chroma() const { return false; }
    /// True: no device computes this feature. There, compute() runs on threads of the host, from
    /// the same pictures; record(), fill_tables(), finish() and is_complete() are not called.
    virtual bool runs_on_host() const { return false; }
    /// Lines that a context logs when it is opened.
    virtual std::vector<std::string> warnings() const { return {}; }
    /// The same for what is no fault: logged as information.
    virtual std::vector<std::string> notes() const { return {}; }

    /// Tags of the reference and the distorted picture, before the first pair if they are known.
    /// Returns a line for the log, or "". Throws Error for colours that it cannot take.
    virtual std::string set_colours(const ColourTags *tags)
    {
        (void)tags;
        return "";
    }

    /// CPU backend: fill `sums` for one pair. Called from any worker, for
    /// several pairs at once: must not touch members. `scratch` has
    /// plan().cpu_scratch bytes; `pool` may be used to split the work.
    virtual void compute(const PairView &pair, void *sums, void *scratch,
                         ThreadPool &pool) const = 0;

    /// The plain oracle behind compute(): same bytes, slow, no pool.
    virtual void reference(const PairView &pair, void *sums) const = 0;

    /// Devices: constant tables, uploaded once at open.
    virtual void fill_tables(void *host) const { (void)host; }
    /// Devices: append the launches that fill the Sums of a whole batch.
    /// Not for features that run on the host; then it throws.
    virtual void record(Queue &queue, const BatchView &batch) const;
    /// Devices: host part of one pair, on the Sums that came back; after it they are
    /// what compute() gives. All zero if the pair was left out. For what a device can
    /// only decide up to an error bound (docs/architecture.md). Returns how many values had
    /// to be recomputed.
    virtual int finish(void *sums) const
    {
        (void)sums;
        return 0;
    }

    /// Devices: false if Sums that came back (and went through finish()) lack what only
    /// compute() can give. The pair's pictures are then fetched and compute() fills the
    /// Sums anew; not for features with history. True for Sums of zeros.
    virtual bool is_complete(const void *sums) const
    {
        (void)sums;
        return true;
    }

    /// Files that it writes besides its scores, in compute(). They are opened once, before the
    /// first pair, and closed after the last one.
    virtual void open_files(const OpenPictureFiles &open) { (void)open; }
    virtual bool has_files() const { return false; }
    virtual void close_files() {}
    /// Only pairs below this index count from now on. Those behind it, if there were any, are
    /// forgotten and may come again. No compute() is running.
    virtual void cut_files(int64_t pairs) { (void)pairs; }

    /// Scores of one pair: variant v's outputs, in FeatureInfo::outputs order,
    /// go to out[v][...]. Reads only Sums; the same code for every backend.
    virtual void scores(const SumsWindow &window, double *const *out) const = 0;

    /// Size of the running state that values of a whole run (aggregates) are made of; 0: there
    /// are none. The state is plain integers; all zero is the state of no pairs. A feature with a
    /// state sees every pair, also those left out by subsample, as in libvmaf.
    virtual size_t aggregate_bytes() const { return 0; }
    /// Add the Sums of one pair to a state. The engine calls it for all pairs, in their order.
    virtual void accumulate(const void *sums, void *state) const
    {
        (void)sums;
        (void)state;
    }
    /// Add `other`, the state of later pairs, to `state`: as if those had been accumulated.
    virtual void merge(const void *other, void *state) const
    {
        (void)other;
        (void)state;
    }
    /// Values of the run: variant v's, in FeatureInfo::aggregates order, go to out[v][...].
    virtual void aggregates(const void *state, double *const *out) const
    {
        (void)state;
        (void)out;
    }
};

/// A Feature object and which of the asked variants it covers: out[k] of
/// scores() belongs to variant variants[k].
struct FeatureGroup {
    std::unique_ptr<Feature> feature;
    std::vector<int> variants;
};

/// Variants that share a Feature object, and their places among those that were asked for.
struct VariantSet {
    std::vector<OptionValues> variants;
    std::vector<int> indices; ///< see FeatureGroup::variants
};

/// Splits variants into sets, in the order of the sets' first members. shares(a, b) says whether
/// two belong together; it must be an equivalence.
template <typename Shares> std::vector<VariantSet>
sets_of_variants(const std::vector<OptionValues> &variants, const Shares &shares)
{
    std::vector<VariantSet> sets;
    for (size_t i = 0; i < variants.size(); ++i) {
        size_t at = 0;
        while (at < sets.size() && !shares(sets[at].variants.front(), variants[i]))
            ++at;
        if (at == sets.size())
            sets.emplace_back();
        sets[at].variants.push_back(variants[i]);
        sets[at].indices.push_back(static_cast<int>(i));
    }
    return sets;
}

struct FeatureInfo {
    const char *name; ///< as libvmaf: "vif", "adm", "motion"
    std::vector<OptionInfo> options;
    /// What a variant with these values can produce, in libvmaf's order.
    std::vector<OutputInfo> (*outputs)(Compat compat, const OptionValues &values);
    int min_size; ///< smallest width and height
    /// Build as few Feature objects as cover all variants. Throws Error for
    /// option combinations that cannot be computed exactly.
    std::vector<FeatureGroup> (*create)(const Format &format, Compat compat,
                                        const std::vector<OptionValues> &variants);
    std::vector<int> depths = {}; ///< bits per sample that it accepts; empty: all, 8 to 16
    bool refuses_400 = false;     ///< it cannot do without chroma
    /// Names of the values per run of a variant, in libvmaf's order; nullptr: none.
    std::vector<const char *> (*aggregates)(const OptionValues &values) = nullptr;
    /// Sets the options that a format decides, such as no chroma with 4:0:0; nullptr: none.
    void (*adapt)(const Format &format, OptionValues &values) = nullptr;
};

/// Throws Error(EINVAL) naming what is allowed, unless the feature accepts the format.
void check_format(const FeatureInfo &info, const Format &format);

OptionValues default_options(const FeatureInfo &info);

/// Set one option from text. Throws Error(EINVAL) naming what is allowed.
void set_option(const FeatureInfo &info, OptionValues &values, const std::string &key,
                const std::string &text);

/// Set several: "key=value:key=value". A backslash takes the next character as it is.
void set_options(const FeatureInfo &info, OptionValues &values, const std::string &text);

/// Name under which logs print an output of a variant: "integer_adm2",
/// "integer_adm2_egl_1".
std::string report_name(const FeatureInfo &info, const OutputInfo &output,
                        const OptionValues &values);

} // namespace vmafgpu
