"""Stage host: what machine is this, and is it fit to measure?"""
