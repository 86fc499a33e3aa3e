/* The device: opened, named, and its theoretical rates. */
#include "../backend.h"
#include "gpu.h"
#include <stdlib.h>
#include <string.h>

struct gpu gpu;

/* cudaDriverGetVersion tells which CUDA the driver serves; its own version is in /proc. */
static void driver_version(char *out, size_t size)
{
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    char line[256] = "";
    const char *found = NULL;
    if (file) {
        found = fgets(line, sizeof line, file) ? strstr(line, "  ") : NULL;
        fclose(file);
    }
    for (const char *word = found; word; word = strchr(word + 1, ' '))
        if (word[1] >= '0' && word[1] <= '9') {
            snprintf(out, size, "%.*s", (int)strcspn(word + 1, " \n"), word + 1);
            return;
        }
    snprintf(out, size, "unknown");
}

static void version_text(int version, char *out, size_t size)
{
    snprintf(out, size, "%d.%d", version / 1000, version % 1000 / 10);
}

static void no_device(cudaError_t status)
{
    int driver = 0, runtime = 0;
    char driver_text[32], runtime_text[32];
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    version_text(driver, driver_text, sizeof driver_text);
    version_text(runtime, runtime_text, sizeof runtime_text);
    if (driver == 0)
        die(EXIT_DEVICE,
            "no NVIDIA driver was found (%s); install one, or use the CPU emulator: "
            "make BACKEND=emu",
            cudaGetErrorName(status));
    if (driver < runtime)
        die(EXIT_DEVICE,
            "the driver serves CUDA %s, this program was built with CUDA %s (%s); install a newer "
            "driver or build with CUDA %s",
            driver_text, runtime_text, cudaGetErrorName(status), driver_text);
    die(EXIT_DEVICE, "no usable GPU: %s (%s); %s, or use the CPU emulator: make BACKEND=emu",
        cudaGetErrorName(status), cudaGetErrorString(status), cuda_advice(status));
}

static void list_devices(int count)
{
    for (int i = 0; i < count; i++) {
        struct cudaDeviceProp prop;
        CUDA_CHECK(cudaGetDeviceProperties(&prop, i));
        complain("  --device %d: %s (sm_%d%d)", i, prop.name, prop.major, prop.minor);
    }
}

int gpu_attribute(enum cudaDeviceAttr attribute)
{
    int value;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, gpu.device));
    return value;
}

void gpu_open(int device)
{
    int count = 0, runtime;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0)
        no_device(status == cudaSuccess ? cudaErrorNoDevice : status);
    if (device >= count) {
        complain("--device %d does not exist, expected 0 to %d:", device, count - 1);
        list_devices(count);
        exit(EXIT_USAGE);
    }
    CUDA_CHECK(cudaSetDevice(device));

    struct cudaDeviceProp prop;
    CUDA_CHECK(cudaGetDeviceProperties(&prop, device));
    CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    gpu.device = device;
    gpu.cc = 10 * prop.major + prop.minor;
    gpu.sms = prop.multiProcessorCount;
    snprintf(gpu.name, sizeof gpu.name, "%s", prop.name);
    for (int i = 0; i < 16; i++)
        snprintf(&gpu.uuid[2 * i], 3, "%02x", (unsigned char)prop.uuid.bytes[i]);
    driver_version(gpu.driver, sizeof gpu.driver);
    version_text(runtime, gpu.cuda, sizeof gpu.cuda);
    if (gpu.cc < 75)
        die(EXIT_DEVICE, "%s is sm_%d, expected sm_75 or newer; choose another with --device",
            gpu.name, gpu.cc);
    if (!gpu.stream)
        CUDA_CHECK(cudaStreamCreate(&gpu.stream));
    printf("%s (sm_%d, %d SMs, %d MHz, %.1f GiB), driver %s, CUDA %s\n", gpu.name, gpu.cc, gpu.sms,
           gpu_attribute(cudaDevAttrClockRate) / 1000, (double)prop.totalGlobalMem / 0x1p30,
           gpu.driver, gpu.cuda);
}

double gpu_theoretical_flops(void)
{
    /* FP32 cores an SM: 64 on sm_75 and sm_80, 128 on sm_86 and since. */
    const int cores = gpu.cc == 75 || gpu.cc == 80 ? 64 : 128;
    return 2.0 * gpu.sms * cores * gpu_attribute(cudaDevAttrClockRate) * 1e3;
}

double gpu_theoretical_bandwidth(void)
{
    /* Two transfers a clock. */
    return 2.0 * gpu_attribute(cudaDevAttrMemoryClockRate) * 1e3 *
           gpu_attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
}

double gpu_theoretical_shared(void)
{
    /* 32 banks of 4 bytes a clock in each SM. */
    return 128.0 * gpu.sms * gpu_attribute(cudaDevAttrClockRate) * 1e3;
}
