/* Messages, CUDA statuses and the exit code. */
#include "backend.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *program = "sgemm";
static int worst = EXIT_PASS;

void error_program(const char *name)
{
    program = name;
    worst = EXIT_PASS;
}

const char *error_name(void)
{
    return program;
}

static void print_message(const char *format, va_list arguments)
{
    fflush(stdout); /* the message belongs below what was printed before it */
    fprintf(stderr, "%s: ", program);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
}

void die(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
    exit(code);
}

FILE *file_open(const char *option, const char *name, const char *mode)
{
    FILE *file = fopen(name, mode);
    if (!file)
        die(EXIT_USAGE, "%s %s cannot be opened: %s; give a file in a folder that can be written",
            option, name, strerror(errno));
    return file;
}

void file_close(const char *option, const char *name, FILE *file)
{
    const bool failed = ferror(file);
    if (fclose(file) || failed)
        die(EXIT_DEVICE, "%s %s cannot be written: %s; what came before may be in it", option, name,
            strerror(errno));
}

const char *cuda_advice(cudaError_t status)
{
    switch (status) {
    case cudaErrorMemoryAllocation:
        return "try a smaller --size, or free device memory held by other programs";
    case cudaErrorInsufficientDriver:
        return "install a driver at least as new as the CUDA runtime, or build with an older CUDA";
    case cudaErrorNoDevice:
        return "check that nvidia-smi lists a GPU and that CUDA_VISIBLE_DEVICES does not hide it";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
        return "the program was built for another architecture; build it with `make` where the "
               "card is, or with `make ARCH=sm_90` and the card's own number";
    case cudaErrorInvalidConfiguration:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorInvalidValue:
        return "compare the grid, the threads, the registers and the shared memory in the launch "
               "table with what the card has";
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure:
        return "run the same command under compute-sanitizer to find the line";
    default:
        return "look the name up in the CUDA runtime API's list of errors";
    }
}

void cuda_check(cudaError_t status, const char *expression, const char *file, int line)
{
    if (status != cudaSuccess)
        die(EXIT_DEVICE, "%s:%d: %s gave %s (%s), expected cudaSuccess; %s", file, line, expression,
            cudaGetErrorName(status), cudaGetErrorString(status), cuda_advice(status));
}

void *host_alloc(size_t count, size_t size, const char *what)
{
    void *p = calloc(count ? count : 1, size);
    if (!p)
        die(EXIT_DEVICE,
            "%s needs %.3g GB of host memory, which there is not; try a smaller --size", what,
            (double)count * (double)size / 1e9);
    return p;
}

void exit_code_raise(int code)
{
    if (code > worst)
        worst = code;
}

int exit_code_worst(void)
{
    return worst;
}
