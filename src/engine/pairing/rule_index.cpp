// SPDX-License-Identifier: BSD-2-Clause-Patent
// See rule_index.h.
#include "pairing/rule_index.h"

namespace vmafgpu {

Rule::Status IndexRule::choose(Choice &choice)
{
    const FrameQueue &reference = in_[kReference];
    const int64_t wanted = in_[kMain].first().number + settings_.offset;
    if (wanted < 0)
        return Status::kDecided;
    while (choice.unused < reference.count() && reference[choice.unused].number < wanted)
        ++choice.unused;
    if (settings_.has_offset)
        findings_.start = start_by_offset();
    if (choice.unused < reference.count()) {
        choice.reference = choice.unused;
    } else if (!reference.has_ended()) {
        choice.needs = 1U << kReference;
        return Status::kNeeds;
    }
    return Status::kDecided;
}

} // namespace vmafgpu
