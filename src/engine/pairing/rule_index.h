// SPDX-License-Identifier: BSD-2-Clause-Patent
// The n-th main frame meets the n-th reference frame. Times are not looked at.
#pragma once

#include "pairing/queue_rule.h"

namespace vmafgpu {

class IndexRule : public QueueRule {
public:
    using QueueRule::QueueRule;

private:
    Status choose(Choice &choice) override;
};

} // namespace vmafgpu
