/* A candidate's shared library: the one function it exports. */
#ifndef NGCC_LIBRARY_H
#define NGCC_LIBRARY_H

#include <stddef.h>

typedef int crypt_hash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits,
                       unsigned char *digest);

/* dlopen with RTLD_NOW | RTLD_LOCAL, so that no call is resolved inside a measurement. Runs constructors of
 * the library: only for processes that hold nothing worth protecting. NULL with a sentence in `why`. */
crypt_hash *library_open(const char *path, char *why, size_t capacity);

#endif
