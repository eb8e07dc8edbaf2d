/* A wide hash from two passes of SM3 over the message, one of them keyed. */
#ifndef PSEUDOHASH_H
#define PSEUDOHASH_H

/* `digest_bits` is 512, 768 or 1024. Returns 0, or 1 for another width. */
int pseudohash(int digest_bits, const unsigned char *msg, unsigned long long msg_bits, unsigned char *digest);

#endif
