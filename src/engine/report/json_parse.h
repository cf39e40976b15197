// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reading JSON logs and parts back. One file instantiates the parser: each would take seconds to
// compile.
#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <iosfwd>
#include <memory>
#include <stdexcept>
#include <string>

#include "base/error.h"

namespace vmafgpu {

using Json = nlohmann::ordered_json;

/// What is wrong with a text that is JSON.
struct Malformed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws Error: the errno of what failed, or EINVAL if the file is empty. kind: "log".
std::unique_ptr<std::istream> open_log(const std::string &path, const char *kind);

/// The tree, without the entries of one list: they go to add() one by one, for the tree of a long
/// film would take gigabytes. Throws Json::exception and Malformed.
Json parse_log(std::istream &text, const char *list, const std::function<void(const Json &)> &add);

/// In one line, without a token that may be the whole file.
std::string tidy(const std::string &text);

/// Throws Malformed if there is no such member.
template <typename Type> Type get(const Json &object, const char *key)
{
    try {
        return object.at(key).get<Type>();
    } catch (const Json::exception &) {
        throw Malformed(std::string("'") + key + "' is missing or has no such value");
    }
}

/// Throws Error(EINVAL) for what read() throws: "'path' is not ...".
template <typename Read> void read_json(const std::string &path, const char *what, const Read &read)
{
    const auto refuse = [&](const std::exception &error) {
        throw Error(EINVAL, "'" + path + "' is not " + what + ": " + tidy(error.what()));
    };
    try {
        read();
    } catch (const Json::exception &error) {
        refuse(error);
    } catch (const Malformed &error) {
        refuse(error);
    }
}

} // namespace vmafgpu
