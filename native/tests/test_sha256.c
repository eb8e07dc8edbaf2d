/* Vectors of FIPS 180-4, and that the way a message is cut into pieces doesn't matter. */
#include "sha256.h"

#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static void hex_of(const char *message, size_t bytes, size_t piece, char hex[65])
{
    struct sha256 context;
    unsigned char digest[32];
    sha256_init(&context);
    for (size_t done = 0; done < bytes; done += piece)
        sha256_update(&context, message + done, bytes - done < piece ? bytes - done : piece);
    sha256_final(&context, digest);
    sha256_hex(digest, hex);
}

static void published_vectors(void)
{
    static const struct {
        const char *message, *hex;
    } vectors[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        char hex[65];
        hex_of(vectors[i].message, strlen(vectors[i].message), 64, hex);
        CHECK_TEXT(hex, vectors[i].hex);
    }
    char *million = malloc(1000000), hex[65];
    memset(million, 'a', 1000000);
    hex_of(million, 1000000, 1000000, hex);
    CHECK_TEXT(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

static void pieces_do_not_matter(void)
{
    char message[300], whole[65], cut[65];
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (char)(i * 7);
    for (size_t bytes = 0; bytes <= sizeof message; bytes++) {
        hex_of(message, bytes, sizeof message, whole);
        for (size_t piece = 1; piece <= 130; piece += 43) {
            hex_of(message, bytes, piece, cut);
            CHECK_TEXT(cut, whole);
        }
    }
}

static void files(void)
{
    char path[] = "/tmp/ngcc_test_sha256.XXXXXX", hex[65];
    int file = mkstemp(path);
    CHECK(write(file, "abc", 3) == 3);
    close(file);
    CHECK(sha256_file(path, hex) == NULL);
    CHECK_TEXT(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    unlink(path);
    CHECK_TEXT(sha256_file(path, hex), "No such file or directory");
    CHECK_TEXT(sha256_file("/tmp", hex), "not a regular file");
    CHECK_TEXT(sha256_file("/dev/zero", hex), "not a regular file");
}

int main(void)
{
    published_vectors();
    pieces_do_not_matter();
    files();
    return failures != 0;
}
