#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Turn device object files into one C++ source that defines a KernelLibrary.

Run by src/engine/cuda/meson.build (and the HIP one). Words of eight bytes
instead of bytes keep the host compiler's time short; the hosts that CUDA and
ROCm exist for are all little-endian. PTX becomes a string, without its comments: it
is several times larger, and its length goes without saying, as drivers want it.
"""
import argparse
import pathlib
import struct
import sys

HEAD = """// SPDX-License-Identifier: BSD-2-Clause-Patent
// Made by tools/embed_kernels.py; not to be edited.
#include <cstdint>

#include "device/kernel_blob.h"

#pragma GCC diagnostic ignored "-Woverlength-strings"

namespace vmafgpu {
"""


def words(data):
    """The bytes as lines of C++ integer literals, padded with zeros."""
    data = data + bytes(-len(data) % 8)
    values = ["0x%x" % value for (value,) in struct.iter_unpack("<Q", data)]
    return "\n".join("    " + ",".join(values[i:i + 8]) + "," for i in range(0, len(values), 8))


def ptx_text(data):
    """PTX without comments and empty lines; the driver reads up to the final zero."""
    lines = (line.split("//")[0].rstrip() for line in data.decode("ascii").split("\n"))
    return "\n".join(line for line in lines if line) + "\n"


def raw_strings(text, size=1 << 15):
    """The text as C++ literals, none of them long."""
    pieces = (text[i:i + size] for i in range(0, len(text), size))
    return "\n".join('    R"ptx(%s)ptx"' % piece for piece in pieces)


def definition(index, path, data):
    """A blob's definition, and its size without what the compiler adds."""
    if path.endswith(".ptx"):
        text = ptx_text(data)
        return ("alignas(64) static const char kBlob%d[] =\n%s;\n" % (index, raw_strings(text)),
                len(text))
    return ("alignas(64) static const uint64_t kBlob%d[] = {\n%s\n};\n" % (index, words(data)),
            len(data))


def literal(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--symbol", required=True, help="name of the KernelLibrary")
    parser.add_argument("--images", required=True, help="architectures, for error texts")
    parser.add_argument("--tool", required=True, help="compiler and version, for error texts")
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("blobs", nargs="+", metavar="name=file")
    return parser.parse_args(argv)


def main(argv):
    args = parse(argv)
    parts, table = [HEAD], []
    for index, pair in enumerate(args.blobs):
        name, path = pair.split("=", 1)
        data = pathlib.Path(path).read_bytes()
        if not data:
            sys.exit("embed_kernels.py: '%s' is empty" % path)
        text, size = definition(index, path, data)
        parts.append(text)
        table.append("    {%s, kBlob%d, %d}," % (literal(name), index, size))
    parts.append("static const KernelBlob kBlobs[] = {\n%s\n};\n" % "\n".join(table))
    parts.append("extern const KernelLibrary %s;\nconst KernelLibrary %s = {%s, %s, kBlobs, %d};\n"
                 % (args.symbol, args.symbol, literal(args.images), literal(args.tool),
                    len(table)))
    parts.append("} // namespace vmafgpu\n")
    args.output.write_text("\n".join(parts))


if __name__ == "__main__":
    main(sys.argv[1:])
