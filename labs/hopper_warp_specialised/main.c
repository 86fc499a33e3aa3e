/* hopper_warp_specialised: what the kernel predicts, then the run, as in a step. */
#include "../../common/harness.h"
#include <stdio.h>
#include <stdlib.h>

static int attribute(enum cudaDeviceAttr attr)
{
    int device = 0, value = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&value, attr, device) != cudaSuccess) {
        fprintf(stderr, "hopper_warp_specialised: the device's attributes cannot be read\n");
        exit(EXIT_DEVICE);
    }
    return value;
}

/* The machine code is for one kind of chip, and no PTX could be translated to another. */
static void skip_unless_hopper(void)
{
    const int major = attribute(cudaDevAttrComputeCapabilityMajor);
    const int minor = attribute(cudaDevAttrComputeCapabilityMinor);
    if (major == 9 && minor == 0)
        return;
    printf("hopper_warp_specialised: skipped: it needs compute capability 9.0 (H100, H200, GH200), "
           "this device has %d.%d\n",
           major, minor);
    exit(EXIT_PASS);
}

/* The figures of a whole tile and of a computing thread. */
static void predict(const struct problem *p, struct prediction *out)
{
    const struct kernel_info *kernel = &sgemm_kernels[0];
    const double tiles = ceil_div(p->shape.M, kernel->bm) * ceil_div(p->shape.N, kernel->bn);
    const double sms = attribute(cudaDevAttrMultiProcessorCount);
    const double K = p->shape.K;

    *out = (struct prediction){
        .kernel = kernel,
        .blocks = fmin(tiles, sms),
        .global_floats = K / kernel->bm + K / kernel->bn + (p->beta == 0.0f ? 1 : 2),
        .shared_loads = (kernel->tm + kernel->tn) / 4.0 / (kernel->tm * kernel->tn),
        .shared_stores = 0,
        .load_sectors = NAN, /* the copy engine's, not a warp's */
        .store_sectors = NAN,
        .load_passes = 2,
        .store_passes = 1,
        .conflicts = 0,
        .barriers = 1,
    };
}

int main(int argc, char **argv)
{
    static struct options opt;
    options_parse(&opt, "hopper_warp_specialised", argc, argv);
    device_open(&opt);
    skip_unless_hopper();
    launch_table(&opt, predict);
    for (int i = 0; i < opt.num_shapes; i++) {
        struct problem p;
        problem_create(&p, &opt, i);
        reference_compute(&p);
        const bool passed = check(&p);
        measure_and_report(&p, predict, passed);
        problem_destroy(&p);
    }
    return finish(&opt);
}
