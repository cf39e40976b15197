# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Words of commands that are printed for users to run. Standard library only."""
import os
import re
import shlex


def in_shell(word: str) -> str:
    """A word of a command that is printed. Bytes that are no text have the form that bash and zsh read."""
    if not re.search("[\ud800-\udfff]", word):
        return shlex.quote(word)
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b"'\\" else f"\\x{byte:02x}" for byte in os.fsencode(word))
    return f"$'{''.join(plain)}'"
