/* The parts of the GPU backend. */
#ifndef GPU_H
#define GPU_H

#include <cuda_runtime.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The device in use. */
struct gpu {
    int device;
    int cc; /* compute capability: 90 for 9.0 */
    int sms;
    char name[256], driver[64], cuda[32], uuid[40];
    cudaStream_t stream;
    bool watch; /* --watch: read the sensors too */
};
extern struct gpu gpu;

/* Opens the device; lists those there are where `device` is none of them; prints its line. */
void gpu_open(int device);
int gpu_attribute(enum cudaDeviceAttr attribute);
/* Blocks of a kernel that an SM holds; 0, and a line that says so, where the card cannot run it. */
int gpu_resident_blocks(const struct kernel_info *k);
/* From units and clocks: FP32 FMA rate, FLOP/s; device memory and shared memory, bytes/s. */
double gpu_theoretical_flops(void);
double gpu_theoretical_bandwidth(void);
double gpu_theoretical_shared(void);

/* ---- kernels of the harness's own (.cu) ---- */

/* FLOP done by one launch of the FMA chain. */
cudaError_t fma_chain_launch(int blocks, int iterations, const float *in, float *out,
                             cudaStream_t stream);
double fma_chain_flop(int blocks, int iterations);

/* Double-precision sum of a*b and of |a*b| for `rows` rows, compact. */
cudaError_t reference_launch(int rows, int N, int K, const float *A, int lda, const float *B,
                             int ldb, double *sum, double *magnitude, cudaStream_t stream);

/* Elements of C that are not within slope * magnitude + least of the sum: added to *wrong. */
cudaError_t compare_launch(size_t count, const float *C, const double *sum, const double *magnitude,
                           double slope, double least, unsigned long long *wrong,
                           cudaStream_t stream);

/* An empty kernel of so many blocks: tells a profiler which path comes next. */
cudaError_t mark_launch(int number, cudaStream_t stream);

/* Reads of shared memory without conflicts; of a buffer that fits L2, past L1.  Bytes a launch. */
cudaError_t shared_read_launch(int blocks, int iterations, float *out, cudaStream_t stream);
cudaError_t l2_read_launch(int blocks, int iterations, const void *in, size_t bytes, float *out,
                           cudaStream_t stream);
double read_bytes(int blocks, int iterations);

#ifdef __cplusplus
}
#endif

#endif
