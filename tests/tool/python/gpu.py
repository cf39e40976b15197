#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Frames of torch and cupy on a real NVIDIA GPU: by hand, as CI has none.

    PYTHONPATH=FOLDER gpu.py          FOLDER holds vmaf_gpu with its library
    VMAFGPU_TEST_DEVICE=cuda:1        another GPU than cuda:0

Scores are those of numpy frames on the CPU in every bit. The profiler of torch, which sees all copies of the
process, tells whether a frame was moved.
"""
import json
import os
import pathlib
import tempfile
import time
import unittest

import cupy
import numpy as np
import torch
import vmaf_gpu

WIDTH, HEIGHT, PAIRS = 1920, 1080, 24
DEVICE = os.environ.get("VMAFGPU_TEST_DEVICE", "cuda:0")


def planes_of(seed, depth=8, width=WIDTH, height=HEIGHT):
    """Luma and chroma with structure, so that all features have something to see."""
    generator = np.random.default_rng(seed)
    kind = np.uint8 if depth == 8 else np.uint16

    def plane(rows, columns):
        y, x = np.mgrid[0:rows, 0:columns]
        wave = np.sin(x / 17 + seed) + np.cos(y / 11 - seed / 3) + generator.normal(0, 0.2, (rows, columns))
        return np.clip((wave + 2.5) * (1 << depth) / 5, 0, (1 << depth) - 1).astype(kind)

    return tuple(plane(-(-height // down), -(-width // down)) for down in (1, 2, 2))


def clip(depth=8):
    return [(planes_of(n, depth), planes_of(n + 1000, depth)) for n in range(4)]


def to_torch(planes):
    return tuple(torch.from_numpy(plane).to(DEVICE) for plane in planes)


def to_cupy(planes):
    with cupy.cuda.Device(int(DEVICE.split(":")[1])):
        return tuple(cupy.asarray(plane) for plane in planes)


class Interface:
    """Only __cuda_array_interface__, as older libraries have it."""

    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def run(pairs, device, **more):
    with vmaf_gpu.Scorer(WIDTH, HEIGHT, device=device, **more) as scorer:
        for number in range(PAIRS):
            scorer.push(*pairs[number % len(pairs)])
        rows = scorer.flush()
    return [row.scores for row in rows]


def copied_bytes(call):
    """Bytes of all copies between host and GPU while call runs, by direction."""
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "trace.json"
        with torch.profiler.profile(activities=activities) as profile:
            call()
            torch.cuda.synchronize()
        profile.export_chrome_trace(str(path))
        events = json.loads(path.read_text())["traceEvents"]
    found = {"HtoD": 0, "DtoH": 0, "kernels": 0}
    for event in events:
        if event.get("cat") == "kernel":
            found["kernels"] += 1
        for way in "HtoD", "DtoH":
            if event.get("cat") == "gpu_memcpy" and way in event["name"]:
                found[way] += event["args"]["bytes"]
    return found


class Frames(unittest.TestCase):
    def test_equal_to_the_cpu(self):
        for depth, model in ((8, "vmaf_v0.6.1"), (10, "vmaf_v0.6.1"), (8, "vmaf_v1.0.16_3d0h"),
                             (10, "vmaf_v1.0.16_3d0h")):
            pairs = clip(depth)
            wanted = run(pairs, "cpu", depth=depth, model=model)
            self.assertEqual(len(wanted), PAIRS)
            for name, convert in (("torch", to_torch), ("cupy", to_cupy),
                                  ("interface", lambda planes: tuple(Interface(one) for one in to_cupy(planes)))):
                with self.subTest(depth=depth, model=model, library=name):
                    there = [tuple(convert(planes) for planes in pair) for pair in pairs]
                    torch.cuda.synchronize()
                    cupy.cuda.Device().synchronize()
                    self.assertEqual(run(there, DEVICE, depth=depth, model=model), wanted)

    def test_views_and_pitches(self):
        """A cut out of a larger tensor, rows in reverse order, NV12: read where they are."""
        pairs = clip()
        wanted = run([tuple(planes[:1] for planes in pair) for pair in pairs], "cpu")

        def cut(planes):
            larger = torch.zeros((HEIGHT + 9, WIDTH + 64), dtype=torch.uint8, device=DEVICE)
            larger[4:4 + HEIGHT, 32:32 + WIDTH] = torch.from_numpy(planes[0]).to(DEVICE)
            return larger[4:4 + HEIGHT, 32:32 + WIDTH]

        there = [tuple(cut(planes) for planes in pair) for pair in pairs]
        torch.cuda.synchronize()
        self.assertEqual(run(there, DEVICE), wanted)
        nv12 = [tuple((to_torch(p)[0], torch.stack(to_torch(p)[1:], 2)) for p in pair) for pair in pairs]
        torch.cuda.synchronize()
        model = "vmaf_v1.0.16_3d0h"
        self.assertEqual(run(nv12, DEVICE, model=model), run(pairs, "cpu", model=model))

    def test_waits_for_the_stream(self):
        """The frame is written by work that still runs on the Scorer's stream when it is pushed."""
        pairs = clip()
        wanted = run(pairs, "cpu")
        for kind in "torch", "interface":
            stream = torch.cuda.Stream(DEVICE)
            blank = [tuple(tuple(torch.zeros_like(one) for one in to_torch(p)) for p in pair) for pair in pairs]
            there = [tuple(to_torch(planes) for planes in pair) for pair in pairs]
            big = torch.rand((8192, 8192), device=DEVICE)
            torch.cuda.synchronize()
            with vmaf_gpu.Scorer(WIDTH, HEIGHT, device=DEVICE, stream=stream.cuda_stream) as scorer:
                for number in range(PAIRS):
                    with torch.cuda.stream(stream):
                        if number < len(pairs):
                            for _ in range(8):
                                big = big @ big
                                big /= big.max()
                            for target, source in zip(blank[number], there[number]):
                                for to, plane in zip(target, source):
                                    to.copy_(plane)
                        frames = blank[number % len(pairs)]
                        if kind == "interface":
                            frames = tuple(tuple(Interface(cupy.asarray(one)) for one in f) for f in frames)
                            for frame in frames:
                                for one in frame:
                                    one.__cuda_array_interface__ = {**one.__cuda_array_interface__,
                                                                    "stream": stream.cuda_stream}
                        scorer.push(*frames)
                rows = scorer.flush()
            self.assertEqual([row.scores for row in rows], wanted, kind)

    def test_no_copy(self):
        """Frames on the GPU: results come back, samples do not move. Frames on the host: each is moved once."""
        pairs = clip()
        there = [tuple(to_torch(planes) for planes in pair) for pair in pairs]
        luma = [tuple(frame[:1] for frame in pair) for pair in pairs]
        run(there, DEVICE)
        frame = WIDTH * HEIGHT
        moved = copied_bytes(lambda: run(there, DEVICE, self_test=False))
        print(f"{PAIRS} pairs on the GPU: {moved}; a plane of luma has {frame} bytes")
        self.assertGreater(moved["kernels"], PAIRS)
        self.assertLess(moved["HtoD"], frame)
        self.assertLess(moved["DtoH"], frame)
        moved = copied_bytes(lambda: run(luma, DEVICE, self_test=False))
        print(f"{PAIRS} pairs on the host: {moved}")
        self.assertGreaterEqual(moved["HtoD"], 2 * PAIRS * frame)

    def test_refusals(self):
        planes, there = planes_of(1), to_torch(planes_of(1))
        with vmaf_gpu.Scorer(WIDTH, HEIGHT, device="cpu") as scorer:
            with self.assertRaisesRegex(vmaf_gpu.InvalidArgument, "memory of cuda"):
                scorer.push(there, there)
        with vmaf_gpu.Scorer(WIDTH, HEIGHT, device=DEVICE) as scorer:
            with self.assertRaisesRegex(vmaf_gpu.InvalidArgument, "on the host and on a device"):
                scorer.push((there[0], planes[1], planes[2]), there)
            with self.assertRaisesRegex(vmaf_gpu.InvalidArgument, "unsigned|type"):
                scorer.push(there[0].to(torch.float32), there[0])
            with self.assertRaisesRegex(vmaf_gpu.InvalidArgument, "shape"):
                scorer.push(there[0][:-1], there[0])
        if torch.cuda.device_count() > 1:
            with vmaf_gpu.Scorer(WIDTH, HEIGHT, device="cuda:0") as scorer:
                with self.assertRaisesRegex(vmaf_gpu.InvalidArgument, 'device="cuda:1"'):
                    scorer.push(there[0].to("cuda:1"), there[0].to("cuda:1"))

    def test_memory(self):
        """10^5 pushes: neither the process nor the GPU's memory grows."""
        small = [tuple(torch.from_numpy(plane).to(DEVICE) for plane in planes_of(n, 8, 320, 180)) for n in (1, 2)]
        torch.cuda.synchronize()
        seen = []
        begin = time.monotonic()
        with vmaf_gpu.Scorer(320, 180, device=DEVICE, keep_scores=False) as scorer:
            for number in range(100000):
                scorer.push(*small)
                scorer.results()
                if number % 20000 == 19999:
                    resident = int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4
                    seen.append((resident, torch.cuda.mem_get_info()[0] >> 10))
            scorer.flush()
        print(f"100000 pushes in {time.monotonic() - begin:.1f} s; resident KiB, free KiB of the GPU: {seen}")
        self.assertLessEqual(seen[-1][0] - seen[0][0], 1024)
        self.assertEqual(seen[0][1], seen[-1][1])

    def test_rate(self):
        """Printed only."""
        there = [tuple(to_torch(planes)[:1] for planes in pair) for pair in clip()]
        torch.cuda.synchronize()
        with vmaf_gpu.Scorer(WIDTH, HEIGHT, device=DEVICE, ring_depth=32, keep_scores=False) as scorer:
            for count in (500, 6000):
                begin = time.monotonic()
                for number in range(count):
                    scorer.push(*there[number % 4])
                scorer.flush()
                rate = count / (time.monotonic() - begin)
        print(f"1080p tensors, vmaf_v0.6.1: {rate:.0f} pairs/s")


if __name__ == "__main__":
    unittest.main(verbosity=2)
