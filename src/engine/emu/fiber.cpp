// SPDX-License-Identifier: BSD-2-Clause-Patent
// The context switch: a dozen instructions for x86-64 and AArch64, ucontext
// elsewhere (or with -DVMAFGPU_EMU_UCONTEXT). Signal masks and floating-point
// modes are not switched: no kernel changes them.
#include "emu/fiber.h"

#include <cstdint>
#include <cstring>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

#include "emu/sanitizer.h"

#if !defined(VMAFGPU_EMU_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define VMAFGPU_EMU_UCONTEXT 1
#endif
#ifdef VMAFGPU_EMU_UCONTEXT
#include <ucontext.h>
#endif

// void vmafgpu_fiber_switch(void **save, void *load): push what a callee must
// preserve, exchange stacks, pop. vmafgpu_fiber_begin is where a fresh stack
// returns to: it calls the function in one preserved register with the other.
#if defined(VMAFGPU_EMU_UCONTEXT)
// No assembly.
#elif defined(__x86_64__)
__asm__(R"(
    .text
    .p2align 4
    .hidden vmafgpu_fiber_switch
    .globl vmafgpu_fiber_switch
    .type vmafgpu_fiber_switch, @function
vmafgpu_fiber_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size vmafgpu_fiber_switch, .-vmafgpu_fiber_switch
    .hidden vmafgpu_fiber_begin
    .globl vmafgpu_fiber_begin
    .type vmafgpu_fiber_begin, @function
vmafgpu_fiber_begin:
    .cfi_startproc
    .cfi_undefined rip
    movq %r12, %rdi
    call *%r13
    ud2
    .cfi_endproc
    .size vmafgpu_fiber_begin, .-vmafgpu_fiber_begin
)");
#elif defined(__aarch64__)
__asm__(R"(
    .text
    .p2align 4
    .hidden vmafgpu_fiber_switch
    .globl vmafgpu_fiber_switch
    .type vmafgpu_fiber_switch, @function
vmafgpu_fiber_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x2, sp
    str x2, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size vmafgpu_fiber_switch, .-vmafgpu_fiber_switch
    .hidden vmafgpu_fiber_begin
    .globl vmafgpu_fiber_begin
    .type vmafgpu_fiber_begin, @function
vmafgpu_fiber_begin:
    .cfi_startproc
    .cfi_undefined x30
    mov x0, x19
    blr x20
    brk #1
    .cfi_endproc
    .size vmafgpu_fiber_begin, .-vmafgpu_fiber_begin
)");
#endif

#ifndef VMAFGPU_EMU_UCONTEXT
extern "C" void vmafgpu_fiber_switch(void **save, void *load);
extern "C" void vmafgpu_fiber_begin();
#endif

namespace vmafgpu {
namespace emu {

/// The parts of a switch that run on the far side, where no `this` is at hand.
struct FiberAccess {
    /// Tells sanitizers that a switch arrived in `self`, from `from` (null if unknown).
    static void arrived(Fiber &self, Fiber *from)
    {
        (void)self;
        (void)from;
#ifdef VMAFGPU_ASAN
        const void *bottom = nullptr;
        size_t bytes = 0;
        __sanitizer_finish_switch_fiber(self.fake_stack_, &bottom, &bytes);
        // The host thread's own stack can be learnt only here.
        if (from != nullptr && from->stack_ == nullptr) {
            from->asan_bottom_ = bottom;
            from->asan_bytes_ = bytes;
        }
#endif
    }

    static void main(void *fiber);

    static Fiber *&previous()
    {
        static thread_local Fiber *from = nullptr;
        return from;
    }
};

void FiberAccess::main(void *fiber)
{
    Fiber &self = *static_cast<Fiber *>(fiber);
    arrived(self, previous());
    self.entry_(self.argument_);
}

namespace {

size_t page_bytes()
{
    static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

#ifdef VMAFGPU_EMU_UCONTEXT
// makecontext passes ints only.
void ucontext_main(unsigned low, unsigned high)
{
    const uint64_t address = static_cast<uint64_t>(high) << 32 | low;
    FiberAccess::main(reinterpret_cast<void *>(static_cast<uintptr_t>(address)));
}
#endif

} // namespace

Fiber::Fiber()
{
#ifdef VMAFGPU_EMU_UCONTEXT
    stack_pointer_ = new ucontext_t;
#endif
#ifdef VMAFGPU_TSAN
    tsan_fiber_ = __tsan_get_current_fiber();
#endif
}

Fiber::Fiber(size_t stack_bytes, unsigned number)
{
    const size_t page = page_bytes();
    stack_bytes_ = (stack_bytes + page - 1) / page * page;
    void *memory = mmap(nullptr, stack_bytes_ + page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throw std::bad_alloc();
    mprotect(memory, page, PROT_NONE);
    stack_ = static_cast<char *>(memory) + page;
    // Stacks are a multiple of pages apart: without this, the hot lines of all of
    // them would compete for the same few cache sets.
    top_offset_ = number * 5 % 61 * 64;
    asan_bottom_ = stack_;
    asan_bytes_ = stack_bytes_;
#ifdef VMAFGPU_EMU_UCONTEXT
    stack_pointer_ = new ucontext_t;
#endif
#ifdef VMAFGPU_TSAN
    tsan_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber()
{
#ifdef VMAFGPU_EMU_UCONTEXT
    delete static_cast<ucontext_t *>(stack_pointer_);
#endif
    if (stack_ == nullptr)
        return;
    allow_access(stack_, stack_bytes_);
#ifdef VMAFGPU_TSAN
    __tsan_destroy_fiber(tsan_fiber_);
#endif
    munmap(stack_ - page_bytes(), stack_bytes_ + page_bytes());
}

void Fiber::prepare(Entry entry, void *argument)
{
    entry_ = entry;
    argument_ = argument;
    fake_stack_ = nullptr;
    allow_access(stack_, stack_bytes_);
    const size_t usable = stack_bytes_ - top_offset_;
#ifdef VMAFGPU_EMU_UCONTEXT
    auto *context = static_cast<ucontext_t *>(stack_pointer_);
    getcontext(context);
    context->uc_stack.ss_sp = stack_;
    context->uc_stack.ss_size = usable;
    context->uc_link = nullptr;
    const uint64_t address = reinterpret_cast<uintptr_t>(this);
    makecontext(context, reinterpret_cast<void (*)()>(ucontext_main), 2,
                static_cast<unsigned>(address), static_cast<unsigned>(address >> 32));
#elif defined(__x86_64__)
    // r15, r14, r13, r12, rbx, rbp, return address; then aligned to 16 bytes.
    auto **frame = reinterpret_cast<void **>(stack_ + usable) - 9;
    std::memset(frame, 0, 9 * sizeof(*frame));
    frame[2] = reinterpret_cast<void *>(&FiberAccess::main);
    frame[3] = this;
    frame[6] = reinterpret_cast<void *>(&vmafgpu_fiber_begin);
    stack_pointer_ = frame;
#else
    auto **frame = reinterpret_cast<void **>(stack_ + usable) - 20;
    std::memset(frame, 0, 20 * sizeof(*frame));
    frame[0] = this;
    frame[1] = reinterpret_cast<void *>(&FiberAccess::main);
    frame[11] = reinterpret_cast<void *>(&vmafgpu_fiber_begin);
    stack_pointer_ = frame;
#endif
}

void Fiber::switch_to(Fiber &from, Fiber &to)
{
#ifdef VMAFGPU_ASAN
    FiberAccess::previous() = &from;
    __sanitizer_start_switch_fiber(&from.fake_stack_, to.asan_bottom_, to.asan_bytes_);
#endif
#ifdef VMAFGPU_TSAN
    __tsan_switch_to_fiber(to.tsan_fiber_, 0);
#endif
#ifdef VMAFGPU_EMU_UCONTEXT
    swapcontext(static_cast<ucontext_t *>(from.stack_pointer_),
                static_cast<ucontext_t *>(to.stack_pointer_));
#else
    vmafgpu_fiber_switch(&from.stack_pointer_, to.stack_pointer_);
#endif
    FiberAccess::arrived(from, nullptr);
}

} // namespace emu
} // namespace vmafgpu
