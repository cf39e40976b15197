# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The encoders of FFmpeg and the option of each that trades quality for bytes."""
import dataclasses
import functools
import math
import re
from typing import Dict, List, Optional, Tuple

from vmaf_gpu.batch.errors import USAGE, BatchError
from vmaf_gpu.batch.programs import Ffmpeg, output_of


@dataclasses.dataclass(frozen=True)
class Knob:
    """The option, from its best value to its worst; notch 0 is the best."""

    option: str
    best: float
    worst: float
    guess: float  # value with which a search begins
    more: Tuple[str, ...] = ()  # words that make the option count
    step: float = 1.0  # distance from notch to notch
    ratio: float = 1.0  # if it is not 1, the next value is the last one divided by it
    unit: str = ""
    also: Tuple[str, ...] = ()  # options that get the same value
    fractions: str = ""  # the option by which the encoder takes fractions, if `option` takes whole numbers
    halving: float = 6.0  # the distance that nearly halves the bytes; 0: it is not the same everywhere

    @property
    def fall(self) -> float:
        """By how much the binary logarithm of the bytes nearly falls from notch to notch; 0: that is not known."""
        if self.ratio != 1.0:
            return math.log2(self.ratio)
        return self.step / self.halving if self.halving else 0.0

    @property
    def count(self) -> int:
        """Number of notches."""
        return next(notch for notch in range(1, 100001) if not self._has(notch))

    def _has(self, notch: int) -> bool:
        value = self._number(notch)
        return min(self.best, self.worst) <= value <= max(self.best, self.worst)

    def _number(self, notch: int) -> float:
        if self.ratio != 1.0:
            return float(round(self.best / self.ratio**notch))
        return round(self.best + notch * (self.step if self.worst > self.best else -self.step), 6)

    def value(self, notch: int) -> str:
        return f"{self._number(notch):.10g}{self.unit}"

    def nearest(self, value: float) -> int:
        return min(range(self.count), key=lambda notch: abs(self._number(notch) - value))

    def words(self, notch: int) -> List[str]:
        value = self.value(notch)
        if self.fractions and "." in value:
            return [f"-{self.fractions}", f"{self.option}={value}", *self.more]
        return [*(word for name in (self.option, *self.also) for word in (f"-{name}", value)), *self.more]


@dataclasses.dataclass(frozen=True)
class Encoder:
    """How one is called."""

    knob: Knob
    preset: str = "preset"  # the encoder's option for speed
    before: Tuple[str, ...] = ()  # words before the input
    upload: str = ""  # filters that hand frames to a device


BITRATE = Knob("b:v", 100000, 50, 2500, (), 1.0, 1.02, "k")
_VPX = ("-b:v", "0")
_CQP = ("-rc", "cqp")
_VAAPI = ("-init_hw_device", "vaapi=search", "-filter_hw_device", "search")
_UPLOAD = "format=nv12|p010,hwupload"
# Encoders by name, or by what the name ends with.
ENCODERS: Dict[str, Encoder] = {
    "libx264": Encoder(Knob("crf", 0, 51, 26)),
    "libx265": Encoder(Knob("crf", 0, 51, 26)),
    "libsvtav1": Encoder(Knob("crf", 1, 63, 36, fractions="svtav1-params")),  # from version 4.0 on
    "libvpx-vp9": Encoder(Knob("crf", 0, 63, 36, _VPX), "cpu-used"),
    "libaom-av1": Encoder(Knob("crf", 0, 63, 36, _VPX), "cpu-used"),
    "librav1e": Encoder(Knob("qp", 0, 255, 110, halving=28), "speed"),
    "libvvenc": Encoder(Knob("qp", 0, 63, 32)),
    "mpeg4": Encoder(Knob("q:v", 2, 31, 5, halving=0)),
    "mpeg2video": Encoder(Knob("q:v", 2, 31, 5, halving=0)),
    "_nvenc": Encoder(Knob("cq", 1, 51, 28, ("-rc", "vbr", "-b:v", "0"))),
    "h264_amf": Encoder(Knob("qp_p", 0, 51, 26, _CQP, also=("qp_i", "qp_b")), "quality"),
    "hevc_amf": Encoder(Knob("qp_p", 0, 51, 26, _CQP, also=("qp_i",)), "quality"),
    "av1_amf": Encoder(Knob("qp_p", 0, 255, 110, _CQP, also=("qp_i",), halving=28), "quality"),
    "_qsv": Encoder(Knob("global_quality", 1, 51, 26)),
    "vp9_vaapi": Encoder(Knob("global_quality", 1, 255, 110, ("-rc_mode", "CQP"), halving=28), "compression_level", _VAAPI, _UPLOAD),
    "av1_vaapi": Encoder(Knob("global_quality", 1, 255, 110, ("-rc_mode", "CQP"), halving=28), "compression_level", _VAAPI, _UPLOAD),
    "_vaapi": Encoder(Knob("global_quality", 1, 51, 26, ("-rc_mode", "CQP")), "compression_level", _VAAPI, _UPLOAD),
}


class Coder(Ffmpeg):
    """One ffmpeg that encodes."""

    @functools.cached_property
    def names(self) -> List[str]:
        """Encoders of video."""
        text = output_of([self.path, "-hide_banner", "-encoders"], "ffmpeg").stdout
        return re.findall(r"^ V\S{5} (\S+) ", text.partition("------")[2], re.M)

    def encoder(self, name: str, by: str) -> Encoder:
        """How to call it, by its own option or by bitrate."""
        known = [at_hand for at_hand in self.names if _row(at_hand) is not None]
        if name not in self.names:
            raise BatchError(USAGE, f"{self.path} has no encoder {name}; of those that are known it has "
                                    f"{', '.join(known) or 'none'} (--encoder-ffmpeg names another ffmpeg)")
        row = _row(name)
        if by == "bitrate":
            return dataclasses.replace(row or Encoder(BITRATE), knob=BITRATE)
        if row is None:
            raise BatchError(USAGE, f"no option of {name} for its quality is known (known: {', '.join(known)}); "
                                    "--by bitrate needs none")
        return row


def _row(name: str) -> Optional[Encoder]:
    fitting = [row for end, row in ENCODERS.items() if name == end or end.startswith("_") and name.endswith(end)]
    return fitting[0] if fitting and not name.startswith("mjpeg") else None  # whose scale has other ends


def narrowed(knob: Knob, limits: Optional[Tuple[float, float]], step: Optional[float]) -> Knob:
    """Between two values, and with another step."""
    if step is not None:
        if knob.ratio != 1.0:
            raise BatchError(USAGE, "--step: bitrates have steps of 2 %")
        if abs(knob.worst - knob.best) > 50000 * step:
            least = math.ceil(abs(knob.worst - knob.best) / 50) / 1000
            raise BatchError(USAGE, f"--step {step:g}: is too small for {knob.option}; expected {least:g} or more")
        knob = dataclasses.replace(knob, step=step)
    if limits is None:
        return knob
    low, high = limits
    if low > high:
        raise BatchError(USAGE, f"--range {low:g}:{high:g}: the smaller value comes first, as in {high:g}:{low:g}")
    if knob.step % 1 == 0 and (low % 1 or high % 1):
        raise BatchError(USAGE, f"--range {low:g}:{high:g}: {knob.option} has steps of {knob.step:g}; fractions need --step")
    ends = sorted((knob.best, knob.worst))
    if not ends[0] <= low <= high <= ends[1]:
        raise BatchError(USAGE, f"--range {low:g}:{high:g}: {knob.option} goes from {ends[0]:g} to {ends[1]:g}")
    best, worst = (low, high) if knob.best < knob.worst else (high, low)
    return dataclasses.replace(knob, best=best, worst=worst)
