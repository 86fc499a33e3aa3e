/* 10_stream_k: a plan for each shape.
 *
 * Change: the host chooses among tiles of several shapes and deals them to the SMs (plan.c).  Full
 * waves stay whole tiles; the tiles of the last, partial wave are cut along K, so that every SM
 * gets an equal share of slices.  A block that has the beginning of a tile leaves its sums in
 * global memory; the block that has the end, the owner, waits for them and adds them, always in the
 * same order.  Small shapes take small tiles on which groups of warps share each slice (tile.cuh).
 * Cost: the fix-up, one more round trip of a tile through L2; several kernels instead of one. */
#include "../common/sgemm.h"
#include "edges.cuh"
#include "plan.h"
#include "tile.cuh"

extern __shared__ float smem[];

/* Leaves the sums of a piece in global memory and says so. */
template <class T>
static __device__ __forceinline__ void publish(float acc[][T::COLUMNS], float4 *partial, int *flag)
{
    if (threadIdx.x < T::GROUP_THREADS)
#pragma unroll
        for (int e = 0; e < T::OUTPUTS; e += 4)
            partial[e / 4 * T::GROUP_THREADS + threadIdx.x] = T::four(acc, e);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence(); /* after the barrier: it covers the stores of the whole block */
        *(volatile int *)flag = 1;
    }
}

/* Waits for the sums of a peer and adds them. */
template <class T>
static __device__ __forceinline__ void add_peer(float acc[][T::COLUMNS], const float4 *partial,
                                                int *flag)
{
    if (threadIdx.x == 0) {
        while (*(volatile int *)flag == 0)
            ;
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x < T::GROUP_THREADS)
#pragma unroll
        for (int e = 0; e < T::OUTPUTS; e += 4)
            T::add4(acc, e, __ldcg(&partial[e / 4 * T::GROUP_THREADS + threadIdx.x]));
}

template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int GROUPS, int STAGES,
          int BLOCKS, bool A_REGS, bool VEC4>
static __global__ void __launch_bounds__(PLAN_THREADS(BM, BN, TM, TN, GROUPS), BLOCKS)
    stream_k(struct schedule schedule, int M, int N, int K, float alpha, const float *A, int lda,
             const float *B, int ldb, float beta, float *C, int ldc, bool c_vec4, float4 *partials,
             int *flags)
{
    typedef tile<BM, BN, BK, WM, WN, TM, TN, GROUPS, STAGES, A_REGS> T;
    const int block = blockIdx.x, peer = block - schedule.whole;
    const int64_t begin = schedule_begin(&schedule, block);
    for (int64_t end = schedule_begin(&schedule, block + 1); end > begin;) {
        const struct piece piece = schedule_piece(&schedule, begin, end);
        const int block_m = piece.tile / schedule.tiles_n * BM;
        const int block_n = piece.tile % schedule.tiles_n * BN;
        float acc[TM][TN];
        T::template compute<VEC4>(smem, acc, block_m, block_n, piece.first, piece.last, M, N, K,
                                  alpha, A, lda, B, ldb);
        if (piece.last < schedule.slices) {
            publish<T>(acc, &partials[(size_t)peer * (BM * BN / 4)], &flags[peer]);
        } else {
            if (piece.first > 0) {
                const int64_t start = (int64_t)piece.tile * schedule.slices;
                for (int p = schedule_holder(&schedule, start) - schedule.whole; p < peer; p++)
                    add_peer<T>(acc, &partials[(size_t)p * (BM * BN / 4)], &flags[p]);
            }
            if (threadIdx.x < T::GROUP_THREADS)
                T::store(acc, block_m, block_n, M, N, beta, C, ldc, c_vec4);
        }
        end -= piece.last - piece.first;
        __syncthreads(); /* the next piece fills the same buffers */
    }
}

/* Each variant twice: VEC4 and not; in the order of plan_variants[]. */
#define ROW(BM, BN, BK, WM, WN, TM, TN, GROUPS, STAGES, BLOCKS, A_REGS, VEC4)                      \
    {"stream_k<" #BM "x" #BN ", " #VEC4 ">",                                                       \
     (const void *)stream_k<BM, BN, BK, WM, WN, TM, TN, GROUPS, STAGES, BLOCKS, A_REGS, VEC4>,     \
     PLAN_THREADS(BM, BN, TM, TN, GROUPS),                                                         \
     PLAN_SMEM(BM, BN, BK, STAGES),                                                                \
     BM,                                                                                           \
     BN,                                                                                           \
     BK,                                                                                           \
     TM,                                                                                           \
     TN,                                                                                           \
     STAGES,                                                                                       \
     VEC4 ? 4 : 1},
#define ROWS(BM, BN, BK, WM, WN, TM, TN, GROUPS, STAGES, BLOCKS, A_REGS, RATE, START)              \
    ROW(BM, BN, BK, WM, WN, TM, TN, GROUPS, STAGES, BLOCKS, A_REGS, true)                          \
    ROW(BM, BN, BK, WM, WN, TM, TN, GROUPS, STAGES, BLOCKS, A_REGS, false)

const struct kernel_info sgemm_kernels[] = {
    /* name, func, threads, smem, bm, bn, bk, tm, tn, stages, width */
    VARIANTS(ROWS){},
};

typedef void kernel_fn(struct schedule, int, int, int, float, const float *, int, const float *,
                       int, float, float *, int, bool, float4 *, int *);

/* Whether the rows of X can be moved in float4. */
static bool is_vec4(const float *X, int ld, int columns)
{
    return (uintptr_t)X % sizeof(float4) == 0 && ld % 4 == 0 && columns % 4 == 0;
}

int card_read(struct card *card)
{
    int device;
    cudaError_t err = cudaGetDevice(&device);
    if (err == cudaSuccess)
        err = cudaDeviceGetAttribute(&card->sms, cudaDevAttrMultiProcessorCount, device);
    if (err == cudaSuccess)
        err = cudaDeviceGetAttribute(&card->smem_block, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                     device);
    if (err == cudaSuccess)
        err = cudaDeviceGetAttribute(&card->smem_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor,
                                     device);
    return err;
}

/* Starts the copy of X to rows of whole float4 at Y. */
static cudaError_t start_pack(int rows, int columns, const float **X, int *ld, float *Y,
                              cudaStream_t stream)
{
    const int ld_y = (int)PLAN_PITCH(columns);
    pack<<<min(rows, 65535), PACK_THREADS, 0, stream>>>(rows, columns, *X, *ld, Y, ld_y);
    *X = Y;
    *ld = ld_y;
    return cudaGetLastError();
}

/* Runs the plan; the workspace is NULL where the plan needs none. */
static cudaError_t run(const struct plan *plan, int M, int N, int K, float alpha, const float *A,
                       int lda, const float *B, int ldb, float beta, float *C, int ldc,
                       char *workspace, cudaStream_t stream)
{
    const struct kernel_info *info = &sgemm_kernels[2 * plan->variant + !plan->vec4];
    kernel_fn *const kernel = (kernel_fn *)info->func;
    cudaError_t err =
        cudaFuncSetAttribute(info->func, cudaFuncAttributeMaxDynamicSharedMemorySize, info->smem);
    int *flags = (int *)(workspace + plan->partial_bytes);
    if (err == cudaSuccess && plan->schedule.tail_blocks > 0)
        err = cudaMemsetAsync(flags, 0, plan->schedule.tail_blocks * sizeof *flags, stream);
    if (err == cudaSuccess && plan->pack) {
        float *packed = (float *)(workspace + plan->partial_bytes + plan->flag_bytes);
        err = start_pack(M, K, &A, &lda, packed, stream);
        if (err == cudaSuccess)
            err = start_pack(K, N, &B, &ldb, packed + (size_t)M * lda, stream);
    }
    if (err != cudaSuccess)
        return err;
    kernel<<<(unsigned)plan->blocks, info->threads, info->smem, stream>>>(
        plan->schedule, plan->M, plan->N, K, alpha, A, lda, B, ldb, beta, C, ldc,
        is_vec4(C, ldc, plan->N), (float4 *)workspace, flags);
    err = cudaGetLastError();
    if (err != cudaSuccess || (plan->M == M && plan->N == N))
        return err;
    const int row_blocks = plan->M < M ? (N + 31) / 32 : 0;
    const int column_blocks = plan->N < N ? (plan->M + THIN_ROWS - 1) / THIN_ROWS : 0;
    thin<<<row_blocks + column_blocks, THIN_THREADS, 0, stream>>>(
        M, N, K, plan->M, plan->N, row_blocks, alpha, A, lda, B, ldb, beta, C, ldc);
    return cudaGetLastError();
}

cudaError_t sgemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                  int ldb, float beta, float *C, int ldc, cudaStream_t stream)
{
    if (M == 0 || N == 0)
        return cudaSuccess;
    if (alpha == 0.0f)
        K = 0; /* A and B must not be read */
    struct card card;
    cudaError_t err = (cudaError_t)card_read(&card);
    if (err != cudaSuccess)
        return err;
    const struct plan plan = plan_make(M, N, K, is_vec4(A, lda, K) && is_vec4(B, ldb, N), &card);
    if (plan.variant < 0 || plan.blocks > 2147483647)
        return cudaErrorInvalidConfiguration;

    char *workspace = NULL;
    const size_t bytes = plan.partial_bytes + plan.flag_bytes + plan.packed_bytes;
    if (bytes > 0)
        err = cudaMallocAsync((void **)&workspace, bytes, stream);
    if (err != cudaSuccess)
        return err;
    err = run(&plan, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc, workspace, stream);
    if (workspace) {
        const cudaError_t freed = cudaFreeAsync(workspace, stream);
        err = err == cudaSuccess ? freed : err;
    }
    return err;
}
