#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Pairs that belong together but look alike only in part. No picture of theirs may be accused.

    innocent.py FFMPEG                     14 contents of difficult.py and 4 more x 22 changes
    innocent.py FFMPEG --clip FILE...      the same changes of clips of your own
    innocent.py FFMPEG --options :pair=index

A pair is accused if the log counts pairs whose pictures agree with other frames, or with none.
Where the rates differ, rule auto is needed: other rules leave those changes out.
"""
import sys

sys.dont_write_bytecode = True

import difficult  # noqa: E402
import files  # noqa: E402
from cases import MORE, Input, Row  # noqa: E402

WHOLE = "scale=320:192"
# name: (codec, quality, filter of main, main has another rate)
CHANGES = {
    "CRF 23": ("h264", 23, "", False),
    "CRF 40": ("h264", 40, "", False),
    "CRF 51": ("h264", 51, "", False),
    "HEVC, CRF 51": ("hevc", 51, "", False),
    "VP9, 63": ("vp9", 63, "", False),
    "MPEG-4, coarsest": ("mpeg4", 51, "", False),
    "grain": ("h264", 20, "noise=alls=20:allf=t:all_seed=3", False),
    "strong grain": ("h264", 20, "noise=alls=48:allf=t:all_seed=3", False),
    "denoised": ("h264", 23, "hqdn3d=10", False),
    "blurred": ("h264", 23, "gblur=sigma=8", False),
    "a quarter of the size": ("h264", 23, f"scale=80:48,{WHOLE}", False),
    "an eighth of the size": ("h264", 23, f"scale=40:24,{WHOLE}", False),
    "darker": ("h264", 23, "eq=brightness=-0.2:contrast=0.7", False),
    "brighter": ("h264", 23, "eq=brightness=0.2:contrast=0.6:gamma=1.5", False),
    "graded": ("h264", 23, "curves=preset=strong_contrast", False),
    "few levels": ("h264", 23, "lutyuv=y=trunc(val/32)*32", False),
    "logo": ("h264", 23, "drawbox=x=270:y=12:w=36:h=20:c=white@0.6:t=fill", False),
    "black bars": ("h264", 23, "crop=256:160,pad=320:192:32:16", False),
    "25 to 30": ("h264", 23, "fps=30", True),
    "25 to 24": ("h264", 23, "fps=24", True),
    "25 to 60": ("h264", 23, "fps=60", True),
    "every second": ("h264", 23, "fps=25/2", True),
}
# Main does show earlier pictures, which an encoder holds, or a denoiser's mean of a few pictures of a ramp, which is
# the one in their middle. Rule auto follows the second one.
KNOWN = {"gradient, HEVC, CRF 51"}
KNOWN_BY_NUMBER = {"gradient, denoised"}
MORE_CONTENTS = {
    "slideshow": ("pan", difficult.pictures(lambda n: n // 25 * 150)),
    "twos": ("local", difficult.pictures(lambda n: n // 2 * 2)),
    "threes": ("pan", difficult.pictures(lambda n: n // 3 * 3)),
    "moves at last": ("local", difficult.pictures(lambda n: max(n, 60))),
}


class Innocent(difficult.CounterTest):
    def __init__(self, arguments):
        super().__init__(arguments)
        self.is_auto = "pair=" not in arguments.options
        if not arguments.clip:
            self.originals += [(name, files.clip("mp4", "h264", difficult.RATE, numbers=numbers, kind=kind, quality=8), "")
                               for name, (kind, numbers) in MORE_CONTENTS.items()]

    def rows(self, *_):
        for name, original, vf in self.originals:
            for change, (codec, quality, own, has_other_rate) in CHANGES.items():
                if self.is_auto or not has_other_rate:
                    chain = ",".join(f for f in (vf, own) if f)
                    yield Row(MORE, f"{name}, {change}", Input(difficult.encoded(original, codec, quality, chain)),
                              Input(original))

    def run(self):
        done = accused = known = 0
        for row, got in self.outcomes(self.rows()):
            done += 1
            is_accused = got.log["elsewhere"] or got.log["unrelated"]
            if is_accused and row.name in (KNOWN if self.is_auto else KNOWN | KNOWN_BY_NUMBER):
                known += 1
            elif is_accused:
                accused += 1
                said = [text for _, text in got.messages if "the pictures of" in text]
                self.faults += [f"{row.name}: {text}" for text in said or ["accused without a word"]]
        print(f"innocent pairs: {done}, {accused} accused, and {known} that are known to be")


if __name__ == "__main__":
    difficult.main(Innocent, __doc__)
