// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a context computes: the feature variants that models and caller need, the Feature objects
// that cover them, and the columns of the score table. It is made once, when a context is opened.
// It knows nothing of pairs in flight (engine.h) or of devices.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "features/feature.h"
#include "model/model.h"

namespace vmafgpu {

/// A feature that the caller asks for, with options as text "key=value:key=value".
struct FeatureRequest {
    std::string name;
    std::string options;
    bool precedes_models = false; ///< its series come in front of the models' features
};

class ScorePlan {
public:
    /// features_only: of the models, only the features are kept. Throws Error(EINVAL) for unknown
    /// features or options, and if two series have one name.
    ScorePlan(const Format &format, Compat compat, std::vector<std::unique_ptr<Model>> models,
              const std::vector<FeatureRequest> &requests, bool features_only = false);

    /// A Feature object, its variants, and the place of its Sums in a pair's Sums.
    struct Group {
        std::unique_ptr<Feature> feature;
        std::vector<int> variants; ///< see FeatureGroup
        MemoryPlan memory;
        FeatureTraits traits;
        size_t sums_offset;
        bool is_temporal;             ///< computes every pair, also those left out by subsampling
        const char *name;             ///< the feature's name, as in the registry
        size_t state_offset;          ///< where its running state begins, see FeatureAggregates
        bool is_left_to_host = false; ///< see leave_to_host()

        /// The feature's device code; nullptr where the host computes it.
        const FeatureDevice *device() const
        {
            return is_left_to_host ? nullptr : feature->device();
        }
    };
    const std::vector<Group> &groups() const { return groups_; }

    /// The host computes the group though it has device code, as the device cannot run it.
    void leave_to_host(size_t group, bool is_left) { groups_[group].is_left_to_host = is_left; }

    size_t sums_bytes() const { return sums_bytes_; }
    int delay() const { return delay_; }
    int lookback() const { return lookback_; }
    int history() const { return history_; }
    /// Pairs before one whose pictures its scores depend on; behind it delay().
    int before() const { return before_; }
    /// Columns of features that look at no other pair.
    std::vector<size_t> spatial_columns() const;
    bool needs_chroma() const { return needs_chroma_; }

    /// Lines for the log, each once: of features, and on options of models that are ignored.
    const std::set<std::string> &warnings() const { return warnings_; }
    /// Lines of features that are no faults, each once.
    const std::set<std::string> &notes() const { return notes_; }

    const std::vector<std::string> &names() const { return names_; }
    /// Columns of the models' scores.
    const std::vector<size_t> &model_columns() const { return model_columns_; }
    const std::vector<std::unique_ptr<Model>> &models() const { return models_; }

    /// Working memory of scores() for one thread; reused.
    struct Scratch {
        std::vector<std::vector<double>> scores; ///< scores of each variant
        std::vector<std::vector<double *>> out;  ///< each group's pointers to its variants' scores
        std::vector<double> inputs;              ///< feature scores of one model
        std::vector<std::vector<double>> predicted; ///< scores of each model
    };
    Scratch make_scratch() const;

    /// Fill one row of names().size() scores. May run on several threads.
    void scores(const SumsWindow &sums, Scratch &scratch, double *row) const;

    /// Values per run. Their running state is plain bytes, all zero at first.
    const std::vector<std::string> &aggregate_names() const { return aggregate_names_; }
    size_t state_bytes() const { return state_bytes_; }
    void accumulate(const void *sums, void *state) const;
    /// Returns the size of the numbers that accumulate() reads of a pair's Sums. They can be kept
    /// and put back.
    size_t aggregate_words() const;
    void pack_sums(const void *sums, std::vector<uint64_t> &words) const; ///< appends them
    void unpack_sums(const uint64_t *words, void *sums) const;
    using NamedValues = std::vector<std::pair<std::string, double>>;
    NamedValues aggregates(const void *state) const;

private:
    struct Variant {
        const FeatureInfo *info;
        FeatureOptions options;
        std::vector<OutputInfo> outputs;
        std::vector<const char *> aggregates;
    };
    struct Source {
        int variant, output;
    };

    int add_variant(const FeatureInfo &info, FeatureOptions options);
    void add_model_inputs(const Model &model);
    FeatureOptions model_options(const Model &model, const ModelFeature &feature,
                                 const FeatureInfo &info);
    void add_request(const FeatureRequest &request);
    void warn_of_first(const FeatureInfo &info, const OptionInfo &option);
    void add_model_name(const std::string &name);
    void add_columns();
    void add_variant_columns(int stage);
    void create_groups();

    Format format_;
    Compat compat_;
    std::vector<std::unique_ptr<Model>> models_;
    std::vector<std::vector<Source>> model_inputs_;
    std::vector<size_t> model_columns_;
    std::vector<size_t> member_columns_; ///< columns of the other series of a collection
    std::vector<Variant> variants_;
    std::vector<Source> columns_; ///< columns of features; in names_ those of models follow
    std::vector<std::string> names_;
    std::vector<Group> groups_;
    std::set<std::string> warnings_;
    std::vector<std::string> aggregate_names_; ///< the variants', in their order
    std::set<std::string> notes_;
    size_t sums_bytes_ = 0;
    size_t state_bytes_ = 0;
    int delay_ = 0, lookback_ = 0, history_ = 0, before_ = 0;
    bool needs_chroma_ = false;
};

} // namespace vmafgpu
