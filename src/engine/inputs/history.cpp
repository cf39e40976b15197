// SPDX-License-Identifier: BSD-2-Clause-Patent
// See history.h.
#include "inputs/history.h"

#include <algorithm>

namespace vmafgpu {

void InputHistory::set(const VmafGpuInputs &inputs, const int64_t (&next)[2])
{
    for (int i = 0; i < 2; ++i) {
        std::vector<Tags> &tags = tags_[i];
        const Tags now = {next[i], inputs.input[i], inputs.compared[i]};
        if (tags.empty() || !change_of(tags.back().compared, now.compared).empty())
            tags.push_back(now);
    }
    last_ = inputs;
    last_.advise = nullptr;
    last_.model_count = 0; // the names are the caller's
}

const InputHistory::Tags &InputHistory::tags_of(int input, int64_t number) const
{
    const std::vector<Tags> &tags = tags_[input];
    const auto after = std::find_if(tags.begin() + 1, tags.end(),
                                    [number](const Tags &one) { return one.first > number; });
    return *(after - 1);
}

std::vector<std::string> InputHistory::look(const int64_t (&numbers)[2])
{
    std::vector<std::string> found;
    if (tags_[0].size() < 2 && tags_[1].size() < 2 && looked_at_[0] >= 0)
        return found;
    if (tags_[0].empty() || tags_[1].empty())
        return found;
    const Tags &main = tags_of(0, numbers[0]), &reference = tags_of(1, numbers[1]);
    if (main.first == looked_at_[0] && reference.first == looked_at_[1])
        return found;
    const bool is_first = looked_at_[0] < 0;
    VmafGpuInputs inputs = last_;
    for (const auto &[i, tags] : {std::pair{0, &main}, std::pair{1, &reference}}) {
        looked_at_[i] = tags->first;
        inputs.input[i] = tags->input;
        inputs.compared[i] = tags->compared;
    }
    check_colours(inputs, [&](int level, const Advice &advice) {
        const std::string &text = advice.text;
        if (level != VMAFGPU_LOG_WARNING || std::count(said_.begin(), said_.end(), text) > 0)
            return;
        said_.push_back(text);
        if (!is_first) // advice applies to whole inputs only
            found.push_back(text.substr(0, text.find(';')));
    });
    return found;
}

} // namespace vmafgpu
