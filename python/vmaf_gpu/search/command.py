# SPDX-License-Identifier: BSD-2-Clause-Patent
"""vmaf-gpu search: its options, and what it says. Exit statuses: those of batch/errors.py, and NOT_REACHED."""
import argparse
import dataclasses
import itertools
import pathlib
import re
import sys
import tempfile
from typing import Any, Callable, Dict, List, Set, Tuple

from vmaf_gpu.batch import files, index, manifest, plot, remote, scoring, specs
from vmaf_gpu.batch.errors import DONE, USAGE, BatchError, option
from vmaf_gpu.search import encoders, finder, store, trial

NOT_REACHED = 3
SCHEMA = "vmaf_gpu.search/1"


_TARGET = option("a score, -10000 to 1000", r"[-+]?(\d+\.?\d*|\.\d+)", float, -10000, 1000)  # ssimulacra2 may be far below 0
_LIMITS = option("two values, as in 18:40", r"\d+(\.\d+)?:\d+(\.\d+)?", lambda text: tuple(map(float, text.split(":"))))
_STEP = option("a number from 0.001 to 50", r"\d+|\d*\.\d{1,3}", float, 0.001, 50)
_SIZE = option("a size, as in 1280x720, or source", r"[1-9]\d{0,4}x[1-9]\d{0,4}|source")
_SAMPLES = option("an even number from 4", r"\d{0,3}[02468]", int, 4)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("reference")
    parser.add_argument("--encoder", required=True, metavar="NAME", help="of ffmpeg, as in libx265")
    parser.add_argument("--target", type=_TARGET, action="append", required=True, metavar="SCORE", help="may be repeated")
    parser.add_argument("--metric", choices=list(trial.METRICS), default="vmaf")
    parser.add_argument("--model", metavar="SPEC", help="another model, as for vmaf_gpu")
    parser.add_argument("--pool", choices=trial.POOLS, default="mean", help="of the scores of all frames")
    parser.add_argument("--by", choices=("quality", "bitrate"), default="quality",
                        help="quality: the encoder's option for it (crf, cq, qp)")
    parser.add_argument("--range", type=_LIMITS, metavar="A:B", help="look only there")
    parser.add_argument("--step", type=_STEP, metavar="N", help="of the option, if the encoder takes fractions")
    parser.add_argument("--preset", metavar="NAME", help="the encoder's option for speed")
    parser.add_argument("--pix-fmt", metavar="NAME", help="what the encoder gets, as in yuv420p10le")
    parser.add_argument("--scale", type=_SIZE, action="append", metavar="WxH|source",
                        help="size that is encoded, and scored at that of the reference; of several the best one is said")
    parser.add_argument("--vf", default="", metavar="FILTERS", help="before encoding; scores compare with what they give")
    parser.add_argument("--samples", type=_SAMPLES, nargs="?", const=16, metavar="N",
                        help=f"search on N stretches of {finder.SECONDS} s (16), then verify on the whole video")
    parser.add_argument("--no-verify", action="store_true", help="with --samples: the estimate is enough")
    parser.add_argument("--keep", metavar="FOLDER", help="encoded videos stay there")
    parser.add_argument("--cache", metavar="FOLDER", help="of measured points")
    parser.add_argument("--json", metavar="FILE", help="all points and answers")
    parser.add_argument("--against", metavar="FILE", help="BD-rate against the --json of another search")
    parser.add_argument("--plot", metavar="FILE", help="draw scores over rates: .svg, .png or .pdf")
    parser.add_argument("--encoder-ffmpeg", metavar="PATH", help="the ffmpeg that encodes; default: the one that scores")


def reporter(is_quiet: bool) -> Callable[[str, bool], None]:
    """Lines that stay, and one that changes."""
    is_terminal = sys.stderr.isatty()
    shown = [0]

    def report(text: str, stays: bool) -> None:
        if is_quiet or not (stays or is_terminal):
            return
        clear = "\r" + " " * shown[0] + "\r" if is_terminal else ""
        print(clear + text, end="\n" if stays else "", file=sys.stderr, flush=True)
        shown[0] = 0 if stays else len(text)
    return report


# Options of ffmpeg that have no value: the word behind one would be an output. And those that would change what is encoded
# or scored, which the search itself says.
_REFUSED = frozenset(
    "accurate_seek an apply_cropping auto_conversion_filters autorotate autoscale benchmark benchmark_all bitexact "
    "bsfs buildconf codecs colors copy_unknown copyinkf copypriorss copyts debug_ts decoders demuxers devices "
    "dispositions dn dump encoders filters find_stream_info fix_sub_duration formats h help hex hide_banner hwaccels "
    "ignore_unknown intra L layouts muxers n pix_fmts protocols psnr qphist re recast_media reinit_filter report "
    "sample_fmts seek_timestamp shortest sinks sn sources start_at_zero stats stdin version vn vstats xerror y "
    "c codec f filter filter_complex filter_complex_script filter_script force_fps fps_mode fpsmax frames fs i lavfi "
    "map r s ss sseof t target to vf vsync bitrate crf cq global_quality q qp qscale".split())


def _names(word: str, value: str) -> Set[str]:
    """What an option may be called in _REFUSED: -nostats is -stats, -vcrf:0 is -crf, and -x264-params crf=1, too."""
    found = re.match(r"-(\w[\w-]*)(:|$)", word)
    if found is None:
        return set()
    name = found[1]
    inner = {item.split("=")[0] for item in value.split(":")} if re.search("(params|opts)$", name) else set()
    return {name, re.sub("^v", "", name), re.sub("^no", "", name)} | inner & {"bitrate", "crf", "qp"}


def _check_words(words: List[str], option: str) -> None:
    """Options of the encoder behind --, each with a value: a word too many would be an output of ffmpeg."""
    for word, value in itertools.zip_longest(words[::2], words[1::2]):
        names = _names(word, value or "")
        if not names or value is None or names & {*_REFUSED, option.split(":")[0]}:
            raise BatchError(USAGE, f"behind --: '{word}' is not allowed; expected options of the "
                                    "encoder with their values, and none that the search sets, as in -tune film")


def _recipe(options: argparse.Namespace, request: scoring.Request) -> trial.Recipe:
    """Refuses what is known to fail before anything is encoded."""
    metric = finder.metric_of(options)
    request.keys.update(models=[specs.model_spec(text, pathlib.Path.cwd()) for text in metric.models],
                        features=list(metric.features))
    request.programs.history(specs.tool_words({**manifest.DEFAULTS, **request.keys}))
    coder = encoders.Coder(options.encoder_ffmpeg or request.programs.ffmpeg)
    encoder = coder.encoder(options.encoder, options.by)
    _check_words(options.words, encoder.knob.option)
    first = tuple(encoder.knob.words(encoder.knob.nearest(encoder.knob.guess)))
    encoder = dataclasses.replace(encoder, knob=encoders.narrowed(encoder.knob, options.range, options.step))
    return trial.Recipe(coder, options.encoder, encoder, options.preset, options.pix_fmt, None, options.words, first,
                        store.named_files([options.vf, *options.words]))


def _best(searches: List[finder.Search], target: float) -> Tuple[Dict[str, Any], str]:
    """The fewest bytes of all sizes, and what is said of it; the best score if none reaches the target."""
    answers = [search.answer(target) for search in searches]
    reached = [answer for answer in answers if answer["is_reached"]]
    best = min(reached, key=lambda one: int(one["bytes"])) if reached else max(answers, key=lambda one: float(one["score"]))
    best["trials"] = sum(answer["trials"] for answer in answers)
    size = f"{best['scale']}, " if best["scale"] else ""
    how = "as the samples say, " if best["is_estimate"] else ""
    text = best.pop("text")
    if not reached:
        return best, f"target {target:g} is not reached; the best is {size}{text}"
    return best, (f"target {target:g} is reached by {size}{text}, {how}{best['bytes']} bytes; {best['trials']} trials\n"
                  f"{best['command']}")


def _document(options: argparse.Namespace, searches: List[finder.Search], answers: List[Dict[str, Any]]) -> Dict[str, Any]:
    """For --json."""
    first = searches[0]
    return {"schema": SCHEMA, "reference": str(first.video.path), "encoder": options.encoder, "option": first.knob.option,
            "metric": first.metric.column, "models": list(first.metric.models), "pool": options.pool,
            "versions": {**first.request.programs.versions, "encoder_ffmpeg": first.recipe.coder.version},
            "answers": answers, "points": [point for search in searches for point in search.points()]}


def _front(points: List[Dict[str, Any]], pool: str) -> List[Tuple[float, float]]:
    """Rate and score of the points that no other one beats, of all sizes together: scores rise with the rate."""
    found: List[Tuple[float, float]] = []
    measured = [point for point in points if not point["is_estimate"]] or points
    for rate, score in sorted((float(point["kbps"]), float(point["scores"][pool])) for point in measured):
        if not found or score > found[-1][1]:
            found.append((rate, score))
    return found


def _other(options: argparse.Namespace, metric: trial.Metric) -> List[Tuple[float, float]]:
    """The points of --against; BatchError if they are none of this metric."""
    path = pathlib.Path(options.against)
    document = files.read_json(path, SCHEMA)
    try:
        if document["metric"] != metric.column or document["models"] != list(metric.models):
            raise BatchError(USAGE, f"{path}: has scores of {' '.join(document['models'])}, this search those of "
                                    f"{' '.join(metric.models)}")
        return _front(document["points"], options.pool)
    except (KeyError, TypeError, ValueError) as error:
        raise BatchError(USAGE, f"{path}: has no points with --pool {options.pool}: {error}") from None


def _show(options: argparse.Namespace, searches: List[finder.Search], other: List[Tuple[float, float]]) -> None:
    """Plot, then BD-rate, which two points too few would end."""
    points = {search.scale or options.encoder: search.points() for search in searches}
    curves = {name: [(float(one["kbps"]), float(one["score"])) for one in found] for name, found in points.items()}
    if options.plot:
        beside = {pathlib.Path(options.against).name: other} if other else {}
        plot.draw(options.plot, searches[0].video.path.name, {**curves, **beside})
    if options.against:
        own = _front([point for found in points.values() for point in found], options.pool)
        print(f"BD-rate ({searches[0].metric.column}): {scoring.bd_rate(own, other, options.against):.3f} %", flush=True)


def _check(options: argparse.Namespace) -> None:
    """Checks options before anything is read."""
    if remote.is_url(options.reference):
        raise BatchError(USAGE, f"{options.reference}: a search reads its reference many times; fetch it first")
    scoring.check_output("--json", options.json, options.reference, ours=re.compile(b'"vmaf_gpu.search/'))
    scoring.check_output("--plot", options.plot, options.reference, ours=scoring.PLOT)
    if options.plot:
        plot.need(options.plot)
    if options.against:
        scoring.need_bjontegaard()
    if options.metric == "ssimulacra2" and options.pool == "harmonic_mean":
        raise BatchError(USAGE, "--pool harmonic_mean: scores of ssimulacra2 may be below 0, of which there is none")
    if options.samples and options.pool != "mean":
        raise BatchError(USAGE, f"--samples tells the mean of a video, not its {options.pool}: leave out one of both")
    for folder in options.keep, options.work:
        if folder:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)


def run(options: argparse.Namespace, request: scoring.Request) -> int:
    _check(options)
    recipe = _recipe(options, request)
    other = _other(options, finder.metric_of(options)) if options.against else []
    path = pathlib.Path(options.reference).absolute()
    content = files.identify(path)["content"]
    video = finder.Video(path, index.make(request.programs, path, options.index, options.stream_ref), content)
    report = reporter(request.is_quiet)
    request.is_quiet |= not sys.stderr.isatty()  # a trial's score has no lines of its own
    if recipe.named is None:
        report("measured points are not kept: it is not known which files --vf or the encoder's options read", True)
    if options.samples and not video.choose(request.programs, options.samples):
        report(f"the video is too short for {options.samples} samples: all of it is scored", True)
    with tempfile.TemporaryDirectory(prefix="vmaf-gpu-search-", dir=request.work) as folder:
        sizes = list(dict.fromkeys(None if size == "source" else size for size in options.scale or ["source"]))
        searches = [finder.Search(options, request, video, dataclasses.replace(recipe, scale=size), report,
                                  pathlib.Path(folder))
                    for size in sizes]
        found = [_best(searches, target) for target in dict.fromkeys(options.target)]
    answers = [answer for answer, _ in found]
    if options.json:  # first: nobody may read what is printed
        files.write_json(pathlib.Path(options.json).resolve(), _document(options, searches, answers))
    print("\n".join(text for _, text in found), flush=True)
    _show(options, searches, other)
    return DONE if all(answer["is_reached"] for answer in answers) else NOT_REACHED
