/* What odd sizes need before the tiles: rows of whole float4, and the few rows and columns of C
 * beyond the last tile as dot products.  Whoever reads A or B to copy it multiplies on the way. */
#ifndef EDGES_CUH
#define EDGES_CUH

#include "plan.h"

enum {
    EDGE_THREADS = PLAN_EDGE_ROWS * 32,
    EDGE_WARPS = PLAN_EDGE_ROWS,
    EDGE_BATCH = 8, /* loads of a thread that are on their way at once */
    EDGE_COLUMNS = PLAN_EDGE_COLUMNS,
    EDGE_ROWS = EDGE_THREADS / EDGE_COLUMNS,
    EDGE_K = 1024 /* of the columns of B that wait in shared memory */
};

struct edges {
    int M, N, K;
    int M0, N0; /* rows and columns from here on are dot products */
    float alpha, beta;
    int lda, ldb, ldc, pitch_A, pitch_B;
    int b_blocks; /* blocks that read B; the others read A */
};

static __device__ __forceinline__ void put(float *c, float v, float beta)
{
    *c = beta == 0.0f ? v : v + beta * *c;
}

/* A block reads EDGE_COLUMNS columns of B. */
static __device__ __forceinline__ void read_b(const struct edges *e, const float *__restrict__ A,
                                              const float *__restrict__ B, float *__restrict__ to,
                                              float *__restrict__ C)
{
    __shared__ float sums[EDGE_ROWS][PLAN_MAX_THIN][EDGE_COLUMNS];
    const int row = threadIdx.x / EDGE_COLUMNS, column = threadIdx.x % EDGE_COLUMNS;
    const int n = blockIdx.x * EDGE_COLUMNS + column, thin = e->M - e->M0;
    const int depth = to ? PLAN_DEPTH(e->K) : e->K;
    float sum[PLAN_MAX_THIN] = {};
    for (int k0 = row; k0 < depth; k0 += EDGE_BATCH * EDGE_ROWS) {
        float b[EDGE_BATCH];
#pragma unroll
        for (int u = 0; u < EDGE_BATCH; u++) {
            const int k = k0 + u * EDGE_ROWS;
            b[u] = k < e->K && n < e->N ? B[(size_t)k * e->ldb + n] : 0.0f;
        }
        if (to)
#pragma unroll
            for (int u = 0; u < EDGE_BATCH; u++)
                if (k0 + u * EDGE_ROWS < depth)
                    to[(size_t)(k0 + u * EDGE_ROWS) * e->pitch_B + n] = b[u];
#pragma unroll
        for (int t = 0; t < PLAN_MAX_THIN; t++)
            if (t < thin)
#pragma unroll
                for (int u = 0; u < EDGE_BATCH; u++)
                    if (k0 + u * EDGE_ROWS < e->K)
                        sum[t] += A[(size_t)(e->M0 + t) * e->lda + k0 + u * EDGE_ROWS] * b[u];
    }
#pragma unroll
    for (int t = 0; t < PLAN_MAX_THIN; t++)
        sums[row][t][column] = sum[t];
    __syncthreads();
    if (row < thin && n < e->N) {
        float total = 0.0f;
        for (int r = 0; r < EDGE_ROWS; r++)
            total += sums[r][row][column];
        put(&C[(size_t)(e->M0 + row) * e->ldc + n], e->alpha * total, e->beta);
    }
}

/* A warp reads a row of A. */
static __device__ __forceinline__ void read_a(const struct edges *e, const float *__restrict__ A,
                                              const float *__restrict__ B, float *__restrict__ to,
                                              float *__restrict__ C)
{
    __shared__ float b_columns[PLAN_MAX_THIN][EDGE_K];
    const int lane = threadIdx.x % 32, thin = e->N - e->N0;
    const int m = (blockIdx.x - e->b_blocks) * EDGE_WARPS + threadIdx.x / 32;
    const int depth = m >= e->M ? 0 : to ? e->pitch_A : e->K;
    float sum[PLAN_MAX_THIN] = {};
    for (int first = 0; first < (to ? e->pitch_A : e->K); first += EDGE_K) {
        if (thin > 0) {
            __syncthreads(); /* nobody reads the columns before any more */
            for (int k = threadIdx.x; k < EDGE_K; k += EDGE_THREADS)
                for (int t = 0; t < thin; t++)
                    b_columns[t][k] =
                        first + k < e->K ? B[(size_t)(first + k) * e->ldb + e->N0 + t] : 0.0f;
            __syncthreads();
        }
#pragma unroll 1
        for (int at = lane; at < EDGE_K; at += EDGE_BATCH * 32) {
            float a[EDGE_BATCH];
#pragma unroll
            for (int u = 0; u < EDGE_BATCH; u++) {
                const int k = first + at + u * 32;
                a[u] = k < e->K && k < depth ? A[(size_t)m * e->lda + k] : 0.0f;
            }
            if (to)
#pragma unroll
                for (int u = 0; u < EDGE_BATCH; u++)
                    if (first + at + u * 32 < depth)
                        to[(size_t)m * e->pitch_A + first + at + u * 32] = a[u];
#pragma unroll
            for (int t = 0; t < PLAN_MAX_THIN; t++)
                if (t < thin)
#pragma unroll
                    for (int u = 0; u < EDGE_BATCH; u++)
                        if (first + at + u * 32 < e->K)
                            sum[t] += a[u] * b_columns[t][at + u * 32];
        }
    }
#pragma unroll
    for (int t = 0; t < PLAN_MAX_THIN; t++) {
        for (int step = 16; step > 0; step /= 2)
            sum[t] += __shfl_xor_sync(0xffffffffu, sum[t], step);
        if (t < thin && lane == 0 && m < e->M0)
            put(&C[(size_t)m * e->ldc + e->N0 + t], e->alpha * sum[t], e->beta);
    }
}

/* packed_A and packed_B get the copies; NULL: nothing is copied. */
static __global__ void __launch_bounds__(EDGE_THREADS)
    finish_edges(struct edges e, const float *__restrict__ A, const float *__restrict__ B,
                 float *__restrict__ packed_A, float *__restrict__ packed_B, float *__restrict__ C)
{
    if ((int)blockIdx.x < e.b_blocks)
        read_b(&e, A, B, packed_B, C);
    else
        read_a(&e, A, B, packed_A, C);
}

#endif
