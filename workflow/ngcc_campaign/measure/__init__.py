"""Stage measure: what a record says of a call, and whether it can be believed. (ngcc_perf writes it.)"""
