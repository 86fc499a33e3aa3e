/* The one interface of the ladder: every step's kernel.cu defines these two symbols. */
#ifndef SGEMM_H
#define SGEMM_H

#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Row-major C = alpha*A*B + beta*C.  A is M x K, B is K x N, C is M x N (float), device pointers
 * aligned to 4 bytes; lda >= K, ldb >= N, ldc >= N in elements; 0 <= M, N, K <= SGEMM_MAX_DIM.
 * C is not read when beta == 0; A and B are not read when alpha == 0 or K == 0.  M, N or K of 0 is
 * no error.  Returns the launch's error; asynchronous on `stream`. */
cudaError_t sgemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                  int ldb, float beta, float *C, int ldc, cudaStream_t stream);

/* Row, column and k are int, and a tile may hang over the edge: this much room is left. */
#define SGEMM_MAX_DIM (2147483647 - 1024)

/* A kernel and the constants it was compiled with. */
struct kernel_info {
    const char *name; /* as in the source */
    const void *func; /* for cudaFuncGetAttributes and the occupancy API */
    int threads;      /* threads a block */
    int smem;         /* dynamic shared memory a block, bytes */
    int bm, bn;       /* block tile: bm x bn outputs */
    int bk;           /* depth of a slice of K; 1 where there are no slices */
    int tm, tn;       /* outputs a thread: tm x tn */
    int stages;       /* buffers for slices; 0 without shared memory */
    int width;        /* floats a global load of A and B: 1 or 4 */
};

/* The kernels that this step can launch.  Ends with a row whose name is NULL. */
extern const struct kernel_info sgemm_kernels[];

#ifdef __cplusplus
}
#endif

#endif
