/* Every line of inline PTX of this lab.  The name in brackets is the section of the PTX ISA manual
 * (chapter Instruction Set) that describes the instruction. */
#ifndef PTX_CUH
#define PTX_CUH

#include <cuda.h>
#include <stdint.h>

/* 32-bit address in the block's shared memory: what the instructions below take. */
static __device__ __forceinline__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* Makes a barrier whose phase ends after `count` arrivals (mbarrier.init). */
static __device__ __forceinline__ void mbarrier_init(uint32_t bar, int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
}

/* Makes the initialised barriers visible to the copy engine (fence.mbarrier_init). */
static __device__ __forceinline__ void fence_mbarrier_init()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* Arrives, and lets the phase end only after `bytes` more have been copied
 * (mbarrier.arrive.expect_tx). */
static __device__ __forceinline__ void mbarrier_arrive_expect_tx(uint32_t bar, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes)
                 : "memory");
}

/* Arrives; what this thread read or wrote before is ordered before the phase's end
 * (mbarrier.arrive). */
static __device__ __forceinline__ void mbarrier_arrive(uint32_t bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}

/* Waits until the phase of the given parity has ended; the hardware suspends the thread in
 * between (mbarrier.try_wait). */
static __device__ __forceinline__ void mbarrier_wait(uint32_t bar, uint32_t parity)
{
    asm volatile("{\n\t"
                 ".reg .pred done;\n"
                 "again:\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
                 "@!done bra again;\n\t"
                 "}" ::"r"(bar),
                 "r"(parity)
                 : "memory");
}

/* Starts the copy of a box of a matrix to shared memory; its bytes count towards `bar`; what lies
 * outside the matrix arrives as zeros (cp.async.bulk.tensor). */
static __device__ __forceinline__ void tma_load(uint32_t dst, const CUtensorMap *map, int col,
                                                int row, uint32_t bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(dst),
                 "l"(map), "r"(col), "r"(row), "r"(bar)
                 : "memory");
}

/* Loads 16 bytes of shared memory.  Volatile, because ptxas keeps the order of such loads
 * (ld.volatile). */
static __device__ __forceinline__ void load_quad(float *dst, uint32_t src)
{
    asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(dst[0]), "=f"(dst[1]), "=f"(dst[2]), "=f"(dst[3])
                 : "r"(src)
                 : "memory");
}

/* Allows the next launch of the stream to begin before this one has ended, as far as SMs have room
 * (griddepcontrol.launch_dependents). */
static __device__ __forceinline__ void launch_dependents()
{
    asm volatile("griddepcontrol.launch_dependents;");
}

/* Waits until the launches before have ended and their writes can be read (griddepcontrol.wait). */
static __device__ __forceinline__ void wait_for_prerequisites()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

/* Gives registers back, or takes them, for the 4 warps of a warpgroup (setmaxnreg). */
template <int N> static __device__ __forceinline__ void setmaxnreg_dec()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
}
template <int N> static __device__ __forceinline__ void setmaxnreg_inc()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
}

#endif
