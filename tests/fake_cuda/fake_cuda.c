#include "cuda_runtime.h"
#include <stdlib.h>
#include <string.h>

size_t fake_free_bytes = (size_t)1 << 40;
cudaError_t fake_sync_status = cudaSuccess;

cudaError_t cudaMalloc(void **p, size_t bytes)
{
    *p = malloc(bytes);
    return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFree(void *p)
{
    free(p);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    (void)kind;
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    *free_bytes = fake_free_bytes;
    *total_bytes = (size_t)1 << 40;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    const cudaError_t status = fake_sync_status;
    fake_sync_status = cudaSuccess;
    return status;
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

const char *cudaGetErrorName(cudaError_t status)
{
    switch (status) {
    case cudaSuccess:
        return "cudaSuccess";
    case cudaErrorInvalidConfiguration:
        return "cudaErrorInvalidConfiguration";
    case cudaErrorLaunchOutOfResources:
        return "cudaErrorLaunchOutOfResources";
    case cudaErrorIllegalAddress:
        return "cudaErrorIllegalAddress";
    default:
        return "another status";
    }
}

const char *cudaGetErrorString(cudaError_t status)
{
    return status == cudaSuccess ? "no error" : "an error of the fake runtime";
}
