/* Runs one kernel of emu_probe.cu and prints what it cost and a checksum of its result.
 * usage: PROBE=race_warps probe [--size NUMBER] [OPTION ...]; the kernel is told the NUMBER */
#include "../common/emu/emu.h"
#include <stdlib.h>

enum { N = 256, FLOATS = 17 * N };

bool probe(const char *name, float *out, float *in, int number);

int main(int argc, char **argv)
{
    static struct options opt;
    const char *name = getenv("PROBE");
    float host[FLOATS], *in, *out;
    struct totals t;
    options_parse(&opt, name ? name : "probe", argc, argv);
    device_open(&opt);
    for (int i = 0; i < FLOATS; i++)
        host[i] = (float)(i % N);
    CUDA_CHECK(cudaMalloc((void **)&in, 4 * N * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&out, sizeof host));
    CUDA_CHECK(cudaMemcpy(in, host, 4 * N * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(out, 0, sizeof host));
    if (!name || !probe(name, out, in, opt.shapes[0].N))
        die(EXIT_USAGE, "PROBE must name a kernel of emu_probe.cu that can be launched");
    CUDA_CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (int i = 0; i < 16 * N; i++)
        sum += host[i];
    cost_totals(&t);
    printf("sum %g sectors %g requests %g passes %g requests %g conflicts %g\n", sum,
           t.passes[0][0], t.requests[0][0], t.passes[1][0], t.requests[1][0], t.conflicts);
    return finish(&opt);
}
