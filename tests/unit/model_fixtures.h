// SPDX-License-Identifier: BSD-2-Clause-Patent
// Models made in memory for the model tests: built-in ones with something
// changed, and the smallest that can be. No expectations here.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <string>

#include "base/error.h"
#include "model/model.h"

namespace vmafgpu {

inline nlohmann::json builtin_json(const std::string &name)
{
    for (const BuiltinModel &model : builtin_models())
        if (name == model.name)
            return nlohmann::json::parse(std::string(model.json, model.size));
    throw Error(ENOENT, "no built-in model " + name);
}

inline std::unique_ptr<Model> parse_json(const nlohmann::json &json)
{
    return Model::parse(json.dump(), "test.json");
}

/// Scores `value` whatever the features are: a support vector of weight 0.
inline nlohmann::json constant_model(const std::string &value)
{
    return {
        {"model_dict",
         {{"model_type", "LIBSVMNUSVR"},
          {"norm_type", "none"},
          {"feature_names", {"VMAF_integer_feature_motion2_score"}},
          {"model", "svm_type nu_svr\nkernel_type rbf\ngamma 1\nnr_class 2\ntotal_sv 1\nrho " +
                        (value[0] == '-' ? value.substr(1) : "-" + value) + "\nSV\n0 1:0 \n"}}}};
}

/// The text of the Error that fn throws, with the code in front; "" if none.
template <typename Function> std::string error_of(Function fn)
{
    try {
        fn();
    } catch (const Error &error) {
        return std::to_string(error.code()) + " " + error.what();
    }
    return "";
}

/// Expects an error, and a text of one line, as Error promises.
inline void expect_error(const std::string &error, int code, const std::string &part)
{
    EXPECT_EQ(error.rfind(std::to_string(code) + " ", 0), 0U) << error;
    EXPECT_NE(error.find(part), std::string::npos) << "'" << part << "' not in: " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

} // namespace vmafgpu
