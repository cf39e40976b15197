# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The option strings of published.py: what public command lines give FFmpeg's filter libvmaf, and
what AOM's and Netflix's scripts give libvmaf's tool. No expectations: those are in published_digests.json.
"""
import dataclasses

MODELS = ["vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1", "vmaf_4k_v0.6.1neg", "vmaf_b_v0.6.3",
          "vmaf_float_v0.6.1", "vmaf_float_v0.6.1neg", "vmaf_float_4k_v0.6.1",
          "vmaf_float_b_v0.6.3"]
MODELS_OF_10_BIT = [f"vmaf_v1.0.16_{hfr}{view}" for hfr in ("", "hfr_")
                    for view in ("3d0h", "5d0h", "1d5h_2160", "3d0h_2160")]


@dataclasses.dataclass
class Case:
    name: str          # name in the table
    filter: str = ""   # options of the filter; "": it has none for this
    tool: tuple = ()   # arguments of the tool; (): it has none for this
    depth: int = 8
    pin: str = ""      # an option of ours that makes processors agree

    @property
    def is_of_old_ffmpeg(self):
        """Options that FFmpeg's filter had until 6.1."""
        return "psnr=1" in self.filter


def features(*texts, rest=""):
    """Returns a case for `feature=name=...|name=...`, for the filter and for the tool."""
    joined = "|".join("name=" + text.replace(":", "\\:").replace("=", "\\:", 1)
                      if "=" in text else "name=" + text for text in texts)
    arguments = [word for text in texts for word in ("--feature", text)]
    quote = "'" if "\\" in joined else ""
    string = f"feature={quote}{joined}{quote}"
    return Case(string + rest, string + rest, tuple(arguments))


def model_case(name, depth):
    pin = "float_adm.float_adm_rcp=amd" if "float" in name else ""
    return Case(f"model=version={name}", f"model=version={name}", ("-m", f"version={name}"), depth,
                pin)


CASES = [
    Case("(no options)", "", ()),
    features("psnr", "float_ssim", "float_ms_ssim"),
    Case("psnr=1:ssim=1:ms_ssim=1", "psnr=1:ssim=1:ms_ssim=1"),
    features("psnr=enable_apsnr=true"),
    features("psnr"), features("float_ssim"), features("float_ms_ssim"), features("psnr_hvs"),
    features("ciede"), features("float_ansnr"), features("cambi"), features("float_moment"),
    features("float_psnr"),
    features("psnr", "psnr_hvs", "ciede", "float_ssim", "float_ms_ssim", "cambi"),
    features("motion", "float_motion", "psnr"),
    Case(r"model='version=vmaf_v0.6.1|version=vmaf_v0.6.1neg\:name=vmaf_neg':feature=name=psnr",
         r"model='version=vmaf_v0.6.1|version=vmaf_v0.6.1neg\:name=vmaf_neg':feature=name=psnr",
         ("-m", "version=vmaf_v0.6.1", "-m", "version=vmaf_v0.6.1neg:name=vmaf_neg", "--feature",
          "psnr")),
    Case("feature=name=psnr:n_subsample=2", "feature=name=psnr:n_subsample=2",
         ("--feature", "psnr", "--subsample", "2")),
    *[Case(f"--aom_ctc v{n}.0", "", ("--aom_ctc", f"v{n}.0")) for n in range(1, 8)],
    Case("--aom_ctc v6.0 -n", "", ("--aom_ctc", "v6.0", "-n")),
    Case("--aom_ctc v7.0 --feature float_ssim", "",
         ("--feature", "float_ssim", "--aom_ctc", "v7.0")),
    Case("--nflx_ctc v1.0", "", ("--nflx_ctc", "v1.0")),
    *[model_case(name, 8) for name in MODELS],
    *[model_case(name, 10) for name in MODELS_OF_10_BIT],
]
CASES[0].tool = ("-m", "version=vmaf_v0.6.1")
