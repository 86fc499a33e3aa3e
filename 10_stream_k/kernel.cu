/* 10_stream_k: a plan for each shape.
 *
 * Change: the host chooses among tiles of several shapes and deals them to the SMs (plan.c).  Full
 * waves stay whole tiles; the tiles of the last, partial wave are cut along K, so that all SMs have
 * about the same to do.  Blocks leave the sums of their pieces in global memory, and a second
 * kernel, the fix-up, adds them, always in the same order.  Small shapes take small tiles on
 * which groups of warps share each slice (tile.cuh).  Odd sizes are brought to rows of whole float4
 * first (edges.cuh), so that there is one main loop.
 * Cost: the fix-up, one more round trip of a tile through L2; up to three launches instead of one.
 */
#include "../common/sgemm.h"
#include "edges.cuh"
#include "plan.h"
#include "tile.cuh"

extern __shared__ float smem[];

template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int GROUPS, int STAGES,
          int BLOCKS>
static __global__ void __launch_bounds__(PLAN_THREADS(BM, BN, TM, TN, GROUPS), BLOCKS)
    stream_k(struct schedule schedule, struct source source, float alpha, float beta, float *C,
             int ldc, bool c_vec4, float *partials)
{
    typedef tile<BM, BN, BK, WM, WN, TM, TN, GROUPS, STAGES> T;
    const struct piece piece = schedule_piece(&schedule, blockIdx.x);
    const int block_m = piece.tile / schedule.tiles_n * BM;
    const int block_n = piece.tile % schedule.tiles_n * BN;
    float acc[TM][TN];
    T::compute(smem, acc, &source, block_m, block_n, schedule.slices, piece.first, piece.last);
    if (piece.last - piece.first == schedule.slices)
        T::store(smem, acc, alpha, block_m, block_n, source.M, source.N, beta, C, ldc, c_vec4);
    else
        T::store(smem, acc, alpha, 0, 0, BM, BN, 0.0f,
                 partials + (size_t)(blockIdx.x - schedule.whole) * (BM * BN), BN, true);
}

/* The tiles that were cut: C = the sum of the pieces + beta * C.  A thread has 4 outputs. */
static __global__ void __launch_bounds__(PLAN_FIX_UP_THREADS)
    fix_up(struct schedule schedule, int bm, int bn, int M, int N, float beta, float *C, int ldc,
           bool c_vec4, const float *partials)
{
    const int64_t at = (int64_t)blockIdx.x * PLAN_FIX_UP_THREADS + threadIdx.x;
    const int tile = (int)(at / (bm * bn / 4)), e = (int)(at % (bm * bn / 4)) * 4;
    const float *from = partials + (size_t)tile * (bm * bn) + e;
    const size_t step = (size_t)schedule.tail_tiles * (bm * bn);
    const int pieces = schedule_pieces(&schedule);
    const int block_m = (schedule.whole + tile) / schedule.tiles_n * bm;
    const int block_n = (schedule.whole + tile) % schedule.tiles_n * bn;
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 4
    for (int i = 0; i < pieces; i++)
        add4(sum, *(const float4 *)&from[i * step]);
    store4(C, ldc, block_m + e / bn, block_n + e % bn, M, N, sum, beta, c_vec4);
}

/* In the order of plan_variants[]. */
#define ROW(BM, BN, BK, WM, WN, TM, TN, GROUPS, STAGES, BLOCKS, RATE, ALONE, START)                \
    {"stream_k<" #BM "x" #BN "x" #BK ">",                                                          \
     (const void *)stream_k<BM, BN, BK, WM, WN, TM, TN, GROUPS, STAGES, BLOCKS>,                   \
     PLAN_THREADS(BM, BN, TM, TN, GROUPS),                                                         \
     PLAN_SMEM(BM, BN, BK, GROUPS, STAGES),                                                        \
     BM,                                                                                           \
     BN,                                                                                           \
     BK,                                                                                           \
     TM,                                                                                           \
     TN,                                                                                           \
     STAGES,                                                                                       \
     4},

const struct kernel_info sgemm_kernels[] = {
    /* name, func, threads, smem, bm, bn, bk, tm, tn, stages, width */
    VARIANTS(ROW){},
};

typedef void kernel_fn(struct schedule, struct source, float, float, float *, int, bool, float *);

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

/* Freed memory stays with the pool: to map it anew after every synchronisation takes longer than
 * many a product. */
static cudaError_t keep_memory(void)
{
    static int kept = -1; /* the device for which this is done */
    int device;
    cudaMemPool_t pool;
    uint64_t all = UINT64_MAX;
    cudaError_t err = cudaGetDevice(&device);
    if (err != cudaSuccess || device == kept)
        return err;
    err = cudaDeviceGetDefaultMemPool(&pool, device);
    if (err == cudaSuccess)
        err = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all);
    if (err == cudaSuccess)
        kept = device;
    return err;
}

/* Copies A and B to where their rows are float4, and does the outputs beyond the tiles. */
static cudaError_t run_edges(const struct plan *plan, int M, int N, struct source *s, float alpha,
                             float beta, float *C, int ldc, char *workspace, cudaStream_t stream)
{
    float *packed_A = plan->pack_A ? (float *)(workspace + plan->partial_bytes) : NULL;
    float *packed_B =
        plan->pack_B ? (float *)(workspace + plan->partial_bytes + plan->packed_A_bytes) : NULL;
    struct edges e = {M,
                      N,
                      s->K,
                      plan->M,
                      plan->N,
                      alpha,
                      beta,
                      s->lda,
                      s->ldb,
                      ldc,
                      (int)PLAN_PITCH(s->K),
                      (int)PLAN_PITCH(N),
                      plan->edge_b_blocks};
    const int blocks = plan->edge_b_blocks + plan->edge_a_blocks;
    if (blocks == 0)
        return cudaSuccess;
    finish_edges<<<blocks, EDGE_THREADS, 0, stream>>>(e, s->A, s->B, packed_A, packed_B, C);
    if (packed_A) {
        s->A = packed_A;
        s->lda = e.pitch_A;
    }
    if (packed_B) {
        s->B = packed_B;
        s->ldb = e.pitch_B;
        s->K = PLAN_DEPTH(s->K);
    }
    return cudaGetLastError();
}

/* Runs the plan; the workspace is NULL where the plan needs none. */
static cudaError_t run(const struct plan *plan, int M, int N, struct source s, float alpha,
                       float beta, float *C, int ldc, char *workspace, cudaStream_t stream)
{
    const struct kernel_info *info = &sgemm_kernels[plan->variant];
    kernel_fn *const kernel = (kernel_fn *)info->func;
    const bool c_vec4 = is_vec4(C, ldc, plan->N);
    float *partials = (float *)workspace;
    cudaError_t err =
        cudaFuncSetAttribute(info->func, cudaFuncAttributeMaxDynamicSharedMemorySize, info->smem);
    if (err == cudaSuccess)
        err = run_edges(plan, M, N, &s, alpha, beta, C, ldc, workspace, stream);
    if (err != cudaSuccess)
        return err;
    s.M = plan->M;
    s.N = plan->N;
    kernel<<<(unsigned)plan->blocks, info->threads, info->smem, stream>>>(
        plan->schedule, s, alpha, beta, C, ldc, c_vec4, partials);
    err = cudaGetLastError();
    if (err != cudaSuccess || plan->schedule.tail_tiles == 0)
        return err;
    fix_up<<<plan->fix_up_blocks, PLAN_FIX_UP_THREADS, 0, stream>>>(
        plan->schedule, info->bm, info->bn, plan->M, plan->N, beta, C, ldc, c_vec4, partials);
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
    const struct plan plan = plan_make(M, N, K, is_vec4(A, lda, K), is_vec4(B, ldb, N), &card);
    if (plan.variant < 0 || plan.blocks > 2147483647)
        return cudaErrorInvalidConfiguration;

    char *workspace = NULL;
    const size_t bytes = plan.partial_bytes + plan.packed_A_bytes + plan.packed_B_bytes;
    if (bytes > 0)
        err = keep_memory();
    if (bytes > 0 && err == cudaSuccess)
        err = cudaMallocAsync((void **)&workspace, bytes, stream);
    if (err != cudaSuccess)
        return err;
    const struct source s = {M, N, K, A, lda, B, ldb};
    err = run(&plan, M, N, s, alpha, beta, C, ldc, workspace, stream);
    if (workspace) {
        const cudaError_t freed = cudaFreeAsync(workspace, stream);
        err = err == cudaSuccess ? freed : err;
    }
    return err;
}
