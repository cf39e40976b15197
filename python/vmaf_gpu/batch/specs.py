# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What to compute, as words for the tool and as options of the filter; and what is done to the pictures before."""
import dataclasses
import json
import os
import pathlib
import re
from typing import Any, Dict, Iterator, List, Optional, Tuple

from vmaf_gpu._probe import are_swapped
from vmaf_gpu._shell import in_shell
from vmaf_gpu.batch import files, index, remote
from vmaf_gpu.batch.errors import BAD_INPUT, USAGE, BatchError
from vmaf_gpu.batch.programs import Advice, Inputs, Programs


@dataclasses.dataclass(frozen=True)
class Words:
    """Whose words advice is in: options of score and ladder, filters of a search (vf), or keys of a manifest."""

    vf: Optional[str] = None
    is_manifest: bool = False

    def way(self, name: str, value: str, key: str = "") -> str:
        """An option and its value. key: the manifest's name of a list of such values, if it is another one."""
        listed = json.dumps([value] if key else value)
        return f'"{key or name}": {listed} in the manifest' if self.is_manifest else f"--{name} {value}"


def _odd_path(path: pathlib.Path) -> BatchError:
    return BatchError(USAGE, f"{path}: the path of a model must not contain ':' or '|'")


def model_spec(text: str, base: pathlib.Path) -> str:
    """A model as the tool names it: vmaf_v0.6.1 and my.json are short for version= and path=."""
    if re.match(r"version=", text):
        return text
    whole = re.match(r"(?:path=)?(.*?[.]json)(?=:|$)", text, re.S)
    if whole is not None and ":" in whole[1] and (base / whole[1]).is_file():
        raise _odd_path((base / whole[1]).absolute())
    path, colon, rest = (text[5:] if text.startswith("path=") else text).partition(":")
    if text.startswith("path=") or path.endswith(".json"):
        full = (base / path).absolute()
        if not full.is_file():
            raise BatchError(USAGE, f"{full}: there is no such model")
        if ":" in str(full) or "|" in str(full):
            raise _odd_path(full)
        return f"path={full}{colon}{rest}"
    return f"version={text}"


def name_models(specs: List[str]) -> List[str]:
    """Several models need names, which are the columns of the log."""
    if len(specs) < 2:
        return specs
    named = []
    for spec in specs:
        stem = pathlib.Path(re.sub(r"^(version|path)=", "", spec.split(":", 1)[0])).name
        named.append(spec if ":name=" in spec else f"{spec}:name={re.sub(r'[.]json$', '', stem)}")
    return named


def model_digests(specs: List[str]) -> List[str]:
    return [files.content_of(pathlib.Path(spec[5:].split(":", 1)[0])) for spec in specs if spec.startswith("path=")]


def tool_words(pair: Dict[str, Any]) -> Tuple[str, ...]:
    words: List[str] = []
    for spec in pair["models"]:
        words += ["--model", spec]
    for feature in pair["features"]:
        words += ["--feature", feature]
    if not pair["models"]:
        words.append("--no_prediction")
    return (*words, "--compat", pair["compat"], "--subsample", str(pair["subsample"]))


def _in_list(spec: str) -> str:
    """A model for the filter's list, where quotes and backslashes have a meaning; the tool takes all as it is."""
    return re.sub(r"([\\'])", r"\\\1", spec)


def _in_graph(value: str) -> str:
    """A value for an option of a filter: escaped for the option list, then for the graph."""
    inner = re.sub(r"([\\':])", r"\\\1", value)
    return re.sub(r"([\\'\[\],;])", r"\\\1", inner)


def filter_options(pair: Dict[str, Any]) -> str:
    if not pair["models"]:
        raise BatchError(USAGE, f"{pair['id']}: features without a model need --runner tool")
    features = ["name=" + feature.replace("=", ":", 1) for feature in pair["features"]]
    options = {"model": "|".join(map(_in_list, pair["models"])), "compat": pair["compat"], "n_subsample": str(pair["subsample"])}
    if features:
        options["feature"] = "|".join(features)
    if "scale" in pair["chains"]:
        options["scale"] = pair["chains"]["scale"]
    return ":".join(f"{name}={_in_graph(value)}" for name, value in options.items())


# What a hardware decoder's frames are in memory.
_DOWNLOADED = {"yuv420p": "nv12", "yuvj420p": "nv12", "yuv420p10le": "p010le"}
def _chain(pair: Dict[str, Any], stream: Dict[str, Any], size: Tuple[int, int], form: Optional[str],
           crop: Optional[str], convert: str = "") -> str:
    flags = f"flags={pair['scaler']}+accurate_rnd+bitexact"
    steps = [f"crop={crop}:exact=1"] if crop else []
    steps += [convert] if convert else []
    own = (int(crop.split(":")[0]), int(crop.split(":")[1])) if crop else (stream["width"], stream["height"])
    is_converted = form is not None and form != stream["pix_fmt"]
    if own != size or is_converted:
        steps.append(f"scale={size[0]}:{size[1]}:{flags}")
    if is_converted:
        steps.append(f"format={form}")
    return ",".join(steps)


def _on_gpu(pair: Dict[str, Any], streams: Dict[str, Dict[str, Any]], made: Dict[str, str]) -> Dict[str, str]:
    """Filters for frames of a hardware decoder, which no scaling filter but ours takes.

    Ours scales as FFmpeg's filter does with the flags above, so that they can stay where they are. For anything
    else they are downloaded.
    """
    if not made["ref"] and not made["dis"]:
        return made
    own, wanted = (tuple(streams[name][side] for side in ("width", "height")) for name in ("dis", "ref"))
    is_in_reach = all(17 <= a <= 16 * b and 17 <= b <= 16 * a for a, b in zip(own, wanted))
    if pair["scaler"] == "bicubic" and not made["ref"] and is_in_reach and \
            made["dis"] == _chain(pair, streams["dis"], wanted, None, None):
        return {"ref": "", "dis": "", "scale": "bicubic"}
    for name in made:
        form = streams[name]["pix_fmt"]
        if form not in _DOWNLOADED:
            raise BatchError(USAGE, f"{pair[name]}: frames of the pixel format {form} cannot be scaled, cropped or "
                                    f"converted after a hardware decoder (possible: {', '.join(_DOWNLOADED)}); "
                                    "plan without --hwaccel")
        steps = (f"hwdownload,format={_DOWNLOADED[form]},format={form}", made[name])
        made[name] = ",".join(step for step in steps if step)
    return made


def _cropped(pair: Dict[str, Any], width: int, height: int) -> Tuple[int, int]:
    own_width, own_height, x, y = map(int, pair["crop"].split(":"))
    if not 0 < own_width <= width - x or not 0 < own_height <= height - y:
        raise BatchError(BAD_INPUT, f"{pair['id']}: crop {pair['crop']} is not inside {pair['dis']['path']}, which is "
                                    f"{width}x{height}")
    return own_width, own_height


def _sizes(pair: Dict[str, Any], streams: Dict[str, Dict[str, Any]]) -> Dict[str, Tuple[int, int]]:
    """Sizes of both before scaling, and under "both" the size behind it."""
    sizes = {name: (stream["width"], stream["height"]) for name, stream in streams.items()}
    if pair["crop"]:
        sizes["dis"] = _cropped(pair, *sizes["dis"])
    width, _, height = (pair["display"] or "").partition("x")
    sizes["both"] = (int(width), int(height)) if height else sizes["ref"]
    return sizes


def film_grain(pair: Dict[str, Any], hwaccel: Optional[str]) -> Dict[str, str]:
    """What the decoders do with film grain: they add it, but that hardware does so for AV1 alone. "none": the first
    frames have none."""
    found = {}
    for name, is_off in ("ref", False), ("dis", pair["grain"] == "off"):
        stream = pair[name]["stream"]
        is_added = not is_off and (hwaccel is None or stream["codec_name"] == "av1")
        found[name] = "none" if "grain" not in stream["tags"] else "added" if is_added else "off"
    return found


def _tags_of(stream: Dict[str, Any], grain: str) -> Dict[str, str]:
    return {name: text for name, text in stream["tags"].items() if name != "grain" or grain == "added"}


def _named(programs: Programs, pair: Dict[str, Any], name: str, stream: Dict[str, Any]) -> str:
    """The manifest's pixel format, which says the format alone: RGB would get a matrix and range by chance."""
    if pair["pix_fmt"] not in programs.own.pixel_formats:
        raise BatchError(USAGE, f"{pair['id']}: pix_fmt '{pair['pix_fmt']}' is not allowed; expected auto, or one of ffmpeg -pix_fmts")
    if not re.match(r"yuv|nv|p\d|uyvy|yvyu|y2|xv|vuy|ayuv", stream["pix_fmt"] or "yuv"):
        raise BatchError(BAD_INPUT, f"{pair['id']}: pix_fmt {pair['pix_fmt']} tells neither matrix nor range, and "
                                    f"{pair[name]['path']} is {stream['pix_fmt']}; leave pix_fmt at auto")
    return str(pair["pix_fmt"])


def _in_search(advice: Advice, vf: str) -> List[str]:
    """What a search filters its reference by, before main is made of it. A trial of another size is another encode."""
    filters, of_main = advice.filters["ref"], advice.filters["dis"]
    is_possible = filters and of_main in ("", filters) and not filters.startswith("scale=")
    return [f"--vf {vf},{filters}" if vf else f"--vf {filters}"] if is_possible else []


def _map_of(pair: Dict[str, Any], name: str) -> str:
    """The words of a command for a stream that the user named, which ffmpeg may not choose by itself."""
    stream = pair[f"stream_{name}"]
    return "" if stream is None else f" -map 0:{stream}"


def _files(pair: Dict[str, Any], advice: Advice, words: Words) -> Iterator[str]:
    """What we have no option for is done by FFmpeg, which makes another file."""
    for name, made in ("dis", "MAIN"), ("ref", "REFERENCE"):
        option, filters = advice.options[name], "" if any(advice.options.values()) else advice.filters[name]
        if name == "dis" and "film_grain" in option:
            yield words.way("grain", "off")
        elif option or filters:
            command = [option, f"-i {in_shell(pair[name]['path'])}{_map_of(pair, name)}", f'-vf "{filters}"' if filters else ""]
            yield f"ffmpeg {' '.join(word for word in command if word)} -c:v ffv1 {made}.mkv"


def _worded(pair: Dict[str, Any], advice: Advice, words: Words) -> str:
    """The advice in words of our command lines and manifests, which have no formats=asis."""
    text = re.sub(r" \(formats=asis: [^)]*\)", "", advice.text)
    if words.vf is not None:
        ways = _in_search(advice, words.vf)
    elif advice.is_scaling_enough:
        ways = [words.way("display", "{}x{}".format(*(pair["ref"]["stream"][side] for side in ("width", "height"))))]
    elif advice.model:
        ways = [words.way("model", f"version={advice.model}", "models")]
    else:
        ways = list(_files(pair, advice, words))
    return f"{text}, e.g. {', and '.join(ways)}" if ways else text


def _inputs(programs: Programs, pair: Dict[str, Any], streams: Dict[str, Dict[str, Any]]) -> Inputs:
    sizes, words = _sizes(pair, streams), (*tool_words(pair), *([] if pair["display"] is None else ["--scale", "bicubic"]))
    texts = {}
    for name, stream in streams.items():
        tags = {**_tags_of(stream, pair["film_grain"][name]),
                "size": "{}x{}".format(*sizes["both" if pair["display"] else name])}
        if pair["pix_fmt"] != "auto":
            tags["format"] = _named(programs, pair, name, stream)
        if pair["display"] and sizes[name] != sizes["both"]:
            tags.pop("sar", None)  # scaling keeps the shape of the picture
        if pair["crop"]:
            tags.pop("stored", None)
        texts[name] = ":".join(f"{key}={value}" for key, value in tags.items())
    return programs.inputs(texts["ref"], texts["dis"], words)


def _looked_at(programs: Programs, pair: Dict[str, Any], streams: Dict[str, Dict[str, Any]]) -> Inputs:
    """Whether FFmpeg turns pictures is asked only where it matters: it takes a second look at the file."""
    found = _inputs(programs, pair, streams)
    is_wanted = found.needs_new or are_swapped(*(_sizes(pair, streams)[name] for name in ("ref", "dis")))
    turned = [name for name, stream in streams.items() if is_wanted and not remote.is_url(pair[name]["path"]) and
              index.is_turned(programs, pathlib.Path(pair[name]["path"]), stream["index"])]
    if not turned:
        return found
    return _inputs(programs, pair, {
        name: {**stream, "tags": {**stream["tags"], **({"turned": "1"} if name in turned else {})}}
        for name, stream in streams.items()})


def conversions(programs: Programs, pair: Dict[str, Any], streams: Dict[str, Dict[str, Any]],
                words: Words) -> Tuple[Inputs, List[str]]:
    """What FFmpeg has to convert, so that both runners give the number of a filter graph of a user; and warnings."""
    found = _looked_at(programs, pair, streams)
    said = [_worded(pair, advice, words) for advice in found.advices]
    for advice, text in zip(found.advices, said):
        if advice.is_refusal:
            raise BatchError(BAD_INPUT, f"{pair['id']}: {text}")
    if found.needs_new and not programs.own.is_new:
        name = "dis" if found.filters["dis"] else "ref"
        raise BatchError(BAD_INPUT, f"{pair['id']}: {pair[name]['path']} has to be converted, by FFmpeg 7.0 or later (--ffmpeg "
                                    f"names one), e.g. ffmpeg -i INPUT{_map_of(pair, name)} -vf \"{found.filters[name]}\" "
                                    "-c:v ffv1 FILE.mkv")
    return found, said


def chains(pair: Dict[str, Any], streams: Dict[str, Dict[str, Any]], convert: Dict[str, str],
           are_on_gpu: bool = False) -> Dict[str, str]:
    """Filters for both videos, so that they have one size and one pixel format. Part of the key.

    convert: what conversions() found. are_on_gpu: the frames come from a hardware decoder. "scale" is then what the filter
    vmaf_gpu has to do.
    """
    form = None if pair["pix_fmt"] == "auto" else str(pair["pix_fmt"])
    size = _sizes(pair, streams)["both"]
    made = {"ref": _chain(pair, streams["ref"], size, form, None, convert["ref"]),
            "dis": _chain(pair, streams["dis"], size, form, pair["crop"], convert["dis"])}
    return _on_gpu(pair, streams, made) if are_on_gpu else made
