# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The C API for ctypes, as its headers declare it: nothing of it is written down a second time."""
from __future__ import annotations

import ctypes
import pathlib
import re
from typing import Any, Iterator

_NUMBERS = {"char": ctypes.c_char, "int": ctypes.c_int, "int64_t": ctypes.c_int64, "uint32_t": ctypes.c_uint32,
            "uint64_t": ctypes.c_uint64, "double": ctypes.c_double, "size_t": ctypes.c_size_t,
            "ptrdiff_t": ctypes.c_ssize_t, "void": None}
_WORDS = re.compile(r"(?:(?:const|struct)\s+)*(\w+)(.*)", re.S)


class Api:
    """What headers declare: structs and constants by name. Functions are given their types in the library."""

    def __init__(self, library: ctypes.CDLL, headers: list[pathlib.Path]) -> None:
        self.structs: dict[str, Any] = {}
        self.constants: dict[str, int] = {}
        for path in headers:
            text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
            for body in re.findall(r"\benum\s*\w*\s*\{(.*?)\}", text, re.S):
                self._add_constants(body)
            for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\n\} \1;", text, re.S):
                fields = [field for declaration in body.split(";") for field in self._fields(declaration.strip())]
                self.structs[name] = type(name, (ctypes.Structure,), {"_fields_": fields})
            for result, name, arguments in re.findall(r"VMAFGPU_API\s([^;(]*?)(\w+)\(([^)]*)\);", text):
                function = getattr(library, name)
                function.restype = self._type(result)
                function.argtypes = [self._type(one) for one in arguments.split(",") if one.strip() != "void"]

    def _add_constants(self, body: str) -> None:
        value = -1
        for entry in filter(str.strip, body.split(",")):
            name, _, given = entry.partition("=")
            value = int(given) if given else value + 1
            self.constants[name.strip()] = value

    def _type(self, text: str) -> Any:
        """The ctypes type of a result or an argument. Only texts are more than an address."""
        base, rest = _WORDS.fullmatch(text.strip()).groups()  # type: ignore[union-attr]
        stars = rest.count("*") + rest.count("[")
        if stars:
            return ctypes.c_char_p if base == "char" and stars == 1 else ctypes.c_void_p
        return self.structs.get(base) or _NUMBERS[base]

    def _fields(self, declaration: str) -> Iterator[tuple[str, Any]]:
        function = re.search(r"\(\*(\w+)\)\(", declaration)
        if function is not None:
            yield function[1], ctypes.c_void_p
        elif declaration:
            base, rest = _WORDS.fullmatch(declaration).groups()  # type: ignore[union-attr]
            for one in rest.replace("const", "").split(","):
                name, *sizes = re.findall(r"\w+", one)
                kind = self._type(f"{base} {'*' * one.count('*')}")
                for size in reversed(sizes):
                    kind = kind * int(size)
                yield name, kind
