// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reading JSON logs and parts back, for pages and for merging: the parser, and what both kinds say
// of their run besides the scores (report_run.h, report_pairing.h). One file instantiates the
// parser: each would take seconds to compile.
#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <iosfwd>
#include <memory>
#include <stdexcept>
#include <string>

#include "base/error.h"
#include "report/report_input.h"

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

// Members of an object. All throw Malformed.

constexpr int64_t kMostPairs = int64_t{1} << 40;

int64_t number(const Json &object, const char *key, int64_t least, int64_t most = kMostPairs);
const Json &members(const Json &object, const char *key, bool is_list = false);
inline const Json &list(const Json &object, const char *key)
{
    return members(object, key, true);
}

/// The members "vmaf_gpu", "pairing" and "fps". Throws Malformed.
void read_run(const Json &whole, ReadRun &run);

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
