"""Stage memory: how much memory does an instance take?"""
