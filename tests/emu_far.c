/* Matrices whose rows lie so far apart that offsets pass 2^31 elements; memory that is not touched
 * costs nothing.  tests/emu_cases.t builds this in the place of a step's main.c. */
#include "../common/emu/emu.h"
#include <stdlib.h>

enum { M = 5, N = 4, K = 5, LD = (1 << 29) + 4 };

static float *device_alloc(int rows, int cols)
{
    float *p;
    CUDA_CHECK(cudaMalloc((void **)&p, ((size_t)(rows - 1) * LD + (size_t)cols) * sizeof *p));
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            p[(size_t)r * LD + (size_t)c] = (float)(r * 7 + c * 3 + cols);
    return p;
}

int main(int argc, char **argv)
{
    static struct options opt;
    options_parse(&opt, "far", argc, argv);
    device_open(&opt);
    float *A = device_alloc(M, K), *B = device_alloc(K, N), *C = device_alloc(M, N);
    double expected[M][N];
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            expected[m][n] = 3.0 * (double)C[(size_t)m * LD + (size_t)n];
            for (int k = 0; k < K; k++)
                expected[m][n] += 2.0 * (double)A[(size_t)m * LD + (size_t)k] *
                                  (double)B[(size_t)k * LD + (size_t)n];
        }
    CUDA_CHECK(sgemm(M, N, K, 2.0f, A, LD, B, LD, 3.0f, C, LD, 0));
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++)
            if ((double)C[(size_t)m * LD + (size_t)n] != expected[m][n])
                die(EXIT_WRONG, "C[%d][%d] is %g, expected %g", m, n,
                    (double)C[(size_t)m * LD + (size_t)n], expected[m][n]);
    return finish(&opt);
}
