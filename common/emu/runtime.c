/* The CUDA runtime's subset: memory, launches, attributes. */
#include "emu.h"
#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes around each allocation that may be touched without harm until the checks see it. */
#define GUARD ((size_t)1 << 20)

enum { MAX_ALLOCATIONS = 256 };
static struct allocation allocations[MAX_ALLOCATIONS];
static int num_allocations;
static cudaError_t last_error;

extern char __executable_start, _end;

/* ---- Memory ---- */

/* Hot: the last hits first. */
struct allocation *allocation_of(uintptr_t address)
{
    for (int i = 0; i < num_allocations; i++)
        if (address - allocations[i].base < allocations[i].size)
            return &allocations[i];
    return NULL;
}

struct allocation *allocation_near(uintptr_t address)
{
    struct allocation *exact = allocation_of(address);
    if (exact)
        return exact;
    for (int i = 0; i < num_allocations; i++)
        if (allocations[i].map && address - (uintptr_t)allocations[i].map < allocations[i].map_size)
            return &allocations[i];
    return NULL;
}

cudaError_t cudaMalloc(void **p, size_t size)
{
    const size_t map_size = (size + 2 * GUARD + 4095) / 4096 * 4096;
    *p = NULL;
    if (num_allocations == MAX_ALLOCATIONS || map_size < size)
        return last_error = cudaErrorMemoryAllocation;
    char *map = mmap(NULL, map_size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return last_error = cudaErrorMemoryAllocation;
    allocations[num_allocations++] = (struct allocation){.base = (uintptr_t)map + GUARD,
                                                         .size = size,
                                                         .shadow = race_shadow(size),
                                                         .map = map,
                                                         .map_size = map_size};
    *p = map + GUARD;
    return cudaSuccess;
}

cudaError_t cudaFree(void *p)
{
    if (!p)
        return cudaSuccess;
    for (int i = 0; i < num_allocations; i++)
        if (allocations[i].base == (uintptr_t)p && allocations[i].map) {
            race_shadow_free(allocations[i].shadow, allocations[i].size);
            munmap(allocations[i].map, allocations[i].map_size);
            allocations[i] = allocations[--num_allocations];
            return cudaSuccess;
        }
    return last_error = cudaErrorInvalidValue;
}

cudaError_t cudaMallocAsync(void **p, size_t size, cudaStream_t stream)
{
    (void)stream;
    return cudaMalloc(p, size);
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
    (void)stream;
    return cudaFree(p);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    (void)device;
    *pool = NULL;
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    (void)pool;
    (void)attr;
    (void)value;
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind)
{
    (void)kind;
    memcpy(dst, src, size);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy(dst, src, size, kind);
}

cudaError_t cudaMemset(void *p, int value, size_t size)
{
    memset(p, value, size);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t size, cudaStream_t stream)
{
    (void)stream;
    return cudaMemset(p, value, size);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    /* The race checks keep ten times as much beside what a kernel touches. */
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *free_bytes = (size_t)sysconf(_SC_AVPHYS_PAGES) * page / 11;
    *total_bytes = (size_t)sysconf(_SC_PHYS_PAGES) * page / 11;
    return cudaSuccess;
}

/* ---- The device ---- */

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *index)
{
    *index = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int index)
{
    return index == 0 ? cudaSuccess : (last_error = cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int index)
{
    if (index != 0)
        return last_error = cudaErrorInvalidDevice;
    switch (attr) {
    case cudaDevAttrMaxThreadsPerBlock:
        *value = MAX_THREADS;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = 48 << 10;
        break;
    case cudaDevAttrMultiProcessorCount:
        *value = device->sms;
        break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = device->threads_sm;
        break;
    case cudaDevAttrComputeCapabilityMajor:
        *value = device->major;
        break;
    case cudaDevAttrComputeCapabilityMinor:
        *value = device->minor;
        break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = device->smem_sm;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = device->smem_block;
        break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        *value = device->blocks_sm;
        break;
    case cudaDevAttrReservedSharedMemoryPerBlock:
        *value = device->smem_reserved;
        break;
    default:
        return last_error = cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = NULL;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)event;
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    (void)event;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    (void)event;
    return cudaSuccess;
}

/* ---- Kernels ---- */

/* More than 48 KB of shared memory must be asked for, kernel by kernel. */
enum { MAX_KERNELS = 64 };
static struct {
    const void *func;
    size_t dynamic;
} opted_in[MAX_KERNELS];

static size_t dynamic_limit(const void *func)
{
    for (int i = 0; i < MAX_KERNELS && opted_in[i].func; i++)
        if (opted_in[i].func == func)
            return opted_in[i].dynamic;
    return (48u << 10) - shared_static_size(func);
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
    if (attr == cudaFuncAttributePreferredSharedMemoryCarveout)
        return cudaSuccess;
    if (value < 0 || value + shared_static_size(func) > (size_t)device->smem_block)
        return last_error = cudaErrorInvalidValue;
    for (int i = 0; i < MAX_KERNELS; i++)
        if (!opted_in[i].func || opted_in[i].func == func) {
            opted_in[i].func = func;
            opted_in[i].dynamic = (size_t)value;
            return cudaSuccess;
        }
    return last_error = cudaErrorInvalidValue;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *func)
{
    *out = (struct cudaFuncAttributes){.sharedSizeBytes = shared_static_size(func),
                                       .maxThreadsPerBlock = MAX_THREADS,
                                       .maxDynamicSharedSizeBytes = (int)dynamic_limit(func)};
    return cudaSuccess;
}

int blocks_per_sm(int threads, size_t smem, const char **limiter)
{
    const int warps = (threads + WARP - 1) / WARP;
    const size_t taken = (smem + (size_t)device->smem_reserved + 127) / 128 * 128;
    const char *what = "threads";
    int blocks = device->threads_sm / WARP / warps;
    if (smem && (size_t)device->smem_sm / taken < (size_t)blocks) {
        blocks = (int)((size_t)device->smem_sm / taken);
        what = "shared memory";
    }
    if (device->blocks_sm < blocks) {
        blocks = device->blocks_sm;
        what = "blocks";
    }
    if (limiter)
        *limiter = what;
    return blocks;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func,
                                                          int threads, size_t smem)
{
    *blocks = threads > 0 && threads <= MAX_THREADS
                  ? blocks_per_sm(threads, smem + shared_static_size(func), NULL)
                  : 0;
    return cudaSuccess;
}

/* The launch's arguments that are pointers, by what the source calls them. */
static struct {
    char name[32];
    uintptr_t value;
} arguments[16];
static int num_arguments;

static void name_arguments(const char *text, const void **pointers)
{
    num_arguments = 0;
    for (int i = 0; *text && num_arguments < 16; i++) {
        int depth = 0, length = 0;
        while (isspace((unsigned char)*text))
            text++;
        while (text[length] && (depth || text[length] != ',')) {
            depth += (text[length] == '(') - (text[length] == ')');
            length++;
        }
        if (pointers[i]) {
            snprintf(arguments[num_arguments].name, sizeof arguments->name, "%.*s", length, text);
            arguments[num_arguments++].value = (uintptr_t)pointers[i];
        }
        text += length + (text[length] == ',');
    }
}

const char *argument_name(const struct allocation *m, uintptr_t address, uintptr_t *start)
{
    const char *name = NULL;
    for (int i = 0; i < num_arguments; i++)
        if (arguments[i].value - m->base < m->size && arguments[i].value <= address &&
            (!name || arguments[i].value > *start)) {
            name = arguments[i].name;
            *start = arguments[i].value;
        }
    return name;
}

void emu_launch(const void *func, const char *text, const void **pointers,
                const struct emu_config *config, void (*body)(void *), void *closure);
void emu_launch(const void *func, const char *text, const void **pointers,
                const struct emu_config *config, void (*body)(void *), void *closure)
{
    const struct uint3 grid = config->grid, block = config->block;
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    const size_t smem = config->smem;
    static char name[128];
    if (threads == 0 || threads > MAX_THREADS || block.z > 64 || grid.x == 0 || grid.y == 0 ||
        grid.z == 0 || grid.x > INT32_MAX || grid.y > 65535 || grid.z > 65535) {
        last_error = cudaErrorInvalidConfiguration;
        return;
    }
    if (smem > dynamic_limit(func) || smem > MAX_DYNAMIC) {
        last_error = cudaErrorInvalidValue;
        return;
    }
    function_name(func, name, sizeof name);
    name_arguments(text, pointers);
    launch.kernel = name;
    launch.grid = grid;
    launch.block = block;
    launch.smem = smem;
    launch.body = body;
    launch.closure = closure;
    launch.threads = (int)threads;
    launch.warps = (launch.threads + WARP - 1) / WARP;
    launch.blocks = (uint64_t)grid.x * grid.y * grid.z;
    launch.limit = (uint64_t)device->sms *
                   (uint64_t)blocks_per_sm(launch.threads, smem + shared_static_size(func), NULL);
    run_launch();
}

/* ---- Errors ---- */

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error;
}

static const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
};

static int error_index(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error)
            return (int)i;
    return -1;
}

const char *cudaGetErrorName(cudaError_t error)
{
    const int i = error_index(error);
    return i < 0 ? "cudaErrorUnknown" : errors[i].name;
}

const char *cudaGetErrorString(cudaError_t error)
{
    const int i = error_index(error);
    return i < 0 ? "unknown error" : errors[i].text;
}

/* ---- Faults ---- */

/* The hook comes before the access, so the access that faulted is the last one in the log: the
 * checks know what is wrong with it.  Another OS thread may fault meanwhile: it waits in
 * report_fatal(). */
static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    struct thread *t = emu_thread;
    if (!t->block) {
        signal(number, SIG_DFL); /* not in a kernel: fault again, and die of it */
        return;
    }
    if (number == SIGFPE) {
        const struct party me = party_of(t, "divides", (uint32_t)(uintptr_t)info->si_addr + 1);
        report_fatal("integer division by zero", 0, &me, NULL, "guard the divisor");
    }
    race_check(t);
    const struct party me = party_of(t, "access", t->next > t->begin ? t->next[-1].pc : 0);
    report_fatal("invalid access", 0, &me, NULL,
                 "this or the next access goes astray; check its index and its pointer");
}

void runtime_open(void)
{
    const struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
    /* __device__ variables */
    const size_t size = (size_t)(&_end - &__executable_start);
    allocations[num_allocations++] = (struct allocation){
        .base = (uintptr_t)&__executable_start, .size = size, .shadow = race_shadow(size)};
}
