// SPDX-License-Identifier: BSD-2-Clause-Patent
// See kernel_refusals.h.
#include "gpu/kernel_refusals.h"

#include "gpu/device_memory.h"

namespace vmafgpu {

namespace {

/// Takes the launches of a feature and asks the device about each kernel instead.
class AskingQueue final : public Queue {
public:
    explicit AskingQueue(Device &device) : device_(device), traits_(device.make_queue()->traits())
    {
    }
    /// What the device has against the first kernel that it refuses.
    const std::string &why_not() const { return why_not_; }

    void download(void *, const void *, size_t) override {}
    void upload(void *, const void *, size_t) override {}
    void fill(void *, int, size_t) override {}
    void record(Event &) override {}
    void wait(Event &) override {}
    void wait_native(void *) override {}
    DeviceTraits traits() const override { return traits_; }

protected:
    void launch_raw(const char *name, unsigned threads, Grid, const LaunchArgs &) override
    {
        if (!why_not_.empty())
            return;
        const std::string refusal = device_.refusal(name, threads);
        if (!refusal.empty())
            why_not_ = std::string(name) + ": " + refusal;
    }

private:
    Device &device_;
    DeviceTraits traits_;
    std::string why_not_;
};

} // namespace

/// Records a batch of one pair, at addresses that nobody reads.
std::string refused_kernel(Device &device, const FeatureDevice &feature, const PlaneLayout &layout)
{
    alignas(kDeviceAlignment) static char nowhere[kDeviceAlignment];
    PairView pair = layout.pair(nowhere, nowhere);
    for (Plane &previous : pair.previous)
        previous = pair.reference[0];
    BatchView batch = {};
    batch.pairs = &pair;
    batch.count = 1;
    batch.sums = batch.scratch = batch.shared_scratch = nowhere;
    batch.tables = nowhere;
    AskingQueue queue(device);
    feature.record(queue, batch);
    return queue.why_not();
}

void leave_refused_to_host(Device &device, const PlaneLayout &layout, const Log &log,
                           ScorePlan &plan)
{
    for (size_t p = 0; p < plan.groups().size(); ++p) {
        plan.leave_to_host(p, false); // as another device may have marked it
        const FeatureDevice *device_code = plan.groups()[p].device();
        if (device_code == nullptr)
            continue;
        const std::string why_not = refused_kernel(device, *device_code, layout);
        if (why_not.empty())
            continue;
        plan.leave_to_host(p, true);
        log(VMAFGPU_LOG_INFO, std::string(plan.groups()[p].name) + " is not for " +
                                  device.info().selector + ": " + why_not);
    }
}

} // namespace vmafgpu
