# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Frames that are refused, with what is said; RGB; and frames in device memory, by fake arrays on
the emulator, and over the stand-in driver where the build has one: what they are asked for, and that
they score as numpy's do. No GPU takes part."""
import ctypes
import fractions
import os
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy as np
import vmaf_gpu

import clips


class Tensor(ctypes.Structure):
    """DLManagedTensor of DLPack."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64),
                ("context", ctypes.c_void_p), ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p))]


class FakeDlpack:
    """A numpy array that says that it is in the memory of a device."""
    kept = {}

    def __init__(self, array, kind=2, ordinal=0, code=1):
        self.array, self.kind, self.ordinal, self.code = array, kind, ordinal, code
        self.streams = []

    def __dlpack_device__(self):
        return self.kind, self.ordinal

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        n, item = self.array.ndim, self.array.itemsize
        tensor = Tensor(self.array.ctypes.data, self.kind, self.ordinal, n, self.code, 8 * item, 1,
                        (ctypes.c_int64 * n)(*self.array.shape),
                        (ctypes.c_int64 * n)(*(s // item for s in self.array.strides)), 0, None)
        address = ctypes.addressof(tensor)
        tensor.deleter = type(tensor.deleter)(lambda _: FakeDlpack.kept.pop(address))
        FakeDlpack.kept[address] = (tensor, self.array)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(address, b"dltensor", None)


class FakeCuda:
    """Hands an array over by __cuda_array_interface__."""

    def __init__(self, array, is_plain=True, **more):
        self.array = array
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "data": (array.ctypes.data, True),
            "version": 3, "strides": None if is_plain else array.strides, **more}


def frames_of(fake, frames, **more):
    return [tuple(fake(plane, **more) for plane in frame) for frame in frames]


class Devices(clips.ScoreCase):
    def expected(self, both):
        return vmaf_gpu.score(*both, features="psnr", device="cpu").frames

    def test_on_the_emulator(self):
        if not any(device.backend == "emu" for device in vmaf_gpu.devices()):
            self.skipTest("this build has no emulator")
        both = clips.make(count=4)
        expected = self.expected(both)
        for device in "emu32", "emu64":
            for kind in FakeDlpack, FakeCuda:
                fakes = [frames_of(kind, side) for side in both]
                with self.subTest(device=device, kind=kind.__name__), \
                        vmaf_gpu.Scorer(51, 38, features="psnr", device=device) as scorer:
                    for first, second in zip(*fakes):
                        scorer.push(first, second)
                    found = scorer.flush()
                    self.assertEqual([pair.scores for pair in found], [pair.scores for pair in expected])
                    self.assertEqual(scorer.held, 0)
                    if kind is FakeDlpack:
                        self.assertEqual(fakes[0][0][0].streams, [1])
        self.assertEqual(FakeDlpack.kept, {})

    def test_nv12_and_strides(self):
        if not any(device.backend == "emu" for device in vmaf_gpu.devices()):
            self.skipTest("this build has no emulator")
        both = clips.make(52, depth=10, count=3)
        expected = vmaf_gpu.score(*both, features="psnr", depth=10, device="cpu").frames
        fakes = []
        for side in both:
            fakes.append([])
            for y, u, v in side:
                upside_down = np.ascontiguousarray(y[::-1] << 6)[::-1]
                fakes[-1].append((FakeCuda(upside_down, False), FakeDlpack(np.stack([u, v], 2) << 6)))
        with vmaf_gpu.Scorer(52, 38, depth=10, shift=6, features="psnr", device="emu32") as scorer:
            for first, second in zip(*fakes):
                scorer.push(first, second)
            self.assertEqual([pair.scores for pair in scorer.flush()],
                             [pair.scores for pair in expected])

    def test_over_the_stand_in(self):
        if not any(device.backend == "cuda" for device in vmaf_gpu.devices()):
            self.skipTest("no CUDA device: VMAFGPU_CUDA_LIBRARY does not name the stand-in driver")
        both = clips.make(count=4)
        expected = self.expected(both)
        fakes = [frames_of(FakeDlpack, side) for side in both]
        found = vmaf_gpu.score(*fakes, features="psnr")
        self.assertEqual((found.device.backend, found.device.selector), ("cuda", "cuda:0"))
        self.assertEqual([pair.scores for pair in found.frames], [pair.scores for pair in expected])
        with vmaf_gpu.Scorer(51, 38, device="cuda") as scorer:
            with self.assertRaisesRegex(vmaf_gpu.InvalidArgument, 'on device cuda:3.*device="cuda:3"'):
                scorer.push(frames_of(FakeDlpack, both[0], ordinal=3)[0], both[1][0])
            with self.assertRaisesRegex(vmaf_gpu.InvalidArgument, 'memory of hip.*runs on cuda'):
                scorer.push(frames_of(FakeDlpack, both[0], kind=10)[0], both[1][0])
            with self.assertRaisesRegex(vmaf_gpu.InvalidArgument, "written by stream 77.*stream=77"):
                scorer.push(frames_of(FakeCuda, both[0], stream=77)[0], both[1][0])
            scorer.push(frames_of(FakeCuda, both[0], stream=1)[0], both[1][0])

    def test_no_copy_to_the_device(self):
        """Uploads, counted by the stand-in: as many for many pairs in device memory as for few."""
        if not os.environ.get("VMAFGPU_CUDA_LIBRARY"):
            self.skipTest("VMAFGPU_CUDA_LIBRARY does not name the stand-in driver")

        def uploads(kind, count):
            log = clips.FOLDER / "calls"
            log.unlink(missing_ok=True)
            subprocess.run([sys.executable, "-B", "-c", f"""
import clips, test_frames, vmaf_gpu
both = clips.make(count={count})
if {kind!r}:
    both = [test_frames.frames_of(getattr(test_frames, {kind!r}), side) for side in both]
assert len(vmaf_gpu.score(*both, features="psnr", device="cuda:0").frames) == {count}
"""], check=True, timeout=60, env={**os.environ, "VMAFGPU_STANDIN_LOG": str(log)})
            return len(re.findall(r"^cuMemcpyHtoD", log.read_text(), re.M))

        for kind in "FakeDlpack", "FakeCuda":
            self.assertEqual(uploads(kind, 9), uploads(kind, 1))
        # At most 16 pictures share an upload, so that 80 take 5.
        self.assertGreaterEqual(uploads("", 40), uploads("", 1) + 4)

    def test_of_another_kind(self):
        both = clips.make(count=1)
        with vmaf_gpu.Scorer(51, 38, device="cpu") as scorer:
            for kind, more, words in (
                    (FakeDlpack, {}, 'memory of cuda, but the Scorer runs on cpu: open it with '
                                     'device="cuda"'),
                    (FakeDlpack, {"kind": 10}, "memory of hip"), (FakeDlpack, {"kind": 7}, "kind 7"),
                    (FakeCuda, {}, "memory of cuda"), (FakeCuda, {"typestr": "<f4"}, "type <f4"),
                    (FakeCuda, {"mask": 1}, "mask"), (FakeCuda, {"stream": 9}, "stream=9")):
                with self.assertRaisesRegex(vmaf_gpu.InvalidArgument, words):
                    scorer.push(frames_of(kind, both[0], **more)[0], both[1][0])
            with self.assertRaisesRegex(TypeError, "unsigned"):
                scorer.push(frames_of(FakeDlpack, both[0], kind=1, code=0)[0], both[1][0])
            # Pinned memory is the host's.
            scorer.push(frames_of(FakeDlpack, both[0], kind=3)[0], both[1][0])


class Refused(unittest.TestCase):
    def setUp(self):
        both = clips.make(count=1)
        self.good, self.other = both[0][0], both[1][0]

    def refuse(self, frame, words, error=ValueError, **settings):
        with vmaf_gpu.Scorer(51, 38, device="cpu", **settings) as scorer:
            with self.assertRaisesRegex(error, words) as caught:
                scorer.push(self.good, frame)
            self.assertIsInstance(caught.exception, vmaf_gpu.Error)
            self.assertEqual((scorer.held, scorer.pushed), (0, 0))
            scorer.push(self.good, self.other)  # the Scorer is as it was

    def test_types(self):
        y, u, v = self.good
        self.refuse("text", "a str; an array is needed", TypeError)
        self.refuse(None, "a NoneType", TypeError)
        self.refuse([[1, 2], [3, 4]], "a list", TypeError)
        self.refuse(y.astype(np.float32), "unsigned integers", TypeError)
        self.refuse(y.astype(np.int8), "unsigned integers", TypeError)
        self.refuse(y.astype(bool), "unsigned integers", TypeError)
        self.refuse(y.astype(np.uint16), "samples of 16 bits: uint8", TypeError)
        self.refuse((y, u.astype(np.uint16), v), "uint8", TypeError)
        self.refuse(y.astype(">u2"), "byte order|16 bits", TypeError)
        for mask in y > 100, False:  # a plane alone, and beside others
            self.refuse(np.ma.masked_array(y, mask), "has a mask, which is not supported", TypeError)
        self.refuse((y, np.ma.masked_array(u, u > 100), v), "has a mask", TypeError)
        fake = FakeDlpack(y, kind=1)
        for fake.capsule in 5, fake.__dlpack__():
            if fake.capsule != 5:
                vmaf_gpu._frames._from_dlpack(fake.capsule, None, fake, "")  # it is used
            with unittest.mock.patch.object(FakeDlpack, "__dlpack__", lambda self: self.capsule):
                self.refuse(fake, "a FakeDlpack whose __dlpack__.. gives no tensor", TypeError)
        self.assertEqual(FakeDlpack.kept, {})
        with vmaf_gpu.Scorer(51, 38, device="cpu") as scorer:
            scorer.push(self.good, tuple(np.ma.masked_array(plane) for plane in self.good))
        with vmaf_gpu.Scorer(51, 38, depth=10, device="cpu") as scorer:
            with self.assertRaisesRegex(TypeError, "uint16 is needed for depth 10"):
                scorer.push(self.good, self.other)

    def test_beside_other_users_of_ctypes(self):
        """Types that they have set for functions of Python are theirs."""
        with unittest.mock.patch.object(ctypes.pythonapi.PyObject_GetBuffer, "argtypes", [ctypes.py_object, ctypes.c_int]):
            vmaf_gpu.score([self.good], [self.other], device="cpu")

    def test_shapes(self):
        y, u, v = self.good
        self.refuse(y[:-1], r"shape \(37, 51\): \(38, 51\)")
        self.refuse(y.T, r"shape \(51, 38\)")
        self.refuse(y.ravel(), "shape")
        self.refuse((), "0 planes")
        self.refuse((y, u, v, v), "4 planes")
        self.refuse((y, u, v[:-1]), "the Cr plane of the distorted frame")
        self.refuse((y, u), r"second plane.*\(19, 26, 2\) or \(19, 52\)")
        self.refuse((y, u, y), "the Cr plane")
        self.refuse(y, "luma only, but a feature reads chroma", features="psnr")
        self.refuse(np.zeros((38, 51, 3), np.uint8), "matrix= one of bt601, bt709, bt2020")
        with vmaf_gpu.Scorer(51, 38, chroma="400", device="cpu") as scorer:
            with self.assertRaisesRegex(ValueError, 'chroma="400"'):
                scorer.push(self.good, self.other)

    def test_strides(self):
        y = self.good[0]
        self.refuse(y[:, ::-1], "from left to right")
        self.refuse(np.asfortranarray(y), "strides")
        self.refuse(np.broadcast_to(y[:1], y.shape), "do not overlap")
        far = np.lib.stride_tricks.as_strided(y, y.shape, (1 << 40, (1 << 32) + 1))
        self.refuse(far, "strides")
        uv = np.stack(self.good[1:], 2)
        self.refuse((y, uv[:, :, ::-1]), "Cb has to come before Cr")

    def test_samples_above_the_depth(self):
        """P010 without shift: its scores would be wrong."""
        frames = clips.make(depth=10, count=1)
        shifted = [tuple(plane << 6 for plane in video[0]) for video in frames]
        with vmaf_gpu.Scorer(51, 38, depth=10, device="cpu") as scorer, \
                self.assertRaisesRegex(ValueError, "samples above 1023.*shift"):
            scorer.push(frames[0][0], shifted[1])
        with vmaf_gpu.Scorer(51, 38, depth=10, device="cpu", pair="index") as scorer, \
                self.assertRaisesRegex(ValueError, "samples above 1023.*shift"):
            scorer.push_frame("distorted", shifted[1])
        with self.assertRaisesRegex(ValueError, "samples above 1023"):
            vmaf_gpu.score([shifted[0]], [frames[1][0]], depth=10, device="cpu")
        with vmaf_gpu.Scorer(51, 38, depth=10, shift=6, device="cpu") as scorer:
            scorer.push(*shifted)

    def test_names_of_files(self):
        with tempfile.TemporaryDirectory() as folder, vmaf_gpu.Scorer(51, 38, device="cpu") as scorer:
            scorer.push(self.good, self.other)
            scorer.flush()
            for name in b"\xff", os.fsdecode(b"\xfe"):  # no UTF-8
                scorer.log(os.path.join(os.fsencode(folder) if isinstance(name, bytes) else folder, name), "csv")
            self.assertEqual(sorted(os.listdir(os.fsencode(folder))), [b"\xfe", b"\xff"])
            for call in (lambda: scorer.log(folder + "/a\0b"), lambda: vmaf_gpu.merge([folder + "/\0"]),
                         lambda: vmaf_gpu.Scorer(51, 38, device="cpu\0"),
                         lambda: vmaf_gpu.Scorer(51, 38, model="vmaf_v0.6.1\0x", device="cpu"),
                         lambda: vmaf_gpu.score([self.good], [self.other], device="cpu", log="a\0b")):
                with self.assertRaisesRegex(ValueError, "null byte|NUL"):
                    call()
            with self.assertRaisesRegex(vmaf_gpu.InvalidArgument, "no parts"):
                vmaf_gpu.merge([])
            with self.assertRaisesRegex(vmaf_gpu.Error, "not a part"):  # so it was read
                vmaf_gpu.merge([os.path.join(folder, "\udcff")])

    def test_rates(self):
        for rate, words in (29.97, "Fraction"), (float("nan"), "more than 0"), (float("inf"), "more than 0"), (-1, "0"):
            with self.subTest(rate), self.assertRaisesRegex(vmaf_gpu.InvalidArgument, words):
                vmaf_gpu.Scorer(51, 38, device="cpu", pair="time", rate=rate)

    def test_settings(self):
        for words, settings in (
                ("depth", {"depth": 7}), ("depth is", {"depth": (8, 8, 8)}), ("chroma is", {"chroma": "411"}),
                ("matrix is", {"matrix": "bt470"}), ("compat is", {"compat": "2.0"}),
                ("subsample", {"subsample": 0}), ("ring_depth", {"ring_depth": 99}),
                ("chunk is", {"chunk": (5, 5)}), ("chunk is", {"chunk": (1,)}),
                ("no_such", {"model": "no_such_model"}), ("no_such", {"features": "no_such"})):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                vmaf_gpu.Scorer(51, 38, **{"device": "cpu", **settings})
        for device in "cuda:77", "hip:77":
            with self.assertRaises(vmaf_gpu.DeviceError):
                vmaf_gpu.Scorer(51, 38, device=device)
        with self.assertRaises(ValueError):
            vmaf_gpu.Scorer(51, 38, device="toaster")
        with self.assertRaisesRegex(OSError, "none.json"):
            vmaf_gpu.Scorer(51, 38, model="/none.json", device="cpu")
        for wrong in {"width": "51"}, {"threads": 1.5}, {"stream": None}, {"device": 1}, {"chunk": ("a", 2)}, \
                {"depth": "8"}, {"features": 3}, {"model": 3}, {"shots": 1}, {"features": [(5, {})]}:
            with self.subTest(wrong), self.assertRaises(TypeError):
                vmaf_gpu.Scorer(**{"width": 51, "height": 38, "device": "cpu", **wrong})
        for large in {"width": 2 ** 40}, {"threads": 2 ** 31}, {"stream": -1}, {"chunk": (0, 2 ** 64)}:
            with self.subTest(large), self.assertRaises(ValueError):
                vmaf_gpu.Scorer(**{"width": 51, "height": 38, "device": "cpu", **large})
        with vmaf_gpu.Scorer(51, 38, device="cpu") as scorer:
            for call in (lambda: scorer.pooled(), lambda: scorer.pooled("psnr_y"),
                         lambda: scorer.pooled("vmaf", "median")):
                with self.assertRaises(ValueError):
                    call()
            self.assertEqual(scorer.pool_all(), {})
        with self.assertRaisesRegex(ValueError, "how many bits count"):
            vmaf_gpu.score([self.good[0].astype(np.uint16)], [self.other[0].astype(np.uint16)])
        with self.assertRaisesRegex(ValueError, "no frames"):
            vmaf_gpu.score([], [self.other])


class Rgb(clips.ScoreCase):
    """The conversion against fractions, which are exact, and the scores of its planes."""
    CONSTANTS = {"bt601": ("0.299", "0.114"), "bt709": ("0.2126", "0.0722"), "bt2020": ("0.2627", "0.0593")}

    def convert(self, rgb, matrix, is_full, depth):
        """Y', Cb, Cr of one pixel, as docs/user/python.md has it."""
        kr, kb = map(fractions.Fraction, self.CONSTANTS[matrix])
        top = 2 ** depth - 1
        r, g, b = (fractions.Fraction(int(value), top) for value in rgb)
        y = kr * r + (1 - kr - kb) * g + kb * b
        values = y, (b - y) / (2 * (1 - kb)), (r - y) / (2 * (1 - kr))
        scale = fractions.Fraction(2 ** (depth - 8))
        out = []
        for i, value in enumerate(values):
            zero = (0 if is_full else 16 * scale) if i == 0 else 128 * scale
            size = top if is_full else (219 if i == 0 else 224) * scale
            exact = value * size + zero + fractions.Fraction(1, 2)
            out.append(min(max(exact.numerator // exact.denominator, 0), top))
        return out

    def test_against_fractions(self):
        rng = np.random.default_rng(3)
        for matrix in self.CONSTANTS:
            for is_full in False, True:
                for depth in 8, 10, 16:
                    top, dtype = 2 ** depth - 1, np.uint8 if depth == 8 else np.uint16
                    both = [rng.integers(0, top + 1, (18, 17, 3)).astype(dtype) for _ in range(2)]
                    for one in both:
                        one[0, :8] = [[x * top, y * top, z * top] for x in (0, 1) for y in (0, 1)
                                      for z in (0, 1)]
                    planes = [np.array([[self.convert(pixel, matrix, is_full, depth) for pixel in row]
                                        for row in one]).astype(dtype) for one in both]
                    settings = {"depth": depth, "model": None, "device": "cpu", "chroma": "444",
                                "features": ["psnr", "float_moment"]}
                    expected = vmaf_gpu.score(*([tuple(one.transpose(2, 0, 1))] for one in planes), **settings)
                    found = vmaf_gpu.score([both[0]], [np.ascontiguousarray(both[1][:, ::-1])[:, ::-1]], matrix=matrix,
                                           full_range=is_full, **settings)
                    self.assertEqual(found.frames, expected.frames, (matrix, is_full, depth))
                    # The plane itself: a frame scored against what it should be is equal to it.
                    with vmaf_gpu.Scorer(17, 18, matrix=matrix, full_range=is_full,
                                         **{**settings, "features": "psnr"}) as scorer:
                        scorer.push(both[0], tuple(planes[0].transpose(2, 0, 1)))
                        scores = scorer.flush()[0].scores
                        peak = {"psnr_y": 6 * depth + 12}
                        for name in "psnr_y", "psnr_cb", "psnr_cr":
                            self.assertEqual(scores[name], peak["psnr_y"], (name, matrix, is_full, depth))

    def test_sizes_of_numpy(self):
        """The product of the two sizes is more than their type holds."""
        rgb = np.full((324, 576, 3), 100, np.uint8)
        with vmaf_gpu.Scorer(np.uint16(576), np.uint16(324), matrix="bt709", device="cpu") as scorer:
            scorer.push(rgb, rgb)
            self.assertEqual(len(scorer.flush()), 1)

    def test_refused(self):
        rgb = np.full((38, 51, 3), 1023, np.uint16)
        with vmaf_gpu.Scorer(51, 38, depth=10, matrix="bt709", device="cpu") as scorer:
            scorer.push(rgb, rgb)
            with self.assertRaisesRegex(ValueError, "RGB sample is 1024, but 10 bits hold 0 to 1023"):
                scorer.push(rgb, rgb + 1)
            with self.assertRaisesRegex(ValueError, "shape"):
                scorer.push(rgb, rgb[1:])
        with vmaf_gpu.Scorer(51, 38, features="psnr", matrix="bt709", device="cpu") as scorer:
            with self.assertRaisesRegex(ValueError, 'chroma="444"'):
                scorer.push(rgb.astype(np.uint8), rgb.astype(np.uint8))
            with self.assertRaisesRegex(ValueError, "RGB in the memory of a device|memory of cuda"):
                scorer.push(FakeCuda(rgb.astype(np.uint8)), rgb.astype(np.uint8))


if __name__ == "__main__":
    unittest.main()
