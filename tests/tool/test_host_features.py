#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A run that waits for features which no GPU computes says so at its end and in its log; no other run does.

    test_host_features.py TOOL [DEVICE...]
"""
import json
import os
import re
import sys
import unittest

import runs

TOOL, *DEVICES = sys.argv[1:]
SIZE = 256
SLOWEST = {**os.environ, "VMAFGPU_CPU_LEVEL": "baseline"}


def clip(step):
    return runs.y4m(SIZE, SIZE, (bytes((x * step + 7 * t) & 255 for x in range(SIZE)) * SIZE +
                                 bytes([128]) * (SIZE * SIZE // 2) for t in range(24)))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class HostFeatures(runs.Case):
    program = TOOL

    def score(self, device, *features):
        """Returns what the tool says, and whether the log says that the device waited."""
        words = [word for name in features for word in ("--feature", name)]
        said = self.run_tool("-r", self.path("r.y4m", clip(3)), "-d", self.path("d.y4m", clip(4)), "--json",
                             "--no_prediction", "--device", device, "-o", self.path("log"), *words,
                             env=SLOWEST)[1]
        return said, json.loads(read(self.path("log"))).get("slowed_by_host", False)

    def test_the_device_waits(self):
        """Eight float_vif take many times as long as all that an emulated device has to do, on any machine."""
        many = [f"float_vif=vif_sigma_nsq={number / 2}" for number in range(2, 10)]
        for device in DEVICES:
            said, is_slowed = self.score(device, *many, "float_adm")
            self.assertRegex(said, r"float_adm, float_vif ran on the CPU, for which results waited most of the time: [0-9.]+ frames/s")
            self.assertTrue(is_slowed, device)

    def test_parts_waited(self):
        """A merged log has what most of its parts' time was: here the first one's."""
        for slowed in 0, 1:
            chunks = {self.path("0.part"): "0:4", self.path("4.part"): "4:"}
            for number, (part, chunk) in enumerate(chunks.items()):
                self.run_tool("-r", self.path("r.y4m", clip(3)), "-d", self.path("d.y4m", clip(4)), "--no_prediction",
                              "--device", "cpu", "--feature", "psnr", "--part", "--overwrite", "-o", part, "--chunk", chunk)
                marked = '"slowed_by_host": 1, ' if number == slowed else ""
                text = re.sub(r'"fps": [0-9.]+', f'{marked}"fps": {1 + 99 * number}', read(part), count=1)
                self.path(os.path.basename(part), text.encode())
            self.run_tool("merge", "--json", "--overwrite", "-o", self.path("merged"), *chunks)
            self.assertIs(json.loads(read(self.path("merged"))).get("slowed_by_host", False), slowed == 0)

    def test_nothing_waits(self):
        for device, feature in [("cpu", "float_vif"), *((device, "psnr") for device in DEVICES)]:
            said, is_slowed = self.score(device, feature)
            self.assertNotIn("ran on the CPU", said, device)
            self.assertFalse(is_slowed, device)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
