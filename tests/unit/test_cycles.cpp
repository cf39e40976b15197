// SPDX-License-Identifier: BSD-2-Clause-Patent
// Contexts that are opened and closed all the time, on every backend of the build that needs
// no GPU; tests/device/test_hip_host.cpp has the HIP backend's.
#include <gtest/gtest.h>

#include "fixture.h"
#include "gpu/backends.h"

namespace vmafgpu::cycles_test {
namespace {

// reg40: what a context took it gives back.
TEST(engine, reg40_two_hundred_contexts)
{
    TestSettings settings;
    settings.width = settings.height = 32;
    expect_flat_cycles(settings, 200);
    for (const Backend &backend : backends()) {
        if (backend.is_automatic)
            continue;
        settings.device = backend.name;
        // Emulated devices take long: a quarter of the cycles, and of what they may grow by.
        expect_flat_cycles(settings, 50, 512);
    }
}

} // namespace
} // namespace vmafgpu::cycles_test
