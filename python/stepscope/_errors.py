"""What can go wrong, as exceptions. Their text is one line for people: what, where, what to do."""


class Error(Exception):
    """A fault of stepscope itself, and the base of the others."""


class InputError(Error):
    """The input cannot be read, or nothing in it is usable."""


class UsageError(Error, ValueError):
    """Wrong arguments, or a question the profile cannot answer."""


# By stepscope_status of the C header.
BY_STATUS = {1: InputError, 2: InputError, 3: InputError, 4: InputError, 6: UsageError, 7: MemoryError}
