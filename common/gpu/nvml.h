/* The card's own sensors, by NVML: loaded at run time, since some machines lack it. */
#ifndef NVML_H
#define NVML_H

#include <stddef.h>

struct sensors {
    double mhz;                   /* clock of the SMs */
    double watts;                 /* of the board */
    double celsius;               /* of the chip */
    unsigned long long throttled; /* bits: what held the clock down */
};

/* Finds the sensors of the device in use.  Returns NULL, or why there are none. */
const char *nvml_open(void);
/* One reading; what a card does not tell is NaN. */
struct sensors nvml_read(void);
/* Readings each few milliseconds by a thread of their own, until the end; the mean of the second
 * half, when the sensors have settled, and every bit that was seen. */
void nvml_begin(void);
struct sensors nvml_end(void);
/* "power cap+hot", or "no". */
void nvml_throttle_text(unsigned long long throttled, char *out, size_t size);

#endif
