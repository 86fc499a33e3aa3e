/* Small kernels for tests/emu.t: each shows one thing that the emulator must find, or must not.
 * The test copies this file and emu_probe.c to a step of their own. */
#include "../common/sgemm.h"
#include <cuda_pipeline.h>
#include <string.h>

#define N 256

/* ---- Right ---- */

static __global__ void reduce_shuffle(float *out, const float *in)
{
    float sum = in[threadIdx.x];
    for (int delta = 16; delta > 0; delta /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, delta);
    sum = __shfl_sync(0xffffffffu, sum, 0);
    sum += __shfl_xor_sync(0xffffffffu, sum, 1) - __shfl_up_sync(0xffffffffu, sum, 1);
    out[threadIdx.x] = sum;
}

static __global__ void warp_exchange(float *out, const float *in)
{
    __shared__ float buffer[N];
    buffer[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = buffer[threadIdx.x ^ 1];
}

/* Block 0 waits for block 1, which the same OS thread may have to start first. */
static __global__ void flag_right(float *out, volatile unsigned *flag)
{
    if (blockIdx.x == 1) {
        out[N + threadIdx.x] = 1.0f + threadIdx.x;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            *flag = 1;
    } else {
        if (threadIdx.x == 0) {
            while (*flag == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        out[threadIdx.x] = 2.0f * out[N + (threadIdx.x + 1) % N];
    }
}

/* The last block to arrive adds up what all have left; one thread fences for its block. */
static __global__ void counter_right(float *out, unsigned *count)
{
    __shared__ bool last;
    out[blockIdx.x * N + threadIdx.x] = 1.0f;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(count, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        float sum = 0.0f;
        for (unsigned b = 0; b < gridDim.x; b++)
            sum += out[b * N + threadIdx.x];
        out[gridDim.x * N + threadIdx.x] = sum;
    }
}

/* Three slices in flight, the last one filled with zeros. */
static __global__ void copy_right(float *out, const float *in)
{
    extern __shared__ float stage[];
    for (int s = 0; s < 3; s++) {
        __pipeline_memcpy_async(&stage[s * N + threadIdx.x * 4], &in[threadIdx.x * 4], 16,
                                s == 2 ? 16 : 0);
        __pipeline_commit();
    }
    float sum = 0.0f;
    for (int s = 0; s < 3; s++) {
        if (s == 0)
            __pipeline_wait_prior(2);
        else if (s == 1)
            __pipeline_wait_prior(1);
        else
            __pipeline_wait_prior(0);
        __syncthreads();
        sum += stage[s * N + (threadIdx.x * 4 + 4) % N];
    }
    out[threadIdx.x] = sum;
}

/* Groups of 64 threads, each with a barrier of its own, which one group passes more often. */
static __global__ void named_right(float *out, const float *in)
{
    __shared__ float buffer[N];
    const unsigned group = threadIdx.x / 64;
    float sum = 0.0f;
    for (unsigned i = 0; i <= group; i++) {
        __barrier_sync_count(1 + group, 64);
        buffer[threadIdx.x] = in[threadIdx.x];
        __barrier_sync_count(1 + group, 64);
        sum += buffer[group * 64 + (threadIdx.x + 33) % 64];
    }
    out[threadIdx.x] = sum;
}

/* ---- Wrong ---- */

/* A barrier orders the threads of a group, not those of two. */
static __global__ void named_race(float *out, const float *in)
{
    __shared__ float buffer[N];
    buffer[threadIdx.x] = in[threadIdx.x];
    __barrier_sync_count(1 + threadIdx.x / 64, 64);
    out[threadIdx.x] = buffer[(threadIdx.x + 64) % N];
}

static __global__ void named_short(float *out)
{
    if (threadIdx.x < 32)
        __barrier_sync_count(1, 64);
    out[threadIdx.x] = 1.0f;
}

static __global__ void named_id(float *out)
{
    __barrier_sync_count(16, N);
    out[threadIdx.x] = 1.0f;
}

static __global__ void race_warps(float *out, const float *in)
{
    __shared__ float buffer[N];
    buffer[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = buffer[(threadIdx.x + 32) % N];
}

static __global__ void race_lanes(float *out, const float *in)
{
    __shared__ float buffer[N];
    buffer[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = buffer[threadIdx.x ^ 1];
}

static __global__ void race_reuse(float *out, const float *in)
{
    __shared__ float buffer[N];
    for (int i = 0; i < 2; i++) {
        buffer[threadIdx.x] = in[threadIdx.x + i];
        __syncthreads();
        out[threadIdx.x] = buffer[(threadIdx.x + 32) % N];
    }
}

static __global__ void race_blocks(float *out, const float *in)
{
    out[threadIdx.x] = in[threadIdx.x];
}

static __global__ void flag_no_release(float *out, volatile unsigned *flag)
{
    if (blockIdx.x == 1) {
        out[N + threadIdx.x] = 1.0f;
        __syncthreads();
        if (threadIdx.x == 0)
            *flag = 1;
    } else {
        if (threadIdx.x == 0) {
            while (*flag == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        out[threadIdx.x] = out[N + threadIdx.x];
    }
}

static __global__ void flag_no_acquire(float *out, volatile unsigned *flag)
{
    if (blockIdx.x == 1) {
        out[N + threadIdx.x] = 1.0f;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            *flag = 1;
    } else {
        if (threadIdx.x == 0)
            while (*flag == 0)
                ;
        __syncthreads();
        out[threadIdx.x] = out[N + threadIdx.x];
    }
}

static __global__ void flag_no_barrier(float *out, volatile unsigned *flag)
{
    if (blockIdx.x == 1) {
        out[N + threadIdx.x] = 1.0f;
        __threadfence();
        if (threadIdx.x == 0)
            *flag = 1;
    } else {
        if (threadIdx.x == 0) {
            while (*flag == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        out[threadIdx.x] = out[N + threadIdx.x];
    }
}

static __global__ void flag_plain(float *out, unsigned *flag)
{
    if (blockIdx.x == 1 && threadIdx.x == 0)
        *flag = 1;
    if (blockIdx.x == 0)
        out[threadIdx.x] = (float)*flag;
}

static __global__ void deadlock(float *out, volatile unsigned *flag)
{
    while (*flag == 0)
        ;
    out[threadIdx.x] = 1.0f;
}

/* All wait for the last block, which finds no room beside them. */
static __global__ void deadlock_resident(float *out, volatile unsigned *flag)
{
    if (blockIdx.x == gridDim.x - 1)
        *flag = 1;
    while (*flag == 0)
        ;
    out[threadIdx.x] = 1.0f;
}

static __global__ void bounds_near(float *out, const float *in)
{
    out[threadIdx.x] = in[threadIdx.x + 4 * N - 7];
}

static __global__ void bounds_far(float *out, const float *in)
{
    out[threadIdx.x + ((size_t)1 << 40)] = in[0];
}

static __global__ void bounds_dynamic(float *out)
{
    extern __shared__ float stage[];
    stage[threadIdx.x + 1] = 1.0f;
    out[threadIdx.x] = 0.0f;
}

static __global__ void misaligned(float *out, const float *in)
{
    *(float4 *)&out[4 * threadIdx.x] = *(const float4 *)&in[4 * threadIdx.x + 1];
}

static __global__ void unwritten(float *out)
{
    __shared__ float buffer[2 * N];
    buffer[threadIdx.x] = 1.0f;
    __syncthreads();
    out[threadIdx.x] = buffer[threadIdx.x + 1];
}

static __global__ void barrier_divergent(float *out)
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
    out[threadIdx.x] = 1.0f;
}

static __global__ void barrier_after_return(float *out)
{
    if (threadIdx.x == 7)
        return;
    __syncthreads();
    out[threadIdx.x] = 1.0f;
}

static __global__ void copy_uncommitted(float *out, const float *in)
{
    __shared__ __align__(16) float stage[4 * N];
    __pipeline_memcpy_async(&stage[threadIdx.x * 4], &in[threadIdx.x * 4], 16);
    __pipeline_wait_prior(0);
    out[threadIdx.x] = stage[threadIdx.x * 4];
}

static __global__ void copy_unwaited(float *out, const float *in)
{
    __shared__ __align__(16) float stage[4 * N];
    __pipeline_memcpy_async(&stage[threadIdx.x * 4], &in[threadIdx.x * 4], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    out[threadIdx.x] = stage[threadIdx.x * 4];
}

static __global__ void copy_misaligned(float *out, const float *in)
{
    __shared__ __align__(16) float stage[4 * N];
    __pipeline_memcpy_async(&stage[threadIdx.x * 4], &in[threadIdx.x * 4 + 2], 16);
    out[threadIdx.x] = 0.0f;
}

static __global__ void divide(float *out, int *zero)
{
    out[threadIdx.x] = (float)(100 / *zero);
}

/* ---- Costs: sectors and passes that a reader can count by hand ---- */

static __global__ void stride_global(float *out, const float *in, int stride)
{
    out[threadIdx.x] = in[threadIdx.x * stride];
}

static __global__ void stride_shared(float *out, int stride)
{
    __shared__ float buffer[32 * 33];
    for (int i = threadIdx.x; i < 32 * 33; i += 32)
        buffer[i] = 0.0f;
    __syncwarp();
    out[threadIdx.x] = buffer[threadIdx.x * stride];
}

static __global__ void vec4_lanes(float *out, int shift)
{
    __shared__ __align__(16) float buffer[32 * 4];
    for (int i = threadIdx.x; i < 32 * 4; i += 32)
        buffer[i] = 0.0f;
    __syncwarp();
    const float4 v = *(const float4 *)&buffer[(threadIdx.x >> shift) * 4];
    out[threadIdx.x] = v.x;
}

/* ---- The host ---- */

extern "C" bool probe(const char *name, float *out, float *in, int number);

bool probe(const char *name, float *out, float *in, int number)
{
    unsigned *flag = (unsigned *)out + 16 * N; /* zeroed by the caller */
    const int large = 64 << 10; /* bytes of shared memory: more than a kernel gets without asking */
#define IS(kernel) (strcmp(name, #kernel) == 0)
    if (IS(reduce_shuffle))
        reduce_shuffle<<<1, 64>>>(out, in);
    else if (IS(warp_exchange))
        warp_exchange<<<1, N>>>(out, in);
    else if (IS(flag_right))
        flag_right<<<2, N>>>(out, flag);
    else if (IS(counter_right))
        counter_right<<<8, N>>>(out, flag);
    else if (IS(named_right))
        named_right<<<1, N>>>(out, in);
    else if (IS(named_race))
        named_race<<<1, N>>>(out, in);
    else if (IS(named_short))
        named_short<<<1, N>>>(out);
    else if (IS(named_id))
        named_id<<<1, N>>>(out);
    else if (IS(copy_right))
        copy_right<<<1, N / 4, 3 * N * sizeof(float)>>>(out, in);
    else if (IS(copy_large)) {
        int blocks;
        if (cudaFuncSetAttribute(copy_right, cudaFuncAttributeMaxDynamicSharedMemorySize, large) ||
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, copy_right, N / 4, large) ||
            blocks != 3)
            return false;
        copy_right<<<1, N / 4, large>>>(out, in);
    } else if (IS(copy_refused))
        copy_right<<<1, N / 4, large>>>(out, in);
    else if (IS(race_warps))
        race_warps<<<1, N>>>(out, in);
    else if (IS(race_lanes))
        race_lanes<<<1, N>>>(out, in);
    else if (IS(race_reuse))
        race_reuse<<<1, N>>>(out, in);
    else if (IS(race_blocks))
        race_blocks<<<2, N>>>(out, in);
    else if (IS(flag_no_release))
        flag_no_release<<<2, N>>>(out, flag);
    else if (IS(flag_no_acquire))
        flag_no_acquire<<<2, N>>>(out, flag);
    else if (IS(flag_no_barrier))
        flag_no_barrier<<<2, N>>>(out, flag);
    else if (IS(flag_plain))
        flag_plain<<<2, N>>>(out, flag);
    else if (IS(deadlock))
        deadlock<<<4, 32>>>(out, flag);
    else if (IS(deadlock_resident))
        deadlock_resident<<<2000, 1024>>>(out, flag);
    else if (IS(bounds_near))
        bounds_near<<<1, N>>>(out, in);
    else if (IS(bounds_far))
        bounds_far<<<1, N>>>(out, in);
    else if (IS(bounds_dynamic))
        bounds_dynamic<<<1, N, N * sizeof(float)>>>(out);
    else if (IS(misaligned))
        misaligned<<<1, N / 8>>>(out, in);
    else if (IS(unwritten))
        unwritten<<<1, N>>>(out);
    else if (IS(barrier_divergent))
        barrier_divergent<<<1, N>>>(out);
    else if (IS(barrier_after_return))
        barrier_after_return<<<1, N>>>(out);
    else if (IS(copy_uncommitted))
        copy_uncommitted<<<1, N / 4>>>(out, in);
    else if (IS(copy_unwaited))
        copy_unwaited<<<1, N / 4>>>(out, in);
    else if (IS(copy_misaligned))
        copy_misaligned<<<1, N / 8>>>(out, in);
    else if (IS(divide))
        divide<<<1, N>>>(out, (int *)flag);
    else if (IS(stride_global))
        stride_global<<<1, 32>>>(out, in, number);
    else if (IS(stride_shared))
        stride_shared<<<1, 32>>>(out, number);
    else if (IS(vec4_lanes))
        vec4_lanes<<<1, 32>>>(out, number);
    else
        return false;
    return cudaGetLastError() == cudaSuccess;
}

/* The harness, of which only the emulator is used, asks for these. */
cudaError_t sgemm(int, int, int, float, const float *, int, const float *, int, float, float *, int,
                  cudaStream_t)
{
    return cudaSuccess;
}

const struct kernel_info sgemm_kernels[] = {{}};
