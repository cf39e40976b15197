// SPDX-License-Identifier: BSD-2-Clause-Patent
// JSON text in libvmaf's model schema (docs/user/models.md) -> ModelFile. Stricter
// than libvmaf where it would go on with half a model: array lengths, repeated
// keys and numbers that do not fit a double are errors here.
#include "model/model_json.h"

#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "model/json_value.h"

namespace vmafgpu {

namespace {

using Type = JsonValue::Type;

constexpr size_t kMaxKnots = 10;

/// A value of the file and the path to it, for errors.
class Node {
public:
    Node(const JsonValue &value, std::string where) : value_(value), where_(std::move(where)) {}

    [[noreturn]] void fail(const std::string &text) const
    {
        throw Error(EINVAL, where_ + (where_.back() == ':' ? " " : ": ") + text);
    }

    const std::string &where() const { return where_; }
    bool has(const char *key) const { return value_.find(key) != nullptr; }
    bool is_number() const { return value_.type == Type::kNumber; }
    bool is_string() const { return value_.type == Type::kString; }
    bool is_boolean() const { return value_.type == Type::kBoolean; }
    size_t size() const { return value_.values.size(); }

    Node at(const std::string &key) const
    {
        const JsonValue *found = value_.find(key);
        if (found == nullptr)
            fail("the key " + key + " is missing");
        return {*found, where_ + (where_.back() == ':' ? " " : ".") + key};
    }
    Node at(size_t i) const { return {value_.values[i], where_ + "[" + std::to_string(i) + "]"}; }

    const Node &expect_object() const
    {
        expect(Type::kObject, "an object");
        return *this;
    }
    const Node &expect_array() const
    {
        expect(Type::kArray, "an array");
        return *this;
    }
    const Node &expect_array(size_t length) const
    {
        if (expect_array().size() != length)
            fail("must have " + std::to_string(length) + " entries, not " + std::to_string(size()));
        return *this;
    }
    double number() const
    {
        expect(Type::kNumber, "a number");
        return value_.number;
    }
    bool boolean() const
    {
        expect(Type::kBoolean, "true or false");
        return value_.boolean;
    }
    const std::string &string() const
    {
        expect(Type::kString, "a string");
        return value_.string;
    }
    const std::vector<std::string> &keys() const { return value_.keys; }

private:
    void expect(Type type, const char *what) const
    {
        if (value_.type != type)
            fail(std::string("must be ") + what + ", not " + json_type_name(value_.type));
    }

    const JsonValue &value_;
    std::string where_;
};

std::vector<double> parse_numbers(const Node &node, size_t length)
{
    node.expect_array(length);
    std::vector<double> result;
    for (size_t i = 0; i < length; ++i)
        result.push_back(node.at(i).number());
    return result;
}

std::string parse_option_value(const Node &node)
{
    if (node.is_boolean())
        return node.boolean() ? "true" : "false";
    if (node.is_string() && !has_control(node.string()))
        return node.string();
    if (!node.is_number())
        node.fail("an option must be a number, true, false or a printable string");
    if (!std::isfinite(static_cast<float>(node.number())))
        node.fail("the number is too large for an option");
    return normalise_number(node.number());
}

std::vector<ModelFeature> parse_features(const Node &dict)
{
    const Node names = dict.at("feature_names");
    names.expect_array();
    if (names.size() < 1 || names.size() > kMaxModelFeatures)
        names.fail("must have 1 to " + std::to_string(kMaxModelFeatures) + " entries, not " +
                   std::to_string(names.size()));
    std::vector<ModelFeature> features(names.size());
    for (size_t i = 0; i < features.size(); ++i) {
        features[i].output = names.at(i).string();
        if (features[i].output.empty() || has_control(features[i].output))
            names.at(i).fail("must be a printable name");
    }
    if (!dict.has("feature_opts_dicts"))
        return features;
    const Node dicts = dict.at("feature_opts_dicts");
    dicts.expect_array(features.size());
    for (size_t i = 0; i < features.size(); ++i) {
        const Node options = dicts.at(i);
        options.expect_object();
        for (const std::string &key : options.keys()) {
            if (has_control(key))
                options.fail("the option " + quote(key) + " is not printable");
            features[i].options.emplace_back(key, parse_option_value(options.at(key)));
        }
    }
    return features;
}

std::optional<double> optional_number(const Node &object, const char *key)
{
    if (!object.has(key))
        return std::nullopt;
    return object.at(key).number();
}

bool text_flag(const Node &object, const char *key)
{
    return object.has(key) && object.at(key).string() == "true";
}

ScoreTransform parse_transform(const Node &node)
{
    node.expect_object();
    ScoreTransform result;
    result.enabled = node.has("enabled") && node.at("enabled").boolean();
    result.p0 = optional_number(node, "p0");
    result.p1 = optional_number(node, "p1");
    result.p2 = optional_number(node, "p2");
    result.out_lte_in = text_flag(node, "out_lte_in");
    result.out_gte_in = text_flag(node, "out_gte_in");
    if (!node.has("knots"))
        return result;
    const Node knots = node.at("knots");
    if (knots.expect_array().size() > kMaxKnots)
        knots.fail("must have at most " + std::to_string(kMaxKnots) + " entries");
    for (size_t i = 0; i < knots.size(); ++i) {
        const std::vector<double> knot = parse_numbers(knots.at(i), 2);
        result.knots.push_back({knot[0], knot[1]});
    }
    return result;
}

/// Number of the one feature whose name contains `part`.
std::optional<size_t> find_by_part(const Node &node, const std::vector<ModelFeature> &features,
                                   const char *part)
{
    std::optional<size_t> found;
    for (size_t i = 0; i < features.size(); ++i) {
        if (features[i].output.find(part) == std::string::npos)
            continue;
        if (found)
            node.fail(std::string("two features have ") + part + " in their names");
        found = i;
    }
    return found;
}

ChromaCorrection parse_chroma_correction(const Node &node,
                                         const std::vector<ModelFeature> &features)
{
    ChromaCorrection result{node.number(), find_by_part(node, features, "adm3"),
                            find_by_part(node, features, "speed_chroma")};
    // libvmaf loads such a model but never gives a score.
    if (result.parameter == 0)
        node.fail("must not be 0");
    return result;
}

void parse_type(const Node &dict, ModelEntry &entry)
{
    const Node type = dict.at("model_type");
    const std::string &name = type.string();
    if (name != "LIBSVMNUSVR" && name != "BOOTSTRAP_LIBSVMNUSVR" &&
        name != "RESIDUEBOOTSTRAP_LIBSVMNUSVR")
        type.fail("must be LIBSVMNUSVR, BOOTSTRAP_LIBSVMNUSVR or RESIDUEBOOTSTRAP_LIBSVMNUSVR, "
                  "not " +
                  quote(name));
    const Node norm = dict.at("norm_type");
    if (norm.string() != "linear_rescale" && norm.string() != "none")
        norm.fail("must be linear_rescale or none, not " + quote(norm.string()));
    entry.is_rescaled = norm.string() == "linear_rescale";
}

void parse_rescaling(const Node &dict, ModelEntry &entry)
{
    const size_t length = entry.features.size() + 1;
    if (entry.is_rescaled || dict.has("slopes"))
        entry.slopes = parse_numbers(dict.at("slopes"), length);
    if (entry.is_rescaled || dict.has("intercepts"))
        entry.intercepts = parse_numbers(dict.at("intercepts"), length);
    if (entry.is_rescaled && entry.slopes[0] == 0)
        dict.at("slopes").at(size_t{0}).fail("must not be 0");
}

ModelEntry parse_entry(const Node &object)
{
    object.expect_object();
    const Node dict = object.at("model_dict");
    dict.expect_object();
    ModelEntry entry;
    parse_type(dict, entry);
    entry.features = parse_features(dict);
    parse_rescaling(dict, entry);
    if (dict.has("score_clip")) {
        const std::vector<double> range = parse_numbers(dict.at("score_clip"), 2);
        entry.clip = ScoreRange{range[0], range[1]};
    }
    if (dict.has("score_transform"))
        entry.transform = parse_transform(dict.at("score_transform"));
    if (dict.has("chroma_correction_parameter"))
        entry.chroma_correction =
            parse_chroma_correction(dict.at("chroma_correction_parameter"), entry.features);
    const Node svm = dict.at("model");
    entry.svm = Svm::parse(svm.string(), entry.features.size(), svm.where());
    return entry;
}

bool same_features(const ModelEntry &a, const ModelEntry &b)
{
    if (a.features.size() != b.features.size())
        return false;
    for (size_t i = 0; i < a.features.size(); ++i)
        if (a.features[i].output != b.features[i].output ||
            a.features[i].options != b.features[i].options)
            return false;
    return true;
}

} // namespace

ModelFile parse_model_file(const std::string &json, const std::string &origin)
{
    const JsonText text = parse_json(json, origin);
    const Node top(text.root, origin + ":");
    if (text.root.type != Type::kObject)
        throw Error(EINVAL, origin + ": a model must be a JSON object");
    ModelFile file;
    if (top.has("model_dict")) {
        file.first = parse_entry(top);
        return file;
    }
    if (text.sequence == 0)
        throw Error(EINVAL, origin + ": not a model: neither the key model_dict nor the key 0 "
                                     "of a collection is there");
    if (text.sequence == 1)
        throw Error(EINVAL, origin + ": the collection has no entry 1");
    file.first = parse_entry(top.at("0"));
    for (size_t i = 1; i < text.sequence; ++i) {
        const Node node = top.at(std::to_string(i));
        file.members.push_back(parse_entry(node));
        if (!same_features(file.first, file.members.back()))
            node.fail("the features or their options differ from those of entry 0");
    }
    return file;
}

} // namespace vmafgpu
