/* What the card reaches at most: measured once, kept beside the programs. */
#ifndef PEAK_H
#define PEAK_H

/* FP32 FMA rate, FLOP/s, by a chain of FMAs in registers. */
double peak_measure_flops(void);
/* Device-memory rate, bytes/s read and written, by a copy larger than the L2 cache. */
double peak_measure_bandwidth(void);
/* L2 rate, bytes/s, by reads past L1 of a buffer of a quarter of L2. */
double peak_measure_l2(void);
/* Shared-memory rate, bytes/s, by 16-byte reads without bank conflicts. */
double peak_measure_shared(void);

/* The measured FMA rate of this device: as `make peak` stored it, or measured now.  `program` is
 * argv[0]: the file lies in the folder "peak" beside the program's own. */
double peak_flops(const char *program);
void peak_store(const char *program, double flops);

#endif
