/* The part of the CUDA runtime that the emulator offers, under CUDA's own names and values.  Found
 * before the real header, so that no CUDA is needed to build.  Host code in C sees the API;
 * kernel.cu, compiled as C++, sees the device side as well.  README.md lists what is missing. */
#ifndef EMU_CUDA_RUNTIME_H
#define EMU_CUDA_RUNTIME_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInsufficientDriver = 35,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorNoKernelImageForDevice = 209,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorMisalignedAddress = 716,
    cudaErrorLaunchFailure = 719,
    cudaErrorNotSupported = 801
} cudaError_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrReservedSharedMemoryPerBlock = 111
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, maxDynamicSharedSizeBytes;
};

typedef struct emu_stream *cudaStream_t; /* one queue: everything is done when a call returns */
typedef struct emu_event *cudaEvent_t;   /* events exist, but there is no time to measure */

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventDestroy(cudaEvent_t event);

cudaError_t cudaMalloc(void **p, size_t size);
cudaError_t cudaFree(void *p);
cudaError_t cudaMallocAsync(void **p, size_t size, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *p, cudaStream_t stream);
/* Where a GPU's cudaMallocAsync() takes its memory from; here there is nothing to set. */
typedef struct emu_pool *cudaMemPool_t;
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold = 4 };
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value);
cudaError_t cudaMemcpy(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemset(void *p, int value, size_t size);
cudaError_t cudaMemsetAsync(void *p, int value, size_t size, cudaStream_t stream);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *func);
cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func,
                                                          int threads, size_t smem);

typedef struct uint3 {
    unsigned x, y, z;
} uint3;

#ifdef __cplusplus
}

/* ---- The device side ---------------------------------------------------------------------- */

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
/* Every OS thread runs its own blocks, so a block's shared memory is thread-local.  `extern
 * __shared__` is rewritten by launch.awk. */
#define __shared__ static __thread

#define EMU_NO_HOOKS __attribute__((no_sanitize("thread")))
#define EMU_INLINE inline __attribute__((always_inline))

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
};

/* Objects, not macros: `config.gridDim` must keep its meaning. */
extern __thread const uint3 threadIdx __asm__("emu_threadIdx");
extern __thread const uint3 blockIdx __asm__("emu_blockIdx");
extern __thread const uint3 blockDim __asm__("emu_blockDim");
extern __thread const uint3 gridDim __asm__("emu_gridDim");
enum { warpSize = 32 };

/* Vectors move in one access of their whole width, whatever the optimiser thinks of it: a vector
 * register, and an empty asm that keeps it from being split. */
#if defined(__aarch64__)
#define EMU_KEEP(v) __asm__("" : "+w"(v))
#elif defined(__x86_64__)
#define EMU_KEEP(v) __asm__("" : "+x"(v))
#else
#define EMU_KEEP(v) __asm__("" : "+m"(v))
#endif

typedef float emu_f4 __attribute__((vector_size(16), may_alias));
typedef double emu_f2 __attribute__((may_alias));

struct alignas(16) float4 {
    float x, y, z, w;
    float4() = default;
    EMU_INLINE float4(float x_, float y_ = 0, float z_ = 0, float w_ = 0)
        : x(x_), y(y_), z(z_), w(w_)
    {
    }
    EMU_INLINE float4(const float4 &from)
    {
        *this = from;
    }
    EMU_INLINE float4 &operator=(const float4 &from)
    {
        emu_f4 v = *(const emu_f4 *)&from;
        EMU_KEEP(v);
        *(emu_f4 *)this = v;
        return *this;
    }
};

struct alignas(8) float2 {
    float x, y;
    float2() = default;
    EMU_INLINE float2(float x_, float y_ = 0) : x(x_), y(y_)
    {
    }
    EMU_INLINE float2(const float2 &from)
    {
        *this = from;
    }
    EMU_INLINE float2 &operator=(const float2 &from)
    {
        emu_f2 v = *(const emu_f2 *)&from;
        EMU_KEEP(v);
        *(emu_f2 *)this = v;
        return *this;
    }
};

static EMU_INLINE float4 make_float4(float x, float y, float z, float w)
{
    return float4(x, y, z, w);
}

static EMU_INLINE float2 make_float2(float x, float y)
{
    return float2(x, y);
}

template <class T> EMU_INLINE T min(T a, T b)
{
    return b < a ? b : a;
}

template <class T> EMU_INLINE T max(T a, T b)
{
    return a < b ? b : a;
}

extern "C" {
void emu_syncthreads(const char *file, int line);
void emu_barrier_sync(unsigned id, unsigned count, const char *file, int line);
void emu_syncwarp(unsigned mask, const char *file, int line);
void emu_fence(void);
/* Exchanges 8 bytes: leaves `value` for the others, returns what lane `source` left. */
uint64_t emu_shuffle(unsigned mask, uint64_t value, int source, const char *file, int line);
/* Before an atomic operation: records it, orders it, lets others run where it spins. */
void emu_atomic(const void *p, int size, void *pc);
struct emu_config {
    uint3 grid, block;
    size_t smem;
};
void emu_launch(const void *func, const char *arguments, const void **pointers,
                const struct emu_config *config, void (*body)(void *), void *closure);
}

static EMU_INLINE void __syncthreads(const char *file = __builtin_FILE(),
                                     int line = __builtin_LINE())
{
    emu_syncthreads(file, line);
}

/* Waits until `count` threads of the block have come to barrier `id`, 1 to 15. */
static EMU_INLINE void __barrier_sync_count(unsigned id, unsigned count,
                                            const char *file = __builtin_FILE(),
                                            int line = __builtin_LINE())
{
    emu_barrier_sync(id, count, file, line);
}

static EMU_INLINE void __syncwarp(unsigned mask = 0xffffffffu, const char *file = __builtin_FILE(),
                                  int line = __builtin_LINE())
{
    emu_syncwarp(mask, file, line);
}

static EMU_INLINE void __threadfence()
{
    emu_fence();
}

static EMU_INLINE void __threadfence_system()
{
    emu_fence();
}

static EMU_INLINE void __nanosleep(unsigned)
{
}

/* Hints to the cache, of which there is none here. */
template <class T> EMU_INLINE T __ldg(const T *p)
{
    return *p;
}

template <class T> EMU_INLINE T __ldcg(const T *p)
{
    return *p;
}

template <class T> EMU_INLINE void __stcg(T *p, T value)
{
    *p = value;
}

/* ---- Shuffles: width is a power of two up to 32, as in CUDA ---- */

template <class T>
EMU_NO_HOOKS inline T emu_shuffle_as(unsigned mask, T value, int source, const char *file, int line)
{
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    bits = emu_shuffle(mask, bits, source, file, line);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

EMU_NO_HOOKS inline int emu_lane()
{
    return (int)((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32);
}

template <class T>
EMU_NO_HOOKS inline T __shfl_sync(unsigned mask, T value, int source, int width = 32,
                                  const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    const int lane = emu_lane();
    return emu_shuffle_as(mask, value, (lane & -width) | (source & (width - 1)), file, line);
}

template <class T>
EMU_NO_HOOKS inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                                     const char *file = __builtin_FILE(),
                                     int line = __builtin_LINE())
{
    const int lane = emu_lane(), source = lane - (int)delta;
    return emu_shuffle_as(mask, value, source < (lane & -width) ? lane : source, file, line);
}

template <class T>
EMU_NO_HOOKS inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                                       const char *file = __builtin_FILE(),
                                       int line = __builtin_LINE())
{
    const int lane = emu_lane(), source = lane + (int)delta;
    return emu_shuffle_as(mask, value, source > (lane | (width - 1)) ? lane : source, file, line);
}

template <class T>
EMU_NO_HOOKS inline T __shfl_xor_sync(unsigned mask, T value, int xor_mask, int width = 32,
                                      const char *file = __builtin_FILE(),
                                      int line = __builtin_LINE())
{
    const int lane = emu_lane(), source = lane ^ xor_mask;
    return emu_shuffle_as(mask, value, source > (lane | (width - 1)) ? lane : source, file, line);
}

/* ---- Atomics: relaxed, as in CUDA ---- */

/* One compare-and-swap loop serves them all; `next` computes the new value. */
#define EMU_ATOMIC(name, next)                                                                     \
    template <class T> EMU_NO_HOOKS __attribute__((noinline)) T name(T *p, decltype(T() + T()) x_) \
    {                                                                                              \
        emu_atomic(p, sizeof *p, __builtin_return_address(0));                                     \
        const T x = (T)x_;                                                                         \
        T old, now;                                                                                \
        __atomic_load(p, &old, __ATOMIC_RELAXED);                                                  \
        do                                                                                         \
            now = (next);                                                                          \
        while (                                                                                    \
            !__atomic_compare_exchange(p, &old, &now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));  \
        return old;                                                                                \
    }

EMU_ATOMIC(atomicAdd, (T)(old + x))
EMU_ATOMIC(atomicSub, (T)(old - x))
EMU_ATOMIC(atomicExch, x)
EMU_ATOMIC(atomicMin, x < old ? x : old)
EMU_ATOMIC(atomicMax, old < x ? x : old)
EMU_ATOMIC(atomicAnd, (T)(old &x))
EMU_ATOMIC(atomicOr, (T)(old | x))
EMU_ATOMIC(atomicInc, old >= x ? T(0) : (T)(old + 1))

template <class T>
EMU_NO_HOOKS __attribute__((noinline)) T atomicCAS(T *p, decltype(T() + T()) expected,
                                                   decltype(T() + T()) value)
{
    emu_atomic(p, sizeof *p, __builtin_return_address(0));
    T old = (T)expected, now = (T)value;
    __atomic_compare_exchange(p, &old, &now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return old;
}

/* ---- The API's forms for C++, which take kernels and typed pointers ---- */

template <class T> inline cudaError_t cudaMalloc(T **p, size_t size)
{
    return cudaMalloc((void **)p, size);
}

template <class T> inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaStream_t stream)
{
    return cudaMallocAsync((void **)p, size, stream);
}

template <class... P>
inline cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attr, int value)
{
    return cudaFuncSetAttribute((const void *)kernel, attr, value);
}

template <class... P>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out, void (*kernel)(P...))
{
    return cudaFuncGetAttributes(out, (const void *)kernel);
}

template <class... P>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*kernel)(P...),
                                                                 int threads, size_t smem)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads,
                                                         smem);
}

/* ---- Launch: launch.awk turns name<<<config>>>(arguments) into
 * EMU_LAUNCH((name), (config), arguments) ---- */

#define EMU_LAUNCH(kernel, config, ...)                                                            \
    emu_launch_typed(kernel, #__VA_ARGS__, emu_make_config config, ##__VA_ARGS__)

EMU_NO_HOOKS inline emu_config emu_make_config(dim3 grid, dim3 block, size_t smem = 0,
                                               cudaStream_t = 0)
{
    return {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, smem};
}

/* The kernel's arguments, kept for its threads.  A chain of structs rather than a lambda: the
 * hooks must not see them being read. */
template <class... P> struct emu_arguments {
    template <class F, class... V> EMU_NO_HOOKS void call(F *kernel, V... values)
    {
        kernel(values...);
    }
    EMU_NO_HOOKS void collect(const void **)
    {
    }
};

template <class T> EMU_NO_HOOKS inline const void *emu_pointer(const T &)
{
    return 0;
}

template <class T> EMU_NO_HOOKS inline const void *emu_pointer(T *const &p)
{
    return (const void *)p;
}

template <class T, class... P> struct emu_arguments<T, P...> {
    T value;
    emu_arguments<P...> rest;
    EMU_NO_HOOKS emu_arguments(T value_, P... rest_) : value(value_), rest(rest_...)
    {
    }
    template <class F, class... V> EMU_NO_HOOKS void call(F *kernel, V... values)
    {
        rest.call(kernel, values..., value);
    }
    EMU_NO_HOOKS void collect(const void **out)
    {
        *out = emu_pointer(value);
        rest.collect(out + 1);
    }
};

template <class... P> struct emu_closure {
    void (*kernel)(P...);
    emu_arguments<P...> arguments;
    EMU_NO_HOOKS static void run(void *self)
    {
        ((emu_closure *)self)->arguments.call(((emu_closure *)self)->kernel);
    }
};

template <class... P, class... A>
EMU_NO_HOOKS void emu_launch_typed(void (*kernel)(P...), const char *arguments, emu_config config,
                                   A... values)
{
    emu_closure<P...> closure = {kernel, emu_arguments<P...>((P)values...)};
    const void *pointers[sizeof...(P) + 1];
    closure.arguments.collect(pointers);
    pointers[sizeof...(P)] = 0;
    emu_launch((const void *)kernel, arguments, pointers, &config, closure.run, &closure);
}
#endif

#endif
