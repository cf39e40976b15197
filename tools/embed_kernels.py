#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Turn device object files into one C++ source that defines a KernelLibrary.

Run by src/engine/cuda/meson.build (and the HIP one). Words of eight bytes
instead of bytes keep the host compiler's time short; the hosts that CUDA and
ROCm exist for are all little-endian.
"""
import argparse
import pathlib
import struct
import sys

HEAD = """// SPDX-License-Identifier: BSD-2-Clause-Patent
// Made by tools/embed_kernels.py; not to be edited.
#include <cstdint>

#include "device/kernel_blob.h"

namespace vmafgpu {
"""


def words(data):
    """The bytes as lines of C++ integer literals, padded with zeros."""
    data = data + bytes(-len(data) % 8)
    values = ["0x%x" % value for (value,) in struct.iter_unpack("<Q", data)]
    return "\n".join("    " + ",".join(values[i:i + 8]) + "," for i in range(0, len(values), 8))


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
        name, equals, path = pair.partition("=")
        if not equals or not name or not path:
            sys.exit("embed_kernels.py: '%s' is not name=file" % pair)
        data = pathlib.Path(path).read_bytes()
        if not data:
            sys.exit("embed_kernels.py: '%s' is empty" % path)
        parts.append("alignas(64) static const uint64_t kBlob%d[] = {\n%s\n};\n"
                     % (index, words(data)))
        table.append("    {%s, kBlob%d, %d}," % (literal(name), index, len(data)))
    parts.append("static const KernelBlob kBlobs[] = {\n%s\n};\n" % "\n".join(table))
    parts.append("extern const KernelLibrary %s;\nconst KernelLibrary %s = {%s, %s, kBlobs, %d};\n"
                 % (args.symbol, args.symbol, literal(args.images), literal(args.tool),
                    len(table)))
    parts.append("} // namespace vmafgpu\n")
    args.output.write_text("\n".join(parts))


if __name__ == "__main__":
    main(sys.argv[1:])
