/* A step's program, run once for each line of standard input, which is its command line: a process
 * that uses a GPU takes longer to start than most cases take.  cases.sh puts this file behind the
 * step's main.c, whose main() is called step_main() there.  Prints "case CODE LINE" after each.
 * usage: cases PROGRAM    PROGRAM: what messages shall call it */
#include "../common/backend.h"
#include <string.h>

/* Offsets past 2^31 in A, B and C: rows so far apart; memory that is not touched costs nothing. */
enum { M = 5, N = 4, K = 5, LD = (1 << 29) + 4 };

static float *far_matrix(int rows, int cols)
{
    float *p, row[K];
    CUDA_CHECK(cudaMalloc((void **)&p, ((size_t)(rows - 1) * LD + (size_t)cols) * sizeof *p));
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++)
            row[c] = (float)(r * 7 + c * 3 + cols);
        CUDA_CHECK(cudaMemcpy(p + (size_t)r * LD, row, (size_t)cols * sizeof *row,
                              cudaMemcpyHostToDevice));
    }
    return p;
}

static void read_row(float *row, const float *p, int r, int cols)
{
    CUDA_CHECK(
        cudaMemcpy(row, p + (size_t)r * LD, (size_t)cols * sizeof *row, cudaMemcpyDeviceToHost));
}

static int far_apart(void)
{
    float *A = far_matrix(M, K), *B = far_matrix(K, N), *C = far_matrix(M, N);
    float a[K], b[K][N], before[M][N], c[N];
    int code = EXIT_PASS;
    for (int k = 0; k < K; k++)
        read_row(b[k], B, k, N);
    for (int m = 0; m < M; m++)
        read_row(before[m], C, m, N);
    CUDA_CHECK(sgemm(M, N, K, 2.0f, A, LD, B, LD, 3.0f, C, LD, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int m = 0; m < M; m++) {
        read_row(a, A, m, K);
        read_row(c, C, m, N);
        for (int n = 0; n < N; n++) {
            double expected = 3.0 * (double)before[m][n]; /* small integers: exact */
            for (int k = 0; k < K; k++)
                expected += 2.0 * (double)a[k] * (double)b[k][n];
            if ((double)c[n] != expected) {
                complain("C[%d][%d] is %g, expected %g", m, n, (double)c[n], expected);
                code = EXIT_WRONG;
            }
        }
    }
    CUDA_CHECK(cudaFree(A));
    CUDA_CHECK(cudaFree(B));
    CUDA_CHECK(cudaFree(C));
    return code;
}

int main(int argc, char **argv)
{
    enum { MAX_WORDS = 32 };
    char line[256], copy[256];
    while (argc == 2 && fgets(line, sizeof line, stdin)) {
        char *words[MAX_WORDS + 1] = {argv[1]};
        int n = 1;
        line[strcspn(line, "\n")] = '\0';
        strcpy(copy, line);
        for (char *word = strtok(copy, " "); word && n < MAX_WORDS; word = strtok(NULL, " "))
            words[n++] = word;
        const int code = strcmp(line, "far apart") == 0 ? far_apart() : step_main(n, words);
        printf("case %d %s\n", code, line);
        fflush(stdout);
    }
    return EXIT_PASS;
}
