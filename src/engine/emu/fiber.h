// SPDX-License-Identifier: BSD-2-Clause-Patent
// Fibers: stacks that one host thread switches between. One per emulated thread
// that waits; block_runner.cpp decides who runs. A fiber never changes its host thread.
#pragma once

#include <cstddef>

namespace vmafgpu {
namespace emu {

class Fiber {
public:
    using Entry = void (*)(void *argument);

    /// The host thread itself, as something to switch back to.
    Fiber();
    /// A stack of its own, with an unmapped page below it. `number` spreads the
    /// stacks' tops over the cache's sets. Throws std::bad_alloc.
    Fiber(size_t stack_bytes, unsigned number);
    ~Fiber();
    Fiber(const Fiber &) = delete;
    Fiber &operator=(const Fiber &) = delete;

    /// The next switch to this fiber calls entry(argument), which must not return
    /// or throw. What the fiber was doing before is forgotten, without unwinding.
    void prepare(Entry entry, void *argument);

    /// Leave `from`, which runs now, and go on where `to` was left.
    static void switch_to(Fiber &from, Fiber &to);

private:
    friend struct FiberAccess;

    void *stack_pointer_ = nullptr; ///< saved by the switch; or the ucontext
    char *stack_ = nullptr;         ///< lowest usable byte; null for the host thread
    size_t stack_bytes_ = 0;
    size_t top_offset_ = 0;
    Entry entry_ = nullptr;
    void *argument_ = nullptr;
    void *fake_stack_ = nullptr;        ///< AddressSanitizer
    const void *asan_bottom_ = nullptr; ///< AddressSanitizer
    size_t asan_bytes_ = 0;
    void *tsan_fiber_ = nullptr; ///< ThreadSanitizer
};

} // namespace emu
} // namespace vmafgpu
