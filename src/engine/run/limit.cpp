// SPDX-License-Identifier: BSD-2-Clause-Patent
// See limit.h.
#include "run/limit.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace vmafgpu {

namespace {

std::string list_of(const std::vector<std::string> &names)
{
    std::string text;
    for (const std::string &name : names)
        text += " " + name;
    return text;
}

} // namespace

Limit read_limit(const ScorePlan &plan, const std::string &text)
{
    const std::vector<std::string> &names = plan.names();
    const std::vector<size_t> &models = plan.model_columns();
    const size_t colon = text.rfind(':');
    Limit limit;
    limit.text = text.substr(colon + 1); // all of it, if there is no colon
    if (!parse_double(limit.text, &limit.least) || colon == 0)
        throw Error(EINVAL, "fail_below '" + text + "' is neither a number nor NAME:number");
    if (colon == text.npos && !models.empty()) {
        limit.score = models.front();
        return limit;
    }
    const std::string name = colon == text.npos ? "" : text.substr(0, colon);
    limit.score = static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (limit.score == names.size())
        throw Error(EINVAL, "fail_below: " +
                                (name.empty() ? "there is no model, so write NAME:" + limit.text
                                              : "unknown score '" + name + "'") +
                                " (known:" + list_of(names) + ")");
    return limit;
}

} // namespace vmafgpu
