// SPDX-License-Identifier: BSD-2-Clause-Patent
// A JSON text as a tree of values, for model_json.cpp. nlohmann's parser fills it. nlohmann's own
// tree is not used: its destructor allocates, and so ends the process if memory runs out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace vmafgpu {

struct JsonValue {
    enum class Type { kNull, kBoolean, kNumber, kString, kArray, kObject };

    /// Null if there is no such member.
    const JsonValue *find(const std::string &key) const;

    Type type = Type::kNull;
    bool boolean = false;
    double number = 0;
    std::string string;
    std::vector<JsonValue> values; ///< elements of an array; values of an object's members
    std::vector<std::string> keys; ///< names of an object's members, sorted; as many as values
};

/// "null", "boolean", "number", "string", "array", "object".
const char *json_type_name(JsonValue::Type type);

struct JsonText {
    JsonValue root;
    /// How many of the top-level keys come as "0", "1", ... in this order.
    size_t sequence = 0;
};

/// Throws Error(EINVAL), in one line that begins with `origin`, for what is no JSON, nests
/// too deeply, or has a key twice.
JsonText parse_json(const std::string &text, const std::string &origin);

} // namespace vmafgpu
