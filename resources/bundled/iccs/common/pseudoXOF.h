/* KDF-SM3 of GB/T 32918.4: SM3(m || 1) || SM3(m || 2) || ..., cut to the width asked for. */
#ifndef PSEUDOXOF_H
#define PSEUDOXOF_H

/* Any width above 0; unused low bits of the digest's last byte are zero. Returns 0, or 1 for another width. */
int pseudoXOF(int digest_bits, const unsigned char *msg, unsigned long long msg_bits, unsigned char *digest);

#endif
