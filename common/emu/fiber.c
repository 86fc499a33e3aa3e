/* Fibers: one stack a CUDA thread, and the switch between it and the scheduler.  Written in
 * assembly for x86-64 and aarch64; ucontext, some thirty times slower, elsewhere. */
#include "emu.h"
#include <string.h>

static const uint64_t canary = 0x5afe57ac4ca9a12du;

#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(EMU_UCONTEXT)

/* Saves the registers that a call must preserve, stores the stack pointer to *save and goes on
 * where `load` was saved. */
void emu_switch(void **save, void *load);

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl emu_switch\n"
        ".type emu_switch, @function\n"
        "emu_switch:\n"
        "    push %rbp\n    push %rbx\n    push %r12\n"
        "    push %r13\n    push %r14\n    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsi, %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n"
        "    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    ret\n"
        ".size emu_switch, . - emu_switch\n");
enum { FRAME = 8, ENTRY = 6 }; /* words; the last one keeps the stack as after a call */
#else
__asm__(".text\n"
        ".globl emu_switch\n"
        ".type emu_switch, %function\n"
        "emu_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp]\n    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n    str x9, [x0]\n    mov sp, x1\n"
        "    ldp x19, x20, [sp]\n    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size emu_switch, . - emu_switch\n");
enum { FRAME = 20, ENTRY = 11 }; /* words; x30 is the entry */
#endif

static void prepare(struct thread *t, char *top, void (*entry)(void))
{
    uintptr_t *frame = (uintptr_t *)top - FRAME;
    memset(frame, 0, FRAME * sizeof *frame);
    frame[ENTRY] = (uintptr_t)entry;
    t->sp = frame;
}

void fiber_resume(struct thread *t)
{
    emu_switch(&worker->sp, t->sp);
}

void fiber_yield(struct thread *t)
{
    emu_switch(&t->sp, worker->sp);
}

#else
#include <stdlib.h>
#include <ucontext.h>

static void prepare(struct thread *t, char *top, void (*entry)(void))
{
    if (!t->sp)
        t->sp = host_alloc(1, sizeof(ucontext_t), "a fiber");
    ucontext_t *context = t->sp;
    getcontext(context);
    context->uc_stack.ss_sp = (char *)t->stack + sizeof canary;
    context->uc_stack.ss_size = (size_t)(top - (char *)t->stack) - sizeof canary;
    makecontext(context, entry, 0);
}

void fiber_resume(struct thread *t)
{
    if (!worker->sp)
        worker->sp = host_alloc(1, sizeof(ucontext_t), "the scheduler");
    swapcontext(worker->sp, t->sp);
}

void fiber_yield(struct thread *t)
{
    swapcontext(t->sp, worker->sp);
}
#endif

void fiber_init(struct thread *t, void (*entry)(void))
{
    memcpy((void *)t->stack, &canary, sizeof canary);
    /* Shifted against each other: 1024 stacks at equal distances would fall in the same few sets of
     * the cache. */
    prepare(t, (char *)t->stack + STACK_SIZE - t->number % 61 * 64 - 64, entry);
}

bool fiber_stack_ok(const struct thread *t)
{
    return memcmp((const void *)t->stack, &canary, sizeof canary) == 0;
}
