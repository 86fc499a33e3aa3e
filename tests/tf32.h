/* TF32 as a tensor core makes it of an FP32 input. */
#ifndef TF32_H
#define TF32_H

#include <stdint.h>
#include <string.h>

/* To 10 bits behind the point. */
static inline float to_tf32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = (bits + 0x1000u) & ~0x1fffu;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
