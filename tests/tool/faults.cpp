// SPDX-License-Identifier: BSD-2-Clause-Patent
// Prints how the library tells three errors, for test_bug_url.py: one that it does not expect,
// one of a device, and one of the input.
#include <cstdio>
#include <stdexcept>

#include "api/context.h"

namespace {

template <typename Fault> void print_text_of(const Fault &fault)
{
    VmafGpuError error;
    const int code = vmafgpu::guarded_with(&error, [&fault]() -> int { throw fault; });
    std::printf("%d %s\n", code == -EIO, error.text);
}

} // namespace

int main()
{
    print_text_of(std::out_of_range("index 5"));
    print_text_of(vmafgpu::SelfTestError("self-test of gpu:0 failed"));
    print_text_of(vmafgpu::Error(EINVAL, "the width is 0"));
}
