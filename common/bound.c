/* How far an FP32 result may be from the reference. */
#include "backend.h"
#include <float.h>

/* Unit roundoff of FP32: the largest relative error of one rounding. */
#define UNIT 0x1p-24

/* A sum of K products in FP32 errs by at most about K*u*magnitude: each of the K roundings errs by
 * at most u times the partial sum.  That worst case is reached by no data with mixed signs: there
 * partial sums grow as sqrt(k), their roundings differ in sign, and the error is near
 * 0.4*u*magnitude at any K (tests/unit_bound.c).  So the bound grows as the worst case up to
 * GROWTH_MAX and stays there.  TF32 inputs err by 2^-11 a product instead of 2^-24, which sums to
 * some 5000/sqrt(K) times u*magnitude: far above the bound up to K = 65536 and beyond. */
#define GROWTH_MAX 12.0

/* Roundings besides the sum's: of alpha*acc, of beta*c, of their sum. */
#define EPILOGUE 3.0

double error_bound(const struct problem *p, double magnitude)
{
    /* Sums of integers below 2^24 are exact in any order. */
    const bool integers =
        p->opt->data == DATA_INTEGERS && truncf(p->alpha) == p->alpha && truncf(p->beta) == p->beta;
    if (integers && magnitude < 0x1p24)
        return 0.0;
    const double growth = p->shape.K < GROWTH_MAX ? p->shape.K : GROWTH_MAX;
    /* Near the smallest FP32 numbers a rounding errs by an absolute amount. */
    return (growth + EPILOGUE) * UNIT * magnitude + 2 * (double)FLT_TRUE_MIN;
}

bool agrees(float got, double expected, double magnitude, double bound)
{
    if (isnan(expected))
        return isnan(got);
    if (isinf(expected))
        return got == expected;
    if (magnitude + bound > FLT_MAX && !isfinite(got))
        return true; /* FP32 may overflow on the way, and then anything may follow */
    return fabs(got - expected) <= bound;
}
