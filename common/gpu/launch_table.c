/* The launch table: what each kernel takes of an SM, and how many fit. */
#include "../backend.h"
#include "gpu.h"
#include <limits.h>

/* Without asking, a block gets no more shared memory than this. */
#define SMEM_DEFAULT (48 * 1024)

struct occupancy {
    int blocks; /* resident on an SM, as the runtime says */
    const char *limiter;
};

static int round_up(int value, int unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Which resource runs out first.  Registers are handed out to warps in units of 256, warps come in
 * fours; from sm_80 the system keeps some shared memory of each block. */
static const char *limiter(const struct kernel_info *k, const struct cudaFuncAttributes *a)
{
    const int warps = (k->threads + 31) / 32;
    const int regs = round_up(a->numRegs * 32, 256);
    const int warps_by_regs =
        gpu_attribute(cudaDevAttrMaxRegistersPerMultiprocessor) / regs / 4 * 4;
    const int smem = (int)a->sharedSizeBytes + k->smem;
    const int reserved = gpu_attribute(cudaDevAttrReservedSharedMemoryPerBlock);
    const int limits[] = {
        warps_by_regs / warps,
        smem ? gpu_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) /
                   round_up(smem + reserved, 128)
             : INT_MAX,
        gpu_attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / (warps * 32),
        gpu_attribute(cudaDevAttrMaxBlocksPerMultiprocessor),
    };
    static const char *const names[] = {"registers", "shared memory", "threads", "blocks"};
    int least = 0;
    for (int i = 1; i < 4; i++)
        if (limits[i] < limits[least])
            least = i;
    return names[least];
}

static struct occupancy occupancy_of(const struct kernel_info *k,
                                     const struct cudaFuncAttributes *a)
{
    struct occupancy o = {0, limiter(k, a)};
    const int smem = (int)a->sharedSizeBytes + k->smem;
    const int most = gpu_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    if (smem > most) {
        printf("%s takes %d bytes of shared memory a block, this card has %d: it will not launch\n",
               k->name, smem, most);
        o.limiter = "shared memory";
        return o;
    }
    if (smem > SMEM_DEFAULT)
        CUDA_CHECK(
            cudaFuncSetAttribute(k->func, cudaFuncAttributeMaxDynamicSharedMemorySize, k->smem));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&o.blocks, k->func, k->threads,
                                                             (size_t)k->smem));
    return o;
}

static void kernel_attributes(const struct kernel_info *k, struct cudaFuncAttributes *a)
{
    const cudaError_t status = cudaFuncGetAttributes(a, k->func);
    if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction ||
        status == cudaErrorUnsupportedPtxVersion)
        die(EXIT_DEVICE,
            "no kernel image of %s for this card (%s); it is sm_%d, the program was built for "
            "another architecture; build it with: make ARCH=sm_%d",
            k->name, cudaGetErrorName(status), gpu.cc, gpu.cc);
    CUDA_CHECK(status);
}

static void print_kernels(void)
{
    static const struct column columns[] = {
        {"kernel", -24}, {"regs", 4},      {"local", 5},     {"static", 6},    {"dynamic", 7},
        {"threads", 7},  {"blocks/SM", 9}, {"limiter", -13}, {"occupancy", 9}, {0}};
    struct table t = {columns, 0};
    table_header(&t);
    for (const struct kernel_info *k = sgemm_kernels; k->name; k++) {
        struct cudaFuncAttributes a;
        kernel_attributes(k, &a);
        const struct occupancy o = occupancy_of(k, &a);
        table_text(&t, "%s", k->name);
        table_text(&t, "%d", a.numRegs);
        table_text(&t, "%zu", a.localSizeBytes);
        table_text(&t, "%zu", a.sharedSizeBytes);
        table_text(&t, "%d", k->smem);
        table_text(&t, "%d", k->threads);
        table_text(&t, "%d", o.blocks);
        table_text(&t, "%s", o.limiter);
        table_text(&t, "%.0f%%",
                   100.0 * o.blocks * k->threads /
                       gpu_attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
    }
    printf("regs, local (spills): a thread, bytes for local; static, dynamic: shared memory a "
           "block, bytes\n\n");
}

int gpu_resident_blocks(const struct kernel_info *k)
{
    struct cudaFuncAttributes a;
    kernel_attributes(k, &a);
    return occupancy_of(k, &a).blocks;
}

void launch_table(const struct options *opt, predict_fn *predict)
{
    print_kernels();
    table_sizes(opt, predict, gpu_resident_blocks, gpu.sms, gpu.cc);
}
