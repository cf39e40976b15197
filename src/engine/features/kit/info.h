// SPDX-License-Identifier: BSD-2-Clause-Patent
// How a feature describes itself: an OptionInfo, an OutputInfo and a FeatureInfo word by word. What
// is not said is the default.
//
//    const FeatureInfo kFeature =
//        Info("name").options<Options>({Option("debug",
//        &Options::debug)}).outputs(outputs).create(create);
#pragma once

#include <utility>
#include <vector>

#include "features/feature.h"

namespace vmafgpu {

/// One option; libvmaf's name and the member of the feature's struct of options.
class Option {
public:
    template <typename Options, typename T> Option(const char *name, T Options::*member)
        : info_(name, nullptr, member)
    {
    }
    /// In names of reports; without it the option is never named there.
    Option &alias(const char *name)
    {
        info_.alias = name;
        return *this;
    }
    /// The range of a number: 0 to 1 unless it says so.
    Option &range(double least, double most)
    {
        info_.min = least;
        info_.max = most;
        return *this;
    }
    /// The words of a choice, then nullptr.
    Option &words(const char *const *choices)
    {
        info_.choices = choices;
        return *this;
    }
    /// Marks an option that adds series or files and changes no other series.
    Option &adds_series()
    {
        info_.adds_series = true;
        return *this;
    }
    operator OptionInfo() const { return info_; }

private:
    OptionInfo info_;
};

/// One score series; libvmaf's full name, as models ask for it.
class Output {
public:
    explicit Output(const char *name) { info_.name = name; }
    /// The short name in logs, and the one once an option with an alias differs from its default.
    Output &report(const char *name, const char *renamed = nullptr)
    {
        info_.report = name;
        info_.renamed = renamed;
        return *this;
    }
    /// Reported without the option `debug`.
    Output &is_default(bool is = true)
    {
        info_.is_default = is;
        return *this;
    }
    /// Needs later pairs: its column comes after the others'.
    Output &is_delayed(bool is = true)
    {
        info_.is_delayed = is;
        return *this;
    }
    /// Delayed, but before those of delayed outputs that libvmaf writes at the end.
    Output &precedes_flush()
    {
        info_.precedes_flush = true;
        return *this;
    }
    /// Options never show in its name.
    Output &has_no_suffix()
    {
        info_.has_suffix = false;
        return *this;
    }
    operator OutputInfo() const { return info_; }

private:
    OutputInfo info_;
};

class Info {
public:
    explicit Info(const char *name) { info_.name = name; }
    /// Sets the options: one for each member of the struct.
    template <typename Options> Info &options(std::vector<OptionInfo> options)
    {
        info_.defaults = {Options()};
        info_.options = std::move(options);
        return *this;
    }
    Info &outputs(std::vector<OutputInfo> (*outputs)(Compat compat, const FeatureOptions &options))
    {
        info_.outputs = outputs;
        return *this;
    }
    /// Names of the values of a run.
    Info &aggregates(std::vector<const char *> (*names)(const FeatureOptions &options))
    {
        info_.aggregates = names;
        return *this;
    }
    /// Smallest width and height; 1 unless it says so.
    Info &min_size(int samples)
    {
        info_.min_size = samples;
        return *this;
    }
    /// Bits per sample that it accepts; all unless it says so.
    Info &depths(std::vector<int> bits)
    {
        info_.depths = std::move(bits);
        return *this;
    }
    /// Marks a feature that needs chroma.
    Info &refuses_400()
    {
        info_.refuses_400 = true;
        return *this;
    }
    /// Sets the options that a format decides.
    Info &adapt(void (*adapt)(const Format &format, FeatureOptions &options))
    {
        info_.adapt = adapt;
        return *this;
    }
    Info &create(std::vector<FeatureGroup> (*create)(const Format &format, Compat compat,
                                                     const std::vector<FeatureOptions> &variants))
    {
        info_.create = create;
        return *this;
    }
    operator FeatureInfo() const { return info_; }

private:
    FeatureInfo info_;
};

} // namespace vmafgpu
