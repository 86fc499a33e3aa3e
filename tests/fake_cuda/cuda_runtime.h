/* What the harness uses of the CUDA runtime, over malloc(): the unit tests need no GPU and no
 * toolkit.  Stands before the real header on the include path of tests/unit_*.c alone. */
#ifndef FAKE_CUDA_RUNTIME_H
#define FAKE_CUDA_RUNTIME_H

#include <stddef.h>

typedef enum cudaError {
    cudaSuccess,
    cudaErrorInvalidValue,
    cudaErrorMemoryAllocation,
    cudaErrorInvalidConfiguration,
    cudaErrorInsufficientDriver,
    cudaErrorNoDevice,
    cudaErrorInvalidDeviceFunction,
    cudaErrorNoKernelImageForDevice,
    cudaErrorIllegalAddress,
    cudaErrorLaunchOutOfResources,
    cudaErrorMisalignedAddress,
    cudaErrorLaunchFailure,
} cudaError_t;
typedef struct fake_stream *cudaStream_t;
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };

/* What cudaMemGetInfo() calls free, and what cudaDeviceSynchronize() returns. */
extern size_t fake_free_bytes;
extern cudaError_t fake_sync_status;

cudaError_t cudaMalloc(void **p, size_t bytes);
cudaError_t cudaFree(void *p);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaGetLastError(void);
const char *cudaGetErrorName(cudaError_t status);
const char *cudaGetErrorString(cudaError_t status);

#endif
