"""Independent models, in plain Python, of the bundled submissions and of the KAT texts.

Written from the standards, so that the C code is compared with something other than itself: `sm3`, `sha2` and
`keccak` hash messages of any length in bits, `helpers` builds pseudoXOF and pseudohash on SM3, `drng` is the
generator, `kat` writes the KAT texts, `instances` says which function belongs to which bundled instance.
`python -m tests.model` writes the manifests.
"""
