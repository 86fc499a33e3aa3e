/* The baseline: cuBLAS in plain FP32. */
#ifndef CUBLAS_H
#define CUBLAS_H

#include "../backend.h"

/* Opens cuBLAS on first use, prints its version and math mode. */
void cublas_open(void);
const char *cublas_version(void);

/* A path for check_path() and the timing. */
path_fn run_cublas;

#endif
