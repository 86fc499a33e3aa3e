/* What odd sizes need: rows of whole float4, and the few rows and columns beyond the last tile. */
#ifndef EDGES_CUH
#define EDGES_CUH

enum {
    PACK_THREADS = 256,
    THIN_THREADS = 256,
    THIN_WARPS = THIN_THREADS / 32,
    THIN_ROWS = 32,
    THIN_K = 1024
};

/* Y = X with rows of ld_y floats; zeros beyond the columns of X. */
static __global__ void __launch_bounds__(PACK_THREADS)
    pack(int rows, int columns, const float *__restrict__ X, int ld, float *__restrict__ Y,
         int ld_y)
{
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        const float *x = &X[(size_t)r * ld];
        float *y = &Y[(size_t)r * ld_y];
#pragma unroll 4
        for (int c = threadIdx.x; c < ld_y; c += PACK_THREADS)
            y[c] = c < columns ? x[c] : 0.0f;
    }
}

static __device__ __forceinline__ void put(float *c, float v, float beta)
{
    *c = beta == 0.0f ? v : v + beta * *c;
}

/* The outputs at or below row M0 (blocks 0..row_blocks-1), then those right of column N0 above it,
 * as dot products.  In the rows a warp has every THIN_WARPS-th k of 32 columns; in the columns a
 * warp has every k of THIN_ROWS / THIN_WARPS rows. */
static __global__ void __launch_bounds__(THIN_THREADS)
    thin(int M, int N, int K, int M0, int N0, int row_blocks, float alpha,
         const float *__restrict__ A, int lda, const float *__restrict__ B, int ldb, float beta,
         float *__restrict__ C, int ldc)
{
    __shared__ float sums[THIN_WARPS][32];
    __shared__ float b_column[THIN_K];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int block = blockIdx.x;

    if (block < row_blocks) {
        const int n = block * 32 + lane;
        for (int m = M0; m < M; m++) {
            float sum = 0.0f;
            if (n < N) {
#pragma unroll 8
                for (int k = warp; k < K; k += THIN_WARPS)
                    sum += A[(size_t)m * lda + k] * B[(size_t)k * ldb + n];
            }
            sums[warp][lane] = sum;
            __syncthreads();
            if (warp == 0 && n < N) {
                float total = 0.0f;
                for (int w = 0; w < THIN_WARPS; w++)
                    total += sums[w][lane];
                put(&C[(size_t)m * ldc + n], alpha * total, beta);
            }
            __syncthreads();
        }
        return;
    }

    enum { ROWS = THIN_ROWS / THIN_WARPS };
    const int first = (block - row_blocks) * THIN_ROWS + warp * ROWS;
    for (int n = N0; n < N; n++) {
        float sum[ROWS] = {};
        for (int k0 = 0; k0 < K; k0 += THIN_K) {
            const int depth = min(K - k0, (int)THIN_K);
            __syncthreads(); /* nobody reads the piece before any more */
            for (int k = threadIdx.x; k < depth; k += THIN_THREADS)
                b_column[k] = B[(size_t)(k0 + k) * ldb + n];
            __syncthreads();
#pragma unroll 4
            for (int k = lane; k < depth; k += 32) {
                const float b = b_column[k];
#pragma unroll
                for (int i = 0; i < ROWS; i++)
                    sum[i] += A[(size_t)min(first + i, M0 - 1) * lda + k0 + k] * b;
            }
        }
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            for (int step = 16; step > 0; step /= 2)
                sum[i] += __shfl_xor_sync(0xffffffffu, sum[i], step);
            if (lane == 0 && first + i < M0)
                put(&C[(size_t)(first + i) * ldc + n], alpha * sum[i], beta);
        }
    }
}

#endif
