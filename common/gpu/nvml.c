/* NVML without its header and its library at build time: neither belongs to every toolkit. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "nvml.h"
#include "../backend.h"
#include "gpu.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define PERIOD_MS 10

/* From nvml.h: numbers that the interface keeps. */
enum { NVML_CLOCK_SM = 1, NVML_TEMPERATURE_GPU = 0, NVML_FI_DEV_POWER_INSTANT = 186 };

struct field {
    unsigned id, scope;
    long long timestamp, latency;
    int type, status;
    union {
        double d;
        unsigned ui;
        unsigned long long ull;
    } value;
};

static int (*clock_info)(void *, int, unsigned *);
static int (*power_usage)(void *, unsigned *);
static int (*field_values)(void *, int, struct field *);
static int (*temperature)(void *, int, unsigned *);
static int (*throttle_reasons)(void *, unsigned long long *);
static void *device;

static pthread_t thread;
static bool stop;
static struct sensors *readings;
static int num_readings;

/* C has no conversion from an object pointer to a function pointer; POSIX says that they are alike.
 */
static void find(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
}

const char *nvml_open(void)
{
    static char why[160];
    int (*init)(void), (*by_bus)(const char *, void **);
    char bus[32];
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (!library)
        return "libnvidia-ml.so.1 was not found; it comes with the NVIDIA driver";
    find(library, "nvmlInit_v2", &init);
    find(library, "nvmlDeviceGetHandleByPciBusId_v2", &by_bus);
    find(library, "nvmlDeviceGetClockInfo", &clock_info);
    find(library, "nvmlDeviceGetPowerUsage", &power_usage);
    find(library, "nvmlDeviceGetFieldValues", &field_values);
    find(library, "nvmlDeviceGetTemperature", &temperature);
    find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", &throttle_reasons);
    if (!init || !by_bus)
        return "libnvidia-ml.so.1 lacks nvmlInit_v2; a newer driver has it";
    int status = init();
    CUDA_CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, gpu.device));
    if (status == 0)
        status = by_bus(bus, &device);
    if (status == 0)
        return NULL;
    snprintf(why, sizeof why, "NVML knows no card at %s (status %d)", bus, status);
    return why;
}

/* Of this moment where the card tells it, else the mean of the last second. */
static double read_watts(void)
{
    struct field f = {.id = NVML_FI_DEV_POWER_INSTANT};
    unsigned milliwatts;
    if (field_values && field_values(device, 1, &f) == 0 && f.status == 0)
        return f.value.ui * 1e-3;
    return power_usage && power_usage(device, &milliwatts) == 0 ? milliwatts * 1e-3 : NAN;
}

struct sensors nvml_read(void)
{
    struct sensors s = {NAN, read_watts(), NAN, 0};
    unsigned value;
    if (clock_info && clock_info(device, NVML_CLOCK_SM, &value) == 0)
        s.mhz = value;
    if (temperature && temperature(device, NVML_TEMPERATURE_GPU, &value) == 0)
        s.celsius = value;
    if (!throttle_reasons || throttle_reasons(device, &s.throttled) != 0)
        s.throttled = 0;
    return s;
}

static void *read_on(void *unused)
{
    const struct timespec period = {0, PERIOD_MS * 1000000};
    int room = 0;
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        if (num_readings == room) {
            room = room ? 2 * room : 256;
            readings = realloc(readings, (size_t)room * sizeof *readings);
            if (!readings)
                die(EXIT_DEVICE, "no memory for %d readings of the sensors", room);
        }
        readings[num_readings++] = nvml_read();
        nanosleep(&period, NULL);
    }
    return unused;
}

void nvml_begin(void)
{
    stop = false;
    num_readings = 0;
    readings = NULL;
    if (pthread_create(&thread, NULL, read_on, NULL))
        die(EXIT_DEVICE, "no thread could be started to read the sensors");
}

struct sensors nvml_end(void)
{
    struct sensors mean = {0};
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    const int first = num_readings / 2, count = num_readings - first;
    for (int i = first; i < num_readings; i++) {
        mean.mhz += readings[i].mhz / count;
        mean.watts += readings[i].watts / count;
        mean.celsius += readings[i].celsius / count;
        mean.throttled |= readings[i].throttled;
    }
    free(readings);
    return count ? mean : nvml_read();
}

void nvml_throttle_text(unsigned long long throttled, char *out, size_t size)
{
    /* An idle card and clocks that somebody set hold nothing down. */
    static const struct {
        unsigned bit;
        const char *name;
    } reasons[] = {{0x4, "power cap"}, {0x8, "hardware"},       {0x10, "sync boost"},
                   {0x20, "heat"},     {0x40, "hardware heat"}, {0x80, "power brake"},
                   {0x100, "display"}};
    size_t at = 0;
    snprintf(out, size, "no");
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (throttled & reasons[i].bit && at < size)
            at += (size_t)snprintf(out + at, size - at, "%s%s", at ? "+" : "", reasons[i].name);
}
