"""What a person can put right."""

from .printable import escaped


class Mistake(Exception):
    """A person's mistake, as one sentence: what was found, where, what was expected, what to do.

    The command line prints it without a traceback and exits 1. Whatever names and texts of strangers are quoted in it,
    it is one line of bounded length that steers no terminal.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(escaped(sentence))
