"""The exceptions of the module. Their text is one line for people: what is wrong, where, what to do."""


class Error(Exception):
    """The base of the others; raised itself for a fault of stepscope."""


class InputError(Error):
    """The input cannot be read, or nothing in it is usable."""


class UsageError(Error, ValueError):
    """Wrong arguments, or a question the profile cannot answer."""


# By stepscope_status of capi/stepscope.h.
BY_STATUS = {1: InputError, 2: InputError, 3: InputError, 4: InputError, 6: UsageError, 7: MemoryError}
