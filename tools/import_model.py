#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Write models/*.json from the Python packages that models/NOTICE names, which also tells the SHA-256 of each source.

    pip download --no-deps ffmpeg-quality-metrics==3.13.0 imageio-ffmpeg==0.8.1
    import_model.py [--check] [WHEEL ...]

The first package holds files. In the second one FFmpeg has libvmaf's models built in, as JSON text. Only `model_dict` is
kept, with its keys in a fixed order; numbers keep their values to the last bit and the SVM text is kept as it is.

--check writes nothing and fails if a file differs from what an import gives; without wheels, if it is not in the form that
an import writes. The build needs neither this tool nor the packages.
"""
import argparse
import hashlib
import json
import pathlib
import re
import sys
import zipfile

MODELS = pathlib.Path(__file__).resolve().parents[1] / "models"
KEYS = ["model_type", "norm_type", "score_clip", "score_transform", "chroma_correction_parameter",
        "feature_names", "feature_opts_dicts", "slopes", "intercepts", "model"]
OPTIONAL = {"score_clip", "score_transform", "chroma_correction_parameter", "feature_opts_dicts"}


def keep(entry):
    """One model without what prediction never reads."""
    model = entry["model_dict"]
    return {"model_dict": {key: model[key] for key in KEYS if key in model or key not in OPTIONAL}}


def convert(text):
    """The text of a model, or of a collection, as this project keeps it."""
    source = json.loads(text)
    kept = keep(source) if "model_dict" in source else {str(i): keep(source[str(i)]) for i in range(len(source))}
    # Python prints the shortest text that reads back to the same double.
    return json.dumps(kept, indent=2, allow_nan=False) + "\n"


def texts_in(program):
    """Every JSON object of models in a program's data, without what follows it there."""
    place = program.find(b'"param_dict"')
    while place >= 0:
        begin = program.find(b"{", program.rfind(b"\0", 0, place))
        end = program.find(b"\0", place)
        text = program[begin:end].decode("utf-8", "replace")
        try:
            yield text[:json.JSONDecoder().raw_decode(text)[1]].encode()
        except ValueError:
            pass
        place = program.find(b'"param_dict"', end)


def sources(wheels):
    """Texts of models by their SHA-256."""
    found = []
    for path in wheels:
        with zipfile.ZipFile(path) as wheel:
            found += [wheel.read(name) for name in wheel.namelist() if name.endswith(".json")]
            found += [text for name in wheel.namelist() if "/binaries/ffmpeg-" in name for text in texts_in(wheel.read(name))]
    return {hashlib.sha256(text).hexdigest(): text for text in found}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("wheels", nargs="*", metavar="WHEEL")
    args = parser.parse_args()
    if not args.check and not args.wheels:
        parser.error("the wheels are needed")
    texts, bad = sources(args.wheels), 0
    named = re.findall(r"^  ([0-9a-f]{64})  (\S+[.]json)$", (MODELS / "NOTICE").read_text(), re.M)
    for digest, name in named:
        path = MODELS / name
        if args.wheels and digest not in texts:
            print(f"{name}: no wheel has its source")
            bad += 1
            continue
        text = convert(texts[digest] if args.wheels else path.read_text(encoding="ascii"))
        if not args.check:
            path.write_text(text, encoding="ascii")
        elif text != path.read_text(encoding="ascii"):
            print(f"{name}: is not what an import writes")
            bad += 1
    for path in sorted({path.name for path in MODELS.glob("*.json")} - {name for _, name in named}):
        print(f"{path}: is not in NOTICE")
        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
