/* The primitives of <cuda_pipeline.h>, emulated. */
#ifndef EMU_CUDA_PIPELINE_H
#define EMU_CUDA_PIPELINE_H

#include <cuda_runtime.h>

extern "C" {
void emu_copy_async(void *dst, const void *src, size_t size, size_t zfill, void *pc);
void emu_copy_commit(void);
void emu_copy_wait(unsigned prior);
}

/* Two calls in the two arms of an if are two instructions on the card; clang would make them one.
 */
#ifdef __clang__
#define EMU_NO_MERGE __attribute__((nomerge))
#else
#define EMU_NO_MERGE
#endif

/* Not inlined, so that the return address names the kernel's line. */
EMU_NO_HOOKS EMU_NO_MERGE __attribute__((noinline)) inline void
__pipeline_memcpy_async(void *__restrict__ dst, const void *__restrict__ src, size_t size,
                        size_t zfill = 0)
{
    emu_copy_async(dst, src, size, zfill, __builtin_return_address(0));
}

static EMU_INLINE void __pipeline_commit()
{
    emu_copy_commit();
}

static EMU_INLINE void __pipeline_wait_prior(size_t prior)
{
    emu_copy_wait((unsigned)prior);
}

#endif
