// SPDX-License-Identifier: BSD-2-Clause-Patent
// See json_value.h.
#include "model/json_value.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <numeric>

#include "base/error.h"
#include "base/text.h"

namespace vmafgpu {

namespace {

using Json = nlohmann::json;
using Type = JsonValue::Type;

constexpr size_t kMaxParserText = 200;
constexpr size_t kMaxNesting = 32; // a collection of models needs 5
constexpr size_t kMaxValues = 1000000;

/// nlohmann's messages start with "[json.exception.NAME.NUMBER] ", and quote
/// all of the last token, be it a whole SVM.
std::string tidy(const std::string &text)
{
    const size_t tag = text.find("] ");
    const size_t begin = tag == std::string::npos ? 0 : tag + 2;
    const size_t end = std::min(text.find("; last read"), text.size());
    std::string result = text.substr(begin, std::min(end - begin, kMaxParserText));
    for (char &c : result)
        c = is_control(c) ? '?' : c;
    return result;
}

/// Takes the parser's events; the names are nlohmann's.
class Builder {
public:
    Builder(const std::string &origin, JsonText &out) : origin_(origin), out_(out) {}

    bool null() { return add(Type::kNull); }
    bool boolean(bool value)
    {
        add(Type::kBoolean);
        place_->boolean = value;
        return true;
    }
    bool number_integer(Json::number_integer_t value) { return number(static_cast<double>(value)); }
    bool number_unsigned(Json::number_unsigned_t value)
    {
        return number(static_cast<double>(value));
    }
    bool number_float(Json::number_float_t value, const std::string & /*text*/)
    {
        return number(value);
    }
    bool string(std::string &value)
    {
        add(Type::kString);
        place_->string = std::move(value);
        return true;
    }
    bool binary(Json::binary_t & /*value*/) { return false; } // not in a text
    bool start_object(size_t /*size*/) { return open(Type::kObject); }
    bool start_array(size_t /*size*/) { return open(Type::kArray); }
    bool end_object()
    {
        sort_members(*open_.back());
        return close();
    }
    bool end_array() { return close(); }
    bool key(const std::string &name);
    bool parse_error(size_t /*at*/, const std::string & /*token*/, const Json::exception &error)
    {
        throw Error(EINVAL, origin_ + ": not valid JSON: " + tidy(error.what()));
    }

private:
    /// A new value where one is expected; place_ is it.
    bool add(Type type);
    bool number(double value)
    {
        add(Type::kNumber);
        place_->number = value;
        return true;
    }
    void sort_members(JsonValue &object) const;
    bool open(Type type)
    {
        add(type);
        open_.push_back(place_);
        return true;
    }
    bool close()
    {
        open_.pop_back();
        return true;
    }
    void check_nesting() const
    {
        if (open_.size() > kMaxNesting)
            throw Error(EINVAL, origin_ + ": nested more than " + std::to_string(kMaxNesting) +
                                    " levels deep");
    }

    const std::string &origin_;
    JsonText &out_;
    /// Arrays and objects whose end has not come. Their own values stay where they are, since
    /// only the innermost grows.
    std::vector<JsonValue *> open_;
    size_t values_ = 0;
    JsonValue *place_ = nullptr;
};

bool Builder::add(Type type)
{
    check_nesting();
    if (open_.empty())
        place_ = &out_.root;
    else if (open_.back()->type == Type::kArray)
        place_ = &open_.back()->values.emplace_back();
    else
        place_ = &open_.back()->values.back();
    place_->type = type;
    if (++values_ > kMaxValues)
        throw Error(EFBIG, origin_ + ": has more than " + std::to_string(kMaxValues) + " values");
    return true;
}

/// Sorts once for each object: sorting in each key would take quadratic time.
void Builder::sort_members(JsonValue &object) const
{
    std::vector<size_t> order(object.keys.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return object.keys[a] < object.keys[b]; });
    std::vector<std::string> keys(order.size());
    std::vector<JsonValue> values(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
        keys[i] = std::move(object.keys[order[i]]);
        values[i] = std::move(object.values[order[i]]);
        if (i > 0 && keys[i] == keys[i - 1])
            throw Error(EINVAL, origin_ + ": the key " + quote(keys[i]) + " is there twice");
    }
    object.keys = std::move(keys);
    object.values = std::move(values);
}

bool Builder::key(const std::string &name)
{
    check_nesting();
    JsonValue &object = *open_.back();
    object.keys.push_back(name);
    object.values.emplace_back();
    if (open_.size() == 1 && name == std::to_string(out_.sequence))
        ++out_.sequence;
    return true;
}

} // namespace

const JsonValue *JsonValue::find(const std::string &key) const
{
    const auto at = std::lower_bound(keys.begin(), keys.end(), key);
    return at == keys.end() || *at != key ? nullptr
                                          : &values[static_cast<size_t>(at - keys.begin())];
}

const char *json_type_name(JsonValue::Type type)
{
    static const char *const names[] = {"null", "boolean", "number", "string", "array", "object"};
    return names[static_cast<int>(type)];
}

JsonText parse_json(const std::string &text, const std::string &origin)
{
    JsonText result;
    Builder builder(origin, result);
    Json::sax_parse(text, &builder);
    return result;
}

} // namespace vmafgpu
