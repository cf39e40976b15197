// SPDX-License-Identifier: BSD-2-Clause-Patent
// See fiber.h. On Windows the system has fibers of its own: it finds the limits of a stack in the
// thread's block, so a switch that does not change them would break exceptions.
#include "emu/fiber.h"

#include <windows.h>

#include <new>

namespace vmafgpu {
namespace emu {

/// Members that the system's callback may use.
struct FiberAccess {
    static void CALLBACK main(void *fiber)
    {
        const Fiber &self = *static_cast<Fiber *>(fiber);
        self.entry_(self.argument_);
    }
};

namespace {

/// The system's fiber that the host thread is, from the first call on until it ends.
void *own_fiber()
{
// GCC 12 takes the thread's block, which begins at 0 of its segment, for an array at address 0.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
    return IsThreadAFiber() != 0 ? GetCurrentFiber()
                                 : ConvertThreadToFiberEx(nullptr, FIBER_FLAG_FLOAT_SWITCH);
#pragma GCC diagnostic pop
}

} // namespace

/// stack_pointer_ is the system's fiber, which the host thread gets when it leaves itself.
Fiber::Fiber() = default;

Fiber::Fiber(size_t stack_bytes, unsigned) : stack_bytes_(stack_bytes)
{
}

Fiber::~Fiber()
{
    if (stack_bytes_ != 0 && stack_pointer_ != nullptr)
        DeleteFiber(stack_pointer_);
}

void Fiber::prepare(Entry entry, void *argument)
{
    entry_ = entry;
    argument_ = argument;
    if (stack_pointer_ != nullptr)
        DeleteFiber(stack_pointer_);
    // Twice: the system keeps pages of a stack for itself.
    stack_pointer_ = CreateFiberEx(stack_bytes_, 2 * stack_bytes_, FIBER_FLAG_FLOAT_SWITCH,
                                   &FiberAccess::main, this);
    if (stack_pointer_ == nullptr)
        throw std::bad_alloc();
}

void Fiber::switch_to(Fiber &from, Fiber &to)
{
    if (from.stack_bytes_ == 0)
        from.stack_pointer_ = own_fiber();
    SwitchToFiber(to.stack_pointer_);
}

} // namespace emu
} // namespace vmafgpu
