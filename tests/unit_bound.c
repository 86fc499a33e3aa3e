/* The error bound: every FP32 sum stays inside, sums of TF32 inputs do not. */
#include "../common/backend.h"
#include "tap.h"
#include "tf32.h"

#define WORK 3e7 /* products a depth */

static uint64_t state = 1;

static float next_random(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (float)(state >> 40) * 0x1p-23f - 1.0f;
}

static void test_depth(int K)
{
    static const struct options opt = {.data = DATA_RANDOM};
    const struct problem p = {.shape = {1, 1, K}, .alpha = 1, .opt = &opt};
    const int elements = (int)(WORK / K) + 1;
    int fp32_wrong = 0, split_wrong = 0, tf32_wrong = 0;
    double worst = 0;
    for (int i = 0; i < elements; i++) {
        float acc = 0, tf32 = 0, split[4] = {0};
        double sum = 0, magnitude = 0;
        for (int k = 0; k < K; k++) {
            const float a = next_random(), b = next_random();
            acc += a * b; /* two roundings where the compiler does not fuse them: the harder case */
            split[4 * (int64_t)k / K] += a * b;
            tf32 += to_tf32(a) * to_tf32(b);
            sum += (double)a * b;
            magnitude += fabs((double)a * b);
        }
        const double bound = error_bound(&p, magnitude);
        fp32_wrong += !agrees(acc, sum, magnitude, bound);
        split_wrong += !agrees(split[0] + split[1] + split[2] + split[3], sum, magnitude, bound);
        tf32_wrong += !agrees(tf32, sum, magnitude, bound);
        worst = fmax(worst, fabs(acc - sum) / bound);
    }
    ok(fp32_wrong == 0, "K=%d: %d of %d FP32 sums outside the bound; the worst at %.2f of it", K,
       fp32_wrong, elements, worst);
    ok(split_wrong == 0, "K=%d: %d FP32 sums in four parts outside", K, split_wrong);
    ok(tf32_wrong > elements / 10, "K=%d: %d of %d sums of TF32 inputs outside", K, tf32_wrong,
       elements);
}

static bool agree(float got, double expected, double magnitude)
{
    static const struct options opt = {.data = DATA_RANDOM};
    const struct problem p = {.shape = {1, 1, 64}, .alpha = 1, .opt = &opt};
    return agrees(got, expected, magnitude, error_bound(&p, magnitude));
}

static void test_classes(void)
{
    ok(!agree(NAN, 1, 1), "NaN is no number");
    ok(!agree(INFINITY, 1, 1), "infinity is no number");
    ok(agree(NAN, NAN, NAN), "NaN where NaN is expected");
    ok(!agree(1, NAN, NAN), "a number where NaN is expected");
    ok(!agree(INFINITY, NAN, NAN), "infinity where NaN is expected");
    ok(agree(-INFINITY, -INFINITY, INFINITY), "minus infinity where it is expected");
    ok(!agree(INFINITY, -INFINITY, INFINITY), "infinity of the wrong sign");
    ok(!agree(NAN, INFINITY, INFINITY), "NaN where infinity is expected");
    ok(!agree(3e38f, INFINITY, INFINITY), "a number where infinity is expected");
    ok(agree(INFINITY, 1e39, 1e39), "FP32 overflows where double does not");
    ok(!agree(INFINITY, 1e37, 1e37), "infinity far below the overflow");
    ok(!agree(0, 1e39, 1e39), "0 where FP32 overflows");
    ok(agree(0, 1e-46, 1e-46), "FP32 underflows where double does not");
    ok(!agree(0, 1e-40, 1e-40), "a subnormal number is not 0");
    ok(agree(0, 0, 0) && agree(-0.0f, 0, 0), "0 is 0, of either sign");
}

static void test_integers(void)
{
    static const struct options opt = {.data = DATA_INTEGERS};
    struct problem p = {.shape = {1, 1, 4096}, .alpha = 3, .beta = -1, .opt = &opt};
    ok(error_bound(&p, 16777215) == 0, "sums of integers below 2^24 must be exact");
    ok(error_bound(&p, 16777216) > 0, "above, they may round");
    p.alpha = 0.3f;
    ok(error_bound(&p, 1000) > 0, "a broken alpha makes them round");
}

int main(void)
{
    static const int depths[] = {1, 2, 3, 5, 8, 13, 32, 100, 1024, 8192, 65536};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        test_depth(depths[i]);
    test_classes();
    test_integers();
    return tap_done();
}
