/* The baseline: cuBLAS in plain FP32. */
#include "cublas.h"
#include "gpu.h"
#include <cublas_v2.h>
#include <stdlib.h>
#include <string.h>

static cublasHandle_t handle;
static char version[32];

#define CUBLAS_CHECK(expression) cublas_check((expression), #expression, __FILE__, __LINE__)

static void cublas_check(cublasStatus_t status, const char *expression, const char *file, int line)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        die(EXIT_DEVICE,
            "%s:%d: %s gave %s (%s), expected CUBLAS_STATUS_SUCCESS; to test the step without "
            "cuBLAS use --check",
            file, line, expression, cublasGetStatusName(status), cublasGetStatusString(status));
}

static const char *math_name(cublasMath_t mode)
{
    switch (mode) {
    case CUBLAS_DEFAULT_MATH:
        return "CUBLAS_DEFAULT_MATH";
    case CUBLAS_TF32_TENSOR_OP_MATH:
        return "CUBLAS_TF32_TENSOR_OP_MATH";
    case CUBLAS_PEDANTIC_MATH:
        return "CUBLAS_PEDANTIC_MATH";
    default:
        return "another math mode";
    }
}

void cublas_open(void)
{
    if (handle)
        return;
    int major, minor, patch;
    cublasMath_t mode;
    CUBLAS_CHECK(cublasCreate(&handle));
    CUBLAS_CHECK(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
    CUBLAS_CHECK(cublasGetMathMode(handle, &mode));
    CUBLAS_CHECK(cublasGetProperty(MAJOR_VERSION, &major));
    CUBLAS_CHECK(cublasGetProperty(MINOR_VERSION, &minor));
    CUBLAS_CHECK(cublasGetProperty(PATCH_LEVEL, &patch));
    snprintf(version, sizeof version, "%d.%d.%d", major, minor, patch);
    printf("cuBLAS %s: cublasGemmEx, CUDA_R_32F, CUBLAS_COMPUTE_32F, %s\n", version,
           math_name(mode));
    const char *override = getenv("NVIDIA_TF32_OVERRIDE");
    if (override && strcmp(override, "0") != 0)
        printf("NVIDIA_TF32_OVERRIDE=%s is set: cuBLAS may round its inputs to TF32, which the "
               "check reports as wrong; unset it for a baseline in FP32\n",
               override);
}

const char *cublas_version(void)
{
    return version;
}

/* Column-major cuBLAS sees row-major A as its transpose, so C' = B'A' is C = AB: swap the two. */
cudaError_t run_cublas(const struct problem *p, cudaStream_t stream)
{
    static cudaStream_t current; /* a new handle is on stream 0 */
    if (stream != current)
        CUBLAS_CHECK(cublasSetStream(handle, stream));
    current = stream;
    CUBLAS_CHECK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, p->shape.N, p->shape.M, p->shape.K,
                              &p->alpha, p->B, CUDA_R_32F, p->ldb, p->A, CUDA_R_32F, p->lda,
                              &p->beta, p->C, CUDA_R_32F, p->ldc, CUBLAS_COMPUTE_32F,
                              CUBLAS_GEMM_DEFAULT));
    return cudaGetLastError();
}
