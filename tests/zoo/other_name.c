/* A library without CryptHash. */
int crypt_hash(void)
{
    return 0;
}
