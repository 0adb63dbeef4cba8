"""Asks a window that the user has open to show something, through its socket.

The user allows it in the window (Tools > Let agents move this window). The socket lies in $XDG_RUNTIME_DIR, which must
be the user's alone, and takes one JSON object a line.
"""

import json
import os
import socket
import stat
import struct

from ._errors import UsageError

SECONDS = 120  # a large profile takes some time to open
MOST = 1 << 20  # bytes of an answer
HOW = "in the window, choose Tools > Let agents move this window"


def _is_mine(path, kind):
    """Whether a path is of a kind, no link, and open to nobody but this user."""
    try:
        facts = os.lstat(path)
    except OSError:
        return False
    return kind(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & 0o077


def _candidates():
    """Sockets of windows, the one that was allowed last first."""
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    if not folder or not _is_mine(folder, stat.S_ISDIR):
        raise UsageError("XDG_RUNTIME_DIR names no folder that is yours alone, where windows have their sockets")
    paths = [os.path.join(folder, name) for name in os.listdir(folder)
             if name.startswith("stepscope-") and name.endswith(".sock")]
    return sorted((path for path in paths if _is_mine(path, stat.S_ISSOCK)), key=os.path.getmtime, reverse=True)


def _connected():
    for path in _candidates():
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(SECONDS)
        try:
            connection.connect(path)
            _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        except OSError:  # of a window that crashed
            connection.close()
            continue
        if user == os.geteuid():
            return connection
        connection.close()
    raise UsageError(f"no open window lets agents move it: {HOW}")


def ask(request):
    """Sends a dict and returns the answer of the window, a dict. UsageError says why it cannot show that."""
    with _connected() as connection:
        try:
            connection.sendall(json.dumps(request).encode() + b"\n")
            answer = b""
            while not answer.endswith(b"\n") and len(answer) < MOST:
                more = connection.recv(65536)
                if not more:
                    break
                answer += more
            said = json.loads(answer)
        except (OSError, ValueError):
            raise UsageError(f"the window did not answer; if it was closed, or agents were ended there: {HOW}") from None
    if not said.pop("ok", False):
        raise UsageError(said.get("error", "the window cannot show that"))
    return said
