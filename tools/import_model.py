#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Write models/*.json, models/NOTICE and models/LICENSE from a Python package.

    import_model.py [--from DIR|WHEEL] [--binary WHEEL] [--check [--offline]] [--out DIR]

The coefficients of the published VMAF models come with the PyPI package
ffmpeg-quality-metrics. Looked for in this order: --from (an unpacked package,
or its .whl), an installed copy of the wanted version, a download by pip. The
package lacks six models. These come from another one, imageio-ffmpeg (--binary): its
FFmpeg has libvmaf's models built in, as JSON text.
Without that wheel, their files are only compared with the SHA-256 recorded here.
Only `model_dict` is kept, with its keys in a fixed order; numbers keep their
values to the last bit and the SVM text is kept as it is.

--check writes nothing and fails if the files differ from what an import gives;
with --offline it never downloads and exits with 77 ("skipped") if there is no
copy at hand. The build itself needs neither this tool nor the sources.
"""
import argparse
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import zipfile

PACKAGE = "ffmpeg-quality-metrics"
MODULE = "ffmpeg_quality_metrics"
VERSION = "3.13.0"
SUBFOLDER = "vmaf_models"
DEFAULT_MODELS = ["vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1"] + [
    "vmaf_v1.0.16_" + rate + view for rate in ("", "hfr_")
    for view in ("3d0h", "5d0h", "1d5h_2160", "3d0h_2160")]
BINARY_PACKAGE = "imageio-ffmpeg 0.8.1"
# Models built into FFmpeg: SHA-256 of the text there, and of the file written here.
BINARY_MODELS = {
    "vmaf_4k_v0.6.1neg": (
        "f92048bf94401a5b915f551eb248709275c61df5f20d062a3ae010dcf4d4e8fc",
        "3efc6f162b9438d5c1701de5b467e405fe257f80c4deb8a05648a5398198ebf7"),
    "vmaf_b_v0.6.3": (
        "34f620dbaff662fe7d33dd80326553c2cc3910e4135349ba4c367171d3a3cfbd",
        "612ea47b54e4377844d6963f23802052558cb76162f28bf203af6c8b7aa3d143"),
    "vmaf_float_v0.6.1": (
        "26573aa333346f1109226e7283969e8b3581119a1ab7f18897767351dd963ff8",
        "144d8592bcb1befe6e9ff32c7d09ecd49e8a06066e2ef0ede3c7e9bde14ac6e9"),
    "vmaf_float_v0.6.1neg": (
        "8ac8e9bd6153e57fed4e9809c49711ea7654da2a14ea701423187905e914597a",
        "08868987f0a11e5816a7673494e2faf4bf3c21e7bbd73e24c673619b1164b818"),
    "vmaf_float_4k_v0.6.1": (
        "2af34f3068174720a35126807dbe8d0b19c5143fee328a9fc2331c15c54e4433",
        "4538b3dac12a60453c2100958eed25a585255052d8ff4175e049ea5db964566c"),
    "vmaf_float_b_v0.6.3": (
        "e32df73119386b124836910956fe8e0b0583a35638d2c518719e5a5069d0248b",
        "2ca1455c4a2ddfe5f390c8fe8c59b1cd8f72fa78cdbba4a6a46afa61161b5c73"),
}
KEYS = ["model_type", "norm_type", "score_clip", "score_transform", "chroma_correction_parameter",
        "feature_names", "feature_opts_dicts", "slopes", "intercepts", "model"]
REQUIRED = ["model_type", "norm_type", "feature_names", "slopes", "intercepts", "model"]
SKIPPED = 77

NOTICE = """The models in this folder
=========================

The .json files hold the coefficients of VMAF models trained and published by
Netflix, Inc. as part of the libvmaf project (https://github.com/Netflix/vmaf).
They are data under the licence BSD-2-Clause-Patent, whose text with Netflix's
copyright line is the file LICENSE in this folder.

They were taken from the folder {folder} of the Python
package {package} {version}
(on PyPI), which ships that licence
beside them. tools/import_model.py wrote the files
here: it dropped the training parameters, which prediction never reads, and put
the remaining keys in one order. No number was changed.

SHA-256 of the package's files:
{sums}

That package lacks six models. They were taken in the same way from libvmaf's
built-in models in the FFmpeg of the Python package {binary_package}
(on PyPI, the wheel for Linux on x86-64). SHA-256 of the texts there, which is
also that of libvmaf's own files:
{binary_sums}
"""


class NotAvailable(Exception):
    pass


def files_of_folder(folder):
    """{basename: bytes} of a folder that is the package, or holds it, or its models."""
    for candidate in (os.path.join(folder, MODULE, SUBFOLDER), os.path.join(folder, SUBFOLDER),
                      folder):
        if os.path.isfile(os.path.join(candidate, "LICENSE")):
            result = {}
            for name in os.listdir(candidate):
                path = os.path.join(candidate, name)
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        result[name] = file.read()
            return result
    raise NotAvailable(f"{folder}: no {SUBFOLDER}/LICENSE in there")


def files_of_wheel(path):
    prefix = f"{MODULE}/{SUBFOLDER}/"
    with zipfile.ZipFile(path) as wheel:
        return {name[len(prefix):]: wheel.read(name)
                for name in wheel.namelist() if name.startswith(prefix)}


def installed_folder():
    """Folder of an installed copy of the wanted version, or None."""
    try:
        if importlib.metadata.version(PACKAGE) != VERSION:
            return None
    except importlib.metadata.PackageNotFoundError:
        return None
    spec = importlib.util.find_spec(MODULE)
    return os.path.dirname(spec.origin) if spec and spec.origin else None


def download():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                        "--only-binary", ":all:", "--dest", folder, f"{PACKAGE}=={VERSION}"],
                       check=True)
        wheels = [name for name in os.listdir(folder) if name.endswith(".whl")]
        if len(wheels) != 1:
            raise NotAvailable(f"pip brought {wheels} instead of one wheel")
        return files_of_wheel(os.path.join(folder, wheels[0]))


def package_files(source, offline):
    if source:
        return files_of_wheel(source) if source.endswith(".whl") else files_of_folder(source)
    folder = installed_folder()
    if folder:
        return files_of_folder(folder)
    if offline:
        raise NotAvailable(f"{PACKAGE} {VERSION} is not installed and --offline was given")
    return download()


def keep(entry, name):
    """One model without what prediction never reads."""
    model = entry["model_dict"]
    missing = [key for key in REQUIRED if key not in model]
    if missing:
        raise SystemExit(f"import_model.py: {name}: model_dict lacks {', '.join(missing)}")
    return {"model_dict": {key: model[key] for key in KEYS if key in model}}


def convert(text, name):
    """The text of a model file, or of a collection, as this project keeps it."""
    source = json.loads(text)
    if "model_dict" in source:
        kept = keep(source, name)
    else:
        kept = {str(i): keep(source[str(i)], name) for i in range(len(source))}
    # Python prints the shortest text that reads back to the same double.
    result = json.dumps(kept, indent=2, allow_nan=False) + "\n"
    if json.loads(result) != kept:
        raise SystemExit(f"import_model.py: {name}: a value changed on the way")
    return result.encode("ascii")


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def texts_in(program):
    """Every JSON object of models in a program's data, without what follows it there."""
    place = program.find(b'"param_dict"')
    while place >= 0:
        begin = program.find(b"{", program.rfind(b"\0", 0, place))
        end = program.find(b"\0", place)
        text = program[begin:end].decode("utf-8", "replace")
        try:
            yield text[:json.JSONDecoder().raw_decode(text)[1]].encode("utf-8")
        except ValueError:
            pass
        place = program.find(b'"param_dict"', end)


def binary_outputs(wheel):
    """The files of BINARY_MODELS, from the FFmpeg in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if "/binaries/ffmpeg-" in name]
        if len(names) != 1:
            raise SystemExit(f"import_model.py: {wheel} holds {len(names)} programs, not 1")
        texts = {sha256(text): text for text in texts_in(archive.read(names[0]))}
    result = {}
    for name, (source_sum, kept_sum) in BINARY_MODELS.items():
        if source_sum not in texts:
            raise SystemExit(f"import_model.py: {wheel} lacks {name}, or has another one")
        result[name + ".json"] = convert(texts[source_sum].decode("utf-8"), name)
        if sha256(result[name + ".json"]) != kept_sum:
            raise SystemExit(f"import_model.py: {name}: BINARY_MODELS records another SHA-256")
    return result


def outputs(files, names):
    result, sums = {}, []
    for name in names:
        file_name = name + ".json"
        if file_name not in files:
            have = sorted(key[:-len(".json")] for key in files if key.endswith(".json"))
            raise SystemExit(f"import_model.py: the package has no {name}; it has "
                             + ", ".join(have))
        result[file_name] = convert(files[file_name].decode("utf-8"), name)
        sums.append(f"  {sha256(files[file_name])}  {file_name}")
    binary_sums = "\n".join(f"  {sums_of[0]}  {name}.json"
                            for name, sums_of in BINARY_MODELS.items())
    result["LICENSE"] = files["LICENSE"].rstrip() + b"\n"
    result["NOTICE"] = NOTICE.format(folder=f"{MODULE}/{SUBFOLDER}", package=PACKAGE,
                                     version=VERSION, sums="\n".join(sums),
                                     binary_package=BINARY_PACKAGE,
                                     binary_sums=binary_sums).encode("ascii")
    return result


def check_binary_models(folder):
    """Number of files of BINARY_MODELS that are not what an import wrote."""
    bad = 0
    for name, (_, kept_sum) in BINARY_MODELS.items():
        try:
            with open(os.path.join(folder, name + ".json"), "rb") as file:
                same = sha256(file.read()) == kept_sum
        except FileNotFoundError:
            same = False
        print(f"{'same SHA-256' if same else 'DIFFERENT'}: {name}.json")
        bad += not same
    return bad


def check(folder, wanted):
    bad = check_binary_models(folder)
    for name, data in wanted.items():
        path = os.path.join(folder, name)
        try:
            with open(path, "rb") as file:
                same = file.read() == data
        except FileNotFoundError:
            same = False
        print(f"{'same' if same else 'DIFFERENT'}: {name}")
        bad += not same
    return 1 if bad else 0


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="source", metavar="DIR|WHEEL")
    parser.add_argument("--binary", metavar="WHEEL", help=f"of {BINARY_PACKAGE}")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--offline", action="store_true")
    parser.add_argument("--out", default=os.path.join(here, "..", "models"))
    parser.add_argument("models", nargs="*", default=DEFAULT_MODELS, metavar="MODEL")
    args = parser.parse_args()
    try:
        files = package_files(args.source, args.offline)
    except NotAvailable as error:
        if args.check and args.offline:
            if check_binary_models(args.out) > 0:
                return 1
            print(f"SKIPPED: the models were not compared with their source: {error}")
            return SKIPPED
        raise SystemExit(f"import_model.py: {error}") from error
    wanted = outputs(files, args.models)
    if args.binary:
        wanted.update(binary_outputs(args.binary))
    if args.check:
        return check(args.out, wanted)
    for name, data in wanted.items():
        with open(os.path.join(args.out, name), "wb") as file:
            file.write(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
