# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Cases of the parity gate: clips, option sets, models, and the names of Sums."""

# (width, height, depth, content, frames): smallest, odd, around tiles, waves and
# vectors, several depths; deep ones use every bit (noise, texture with noise).
QUICK = [
    (17, 17, 8, "noise", 4),
    (33, 47, 10, "noise", 4),
    (65, 33, 9, "texture", 3),
    (129, 65, 8, "noise", 4),
    (129, 65, 10, "texture", 4),
    (111, 35, 12, "extreme", 3),
    (95, 63, 16, "noise", 3),
    (64, 48, 8, "flat", 3),
    (241, 40, 14, "ramp", 3),
    (130, 66, 10, "noise", 5),
]
# Wider than any block: few option sets, since rows are what matters here.
WIDE = [(7681, 17, 8, "noise", 2)]
# Clips for later features and models: chroma of at least 80x80, CAMBI of 216, and bands for it to find.
NEWER = [(83, 81, 10, "texture", 3, "444"), (163, 161, 10, "noise", 2, "420"),
         (257, 217, 10, "bands", 2, "444")]
# libvmaf's result, and so ours, is undefined for 4:2:0 of an odd height: these get a row more.
EVEN_HEIGHT = {"ciede"}
# Clips for machines with a GPU: faults that only large pictures show.
FULL = [
    (576, 324, 8, "texture", 6),
    (577, 325, 10, "noise", 4),
    (1920, 1080, 8, "texture", 3),
    (1921, 1079, 10, "noise", 3),
    (3840, 2160, 8, "extreme", 2),
    (1301, 718, 16, "noise", 3),
]

# Option sets that are computed together. A feature that is not named here is run
# with its defaults, so a new one is in the gate from its first day.
VARIANTS = {
    "vif": [[""], ["", "vif_enhn_gain_limit=1"], ["vif_enhn_gain_limit=1.2"],
            ["vif_skip_scale0=true"]],
    "adm": [[""], ["", "adm_enhn_gain_limit=1"], ["adm_enhn_gain_limit=1.2"],
            ["adm_skip_scale0=true"], ["adm_skip_aim=true"]],
    "motion": [["", "motion_five_frame_window=true"]],
    "float_ssim": [["", "enable_lcs=true"], ["scale=2"], ["scale=3"]],
}
# Scores beside the models': everything that a feature can say of itself.
FEATURES = [["vif", "debug=true"], ["adm", "debug=true"],
            ["adm", "adm_enhn_gain_limit=1.2"], ["motion", "motion_five_frame_window=true"]]
# Series that only the older rules have.
OLD_MODEL = "vmaf_v0.6.1"

VIF_SCALE = ["num_log[0]", "num_log[1]", "den_log", "num_nl", "den_nl"]
ADM_BANDS = ["h", "v", "d"]
ADM_SCALE = ([f"num[{g}].{b}" for g in range(2) for b in ADM_BANDS] +
             [f"den.{b}" for b in ADM_BANDS] +
             [f"aim[{g}].{b}" for g in range(2) for b in ADM_BANDS])
CAMBI_SCALE = [("sum of the largest c", "counting, or selection of the largest"),
               ("exponent of the smallest, is_ordered", "selection of the largest"),
               ("ordered sum", "recomputed on the host")]
SPEED_PLANES = ["Cb reference", "Cb distorted", "Cr reference", "Cr distorted"]
SPEED_PLANE_WORDS = 14  # SpeedPlaneSums: 25 eigenvalues, is_singular, open, unused; two a word
# Members of the Sums structs by scale, and the stage that makes each.
SUMS = {
    "vif": [(scale, member, "statistics of filtered pixels" if member != "den_nl" else
             "count of flat pixels") for scale in range(4) for member in VIF_SCALE],
    "adm": [(scale, member, {"n": "masking of the restored part", "d": "energy of the reference",
                             "a": "masking of the additive part"}[member[0]])
            for scale in range(4) for member in ADM_SCALE],
    "motion": [(0, "sad", "blur and difference")],
    "cambi": [(scale, f"{picture}: {member}", stage) for picture in ("distorted", "reference")
              for scale in range(5) for member, stage in CAMBI_SCALE],
}


def speed_word(words, index):
    """word_of() for speed_chroma. A word holds two floats, of which the first gives the name. It has no scale."""
    heads = len(SPEED_PLANES) * SPEED_PLANE_WORDS
    if index < heads:
        plane = SPEED_PLANES[index // SPEED_PLANE_WORDS]
        at = 2 * (index % SPEED_PLANE_WORDS)
        member = ("eigenvalue 24, is_singular" if at == 24 else "open values of E" if at > 24
                  else f"eigenvalues {at} and {at + 1}")
        return None, f"{plane}: {member}", "low-pass, residual, covariance or eigenvalues"
    blocks = (words - heads) // len(SPEED_PLANES)
    values = len(SPEED_PLANES) * blocks  # values of S, then of E
    first = 2 * (index - heads)
    letter, stage = (("S", "QR factors and their solution") if first < values else
                     ("E", "entropies"))
    first %= values
    return None, f"{SPEED_PLANES[first // blocks]}: {letter} of block {first % blocks}", stage


def word_of(feature, words, name):
    """(scale, member, stage) of the word "PART.INDEX"; scale None if it has none, or the
    layout is unknown."""
    index = int(name.split(".")[1])
    if feature == "speed_chroma":
        return speed_word(words, index)
    layout = SUMS.get(feature)
    if layout is None or len(layout) != words:
        return None, f"word {index}", "unknown layout"
    return layout[index]


def clip_of(size, seed):
    width, height, depth, content, frames = size[:5]
    return {"width": width, "height": height, "depth": depth,
            "chroma": size[5] if len(size) > 5 else "420",
            "content": content, "frames": frames, "seed": seed}


def clip_name(size):
    return f"{size[0]}x{size[1]}/{size[2]}bit/{size[3]}"


def size_for(feature, size):
    has_row_more = feature in EVEN_HEIGHT and size[1] % 2 and size[5:] == ("420",)
    return (size[0], size[1] + 1, *size[2:]) if has_row_more else size


def sums_jobs(given, features, seed, only_first):
    jobs = []
    for feature in features:
        size = size_for(feature, given)
        variants = VARIANTS.get(feature, [[""]])
        for options in variants[:2] if only_first else variants:
            name = "+".join(text or "default" for text in options)
            jobs.append({"id": f"sums/{feature}/{name}/{clip_name(size)}", "kind": "sums",
                         "feature": feature, "options": options, "clip": clip_of(size, seed)})
    if "motion" in features:
        jobs.append({"id": f"sums/motion/3.1/{clip_name(given)}", "kind": "sums", "compat": "3.1",
                     "feature": "motion", "options": [""], "clip": clip_of(given, seed)})
    return jobs


def models_of(names):
    return [{"name": name, "options": {"name": name}} for name in names]


def scores_jobs(size, models, features, seed, ring):
    wanted = [entry for entry in FEATURES if entry[0] in features]
    return [{"id": f"scores/{'+'.join(models)}/{clip_name(size)}", "kind": "scores", "ring": ring,
             "models": models_of(models), "features": wanted, "clip": clip_of(size, seed)},
            {"id": f"scores/{OLD_MODEL}/3.1/{clip_name(size)}", "kind": "scores", "ring": ring,
             "compat": "3.1", "models": models_of([OLD_MODEL]), "features": [],
             "clip": clip_of(size, seed)}]


def newer_jobs(models, features, seed):
    """Later models, and features that VARIANTS does not know, each on its own."""
    jobs = []
    for size in NEWER:
        jobs += sums_jobs(size, features, seed, False)
        for name in models:
            jobs.append({"id": f"scores/{name}/{clip_name(size)}", "kind": "scores",
                         "models": models_of([name]), "features": [], "clip": clip_of(size, seed)})
        for name in features:
            own = size_for(name, size)
            jobs.append({"id": f"scores/{name}/{clip_name(own)}", "kind": "scores", "models": [],
                         "features": [[name, ""]], "clip": clip_of(own, seed)})
    return jobs


def computable_models(known):
    return [model["name"] for model in known["models"] if not model["missing"]]


def all_jobs(known, size_set, seed):
    """`known` is what parity_probe list says of this build."""
    names = [feature["name"] for feature in known["features"]]
    features = [name for name in names if name in VARIANTS]
    # Float models take 8, 10, 12 and 16 bits only, as the clips for later models do.
    models = [name for name in computable_models(known)
              if "v0.6.1" in name and "float" not in name]
    jobs = newer_jobs([name for name in computable_models(known) if name not in models],
                      [name for name in names if name not in VARIANTS], seed)
    for number, size in enumerate(QUICK + (FULL if size_set == "full" else [])):
        jobs += sums_jobs(size, features, seed, number >= len(QUICK))
        jobs += scores_jobs(size, models, features, seed, ring=(1, 4, 7, 16)[number % 4])
    for size in WIDE:
        jobs += sums_jobs(size, features, seed, True)
    return jobs
