"""What a person can put right."""


class Mistake(Exception):
    """A person's mistake, as one sentence: what was found, where, what was expected, what to do.

    The command line prints it without a traceback and exits 1.
    """
