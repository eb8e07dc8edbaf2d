/* SM3 (GB/T 32905), 256 bits, any length in bits. */
#ifndef NGCC_SM3_H
#define NGCC_SM3_H

#include <stddef.h>

/* The message's last, partial byte holds its bits at the high end. */
void sm3_bits(const unsigned char *message, unsigned long long bits, unsigned char digest[32]);

#endif
