#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A run that waits for features which no GPU computes says so at its end and in its log; no other run does.

    test_host_features.py TOOL [DEVICE...]
"""
import json
import os
import sys
import unittest

import runs

TOOL, *DEVICES = sys.argv[1:]
SIZE = 256
SLOWEST = {**os.environ, "VMAFGPU_CPU_LEVEL": "baseline"}


def clip(step):
    return runs.y4m(SIZE, SIZE, (bytes((x * step + 7 * t) & 255 for x in range(SIZE)) * SIZE +
                                 bytes([128]) * (SIZE * SIZE // 2) for t in range(8)))


class HostFeatures(runs.Case):
    program = TOOL

    def score(self, device, *features):
        """Returns what the tool says, and whether the log says that the device waited."""
        words = [word for name in features for word in ("--feature", name)]
        said = self.run_tool("-r", self.path("r.y4m", clip(3)), "-d", self.path("d.y4m", clip(4)), "--json",
                             "--no_prediction", "--device", device, "-o", self.path("log"), *words,
                             env=SLOWEST)[1]
        with open(self.path("log"), encoding="utf-8") as file:
            return said, json.load(file).get("slowed_by_host", False)

    def test_the_device_waits(self):
        for device in DEVICES:
            said, is_slowed = self.score(device, "float_vif", "float_adm")
            self.assertRegex(said, r"float_adm, float_vif ran on the CPU, for which results waited most of the time: [0-9.]+ frames/s")
            self.assertTrue(is_slowed, device)

    def test_parts_waited(self):
        """A merged log has what most of its parts' time was."""
        for device in DEVICES:
            chunks = {self.path("0.part"): "0:4", self.path("4.part"): "4:"}
            for part, chunk in chunks.items():
                self.run_tool("-r", self.path("r.y4m", clip(3)), "-d", self.path("d.y4m", clip(4)), "--no_prediction",
                              "--device", device, "--feature", "float_vif", "--feature", "float_adm", "--part", "-o", part,
                              "--chunk", chunk, env=SLOWEST)
            self.run_tool("merge", "--json", "-o", self.path("merged"), *chunks)
            with open(self.path("merged"), encoding="utf-8") as file:
                self.assertTrue(json.load(file).get("slowed_by_host", False), device)

    def test_nothing_waits(self):
        for device, feature in [("cpu", "float_vif"), *((device, "psnr") for device in DEVICES)]:
            said, is_slowed = self.score(device, feature)
            self.assertNotIn("ran on the CPU", said, device)
            self.assertFalse(is_slowed, device)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
