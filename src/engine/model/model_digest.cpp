// SPDX-License-Identifier: BSD-2-Clause-Patent
// See model_digest.h. The order of the bytes is part of the log format: if it changes, the digests
// of all models change, and test_model_digest.cpp fails.
#include "model/model_digest.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/sha256.h"

namespace vmafgpu {
namespace {

/// Lists and texts are preceded by their length, so that no two models have the same bytes.
class Bytes {
public:
    void add(uint64_t value)
    {
        for (int shift = 0; shift < 64; shift += 8)
            bytes_ += static_cast<char>(value >> shift);
    }
    void add(double value)
    {
        uint64_t bits;
        std::memcpy(&bits, &value, sizeof(bits));
        add(bits);
    }
    void add(bool value) { add(uint64_t{value}); }
    void add(const std::string &text)
    {
        add(uint64_t{text.size()});
        bytes_ += text;
    }
    void add(const Knot &knot)
    {
        add(knot.x);
        add(knot.y);
    }
    template <typename T> void add(const std::vector<T> &list)
    {
        add(uint64_t{list.size()});
        for (const T &entry : list)
            add(entry);
    }
    template <typename T> void add(const std::optional<T> &value)
    {
        add(value.has_value());
        if (value)
            add(*value);
    }
    void add(const ScoreRange &range)
    {
        add(range.min);
        add(range.max);
    }
    void add(const ScoreTransform &transform)
    {
        add(transform.enabled);
        add(transform.p0);
        add(transform.p1);
        add(transform.p2);
        add(transform.knots);
        add(transform.out_lte_in);
        add(transform.out_gte_in);
    }
    void add(const ChromaCorrection &correction)
    {
        add(correction.parameter);
        add(correction.guide);
        add(correction.target);
    }
    /// The order in which options were given does not matter.
    void add(const ModelFeature &feature)
    {
        auto options = feature.options;
        std::sort(options.begin(), options.end());
        add(feature.output);
        add(uint64_t{options.size()});
        for (const auto &[key, value] : options) {
            add(key);
            add(value);
        }
    }
    void add(const ModelEntry &entry)
    {
        add(entry.is_rescaled);
        add(entry.slopes);
        add(entry.intercepts);
        add(entry.clip);
        add(entry.transform);
        add(entry.chroma_correction);
        add(entry.svm.parameters());
    }

    const std::string &get() const { return bytes_; }

private:
    std::string bytes_;
};

} // namespace

std::string digest_of(const DigestInput &model)
{
    Bytes bytes;
    bytes.add(model.features);
    bytes.add(model.file.first);
    bytes.add(model.file.members);
    bytes.add(model.disable_clip);
    bytes.add(model.enable_transform);
    return sha256(bytes.get());
}

} // namespace vmafgpu
