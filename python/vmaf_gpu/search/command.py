# SPDX-License-Identifier: BSD-2-Clause-Patent
"""vmaf-gpu search: its options, and what becomes of its answers. Exit statuses: those of batch/errors.py and answers.py."""
import argparse
import dataclasses
import itertools
import pathlib
import re
import sys
import tempfile
from typing import Any, Dict, List, Optional, Set, Tuple

from vmaf_gpu.batch import files, index, manifest, plot, remote, scoring, specs
from vmaf_gpu.batch.errors import USAGE, BatchError, counted, option
from vmaf_gpu.search import answers, encoders, finder, goals, sampling, store, trial
from vmaf_gpu.search.reporter import Reporter

SCHEMA = "vmaf_gpu.search/2"

_LIMITS = option("two values, as in 18:40", r"\d+(\.\d+)?:\d+(\.\d+)?", lambda text: tuple(map(float, text.split(":"))))
_STEP = option("a number from 0.001 to 50", r"\d+|\d*\.\d{1,3}", float, 0.001, 50)
_SIZE = option("a size, as in 1280x720, or source", r"[1-9]\d{0,4}x[1-9]\d{0,4}|source")
_SAMPLES = option("an even number from 4", r"\d{0,3}[02468]", int, 4)
_LENGTH = option("a length of 0.1 to 60 seconds", r"\d+(\.\d*)?|\.\d+", float, 0.1, 60)
_PERCENT = option("a number of percent, 0.01 to 1000", r"\d+(\.\d*)?|\.\d+", float, 0.01, 1000)
_BYTES = option("a whole number of bytes, as in 500000, 700k, 1.5M or 2G (1 k: 1000)", r"\d+|(\d+|\d*\.\d+)[kMG]", lambda text: int(
    float(text.rstrip("kMG")) * {"k": 10**3, "M": 10**6, "G": 10**9}.get(text[-1], 1)), 1)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("reference")
    parser.add_argument("--encoder", required=True, metavar="NAME", help="of ffmpeg, as in libx265")
    parser.add_argument("--target", type=goals.target, action="append", default=[], metavar="[NAME=]SCORE",
                        help="scores without a name ask for an answer each; those of a metric or pool (xpsnr=40, perc5=88, "
                             "neg.min=70) have to be reached as well")
    parser.add_argument("--max-percent", type=_PERCENT, metavar="P", help="no more than P %% of the source's video stream")
    parser.add_argument("--max-size", type=_BYTES, metavar="BYTES", help="of the video stream; also 700k, 1.5M, 2G")
    parser.add_argument("--metric", choices=list(goals.METRICS), help="default: vmaf")
    parser.add_argument("--model", metavar="SPEC", help="another model, as for vmaf_gpu")
    parser.add_argument("--pool", choices=goals.POOLS, help="of the scores of all frames; default: mean")
    parser.add_argument("--by", choices=("quality", "bitrate"), default="quality",
                        help="quality: the encoder's option for it (crf, cq, qp)")
    parser.add_argument("--range", type=_LIMITS, metavar="A:B", help="look only there")
    parser.add_argument("--step", type=_STEP, metavar="N", help="of the option, if the encoder takes fractions")
    parser.add_argument("--preset", metavar="NAME", help="the encoder's option for speed")
    parser.add_argument("--pix-fmt", metavar="NAME", help="what the encoder gets, as in yuv420p10le")
    parser.add_argument("--scale", type=_SIZE, action="append", metavar="WxH|source",
                        help="size that is encoded, and scored at that of the reference; of several the best one is said")
    parser.add_argument("--vf", default="", metavar="FILTERS", help="before encoding; scores compare with what they give")
    add_samples(parser, f"search on N stretches of {sampling.SECONDS:g} s (16), then verify on the whole video")
    parser.add_argument("--no-verify", action="store_true", help="with --samples: the estimate is enough")
    parser.add_argument("--keep", metavar="FOLDER", help="encoded videos stay there")
    parser.add_argument("--cache", metavar="FOLDER", help="of measured points")
    parser.add_argument("--json", metavar="FILE", help="all points and answers")
    parser.add_argument("--against", metavar="FILE", help="BD-rate against the --json of another search")
    parser.add_argument("--plot", metavar="FILE", help="draw scores over rates: .svg, .png or .pdf")
    parser.add_argument("--encoder-ffmpeg", metavar="PATH", help="the ffmpeg that encodes; default: the one that scores")


def add_samples(parser: argparse.ArgumentParser, what: str) -> None:
    """Options that score has as well."""
    parser.add_argument("--samples", type=_SAMPLES, nargs="?", const=16, metavar="N", help=what)
    parser.add_argument("--sample-length", type=_LENGTH, metavar="SECONDS",
                        help=f"of each, with --samples; default: {sampling.SECONDS:g}")


def sample_length(options: argparse.Namespace) -> float:
    """Seconds of a sample. Refuses a length without samples."""
    if options.sample_length is not None and not options.samples:
        raise BatchError(USAGE, "--sample-length has no meaning without --samples")
    return float(options.sample_length or sampling.SECONDS)


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
    scored = goals.scored(goals.shown_of(options))
    request.keys.update(models=[specs.model_spec(text, pathlib.Path.cwd()) for text in scored["models"]],
                        features=scored["features"])
    request.programs.history(specs.tool_words({**manifest.DEFAULTS, **request.keys}))
    coder = encoders.Coder(options.encoder_ffmpeg or request.programs.ffmpeg)
    encoder = coder.encoder(options.encoder, options.by)
    for name in (encoder.knob.option, *encoder.knob.also):
        _check_words(options.words, name)
    first = tuple(encoder.knob.words(encoder.knob.nearest(encoder.knob.guess)))
    encoder = dataclasses.replace(encoder, knob=encoders.narrowed(encoder.knob, options.range, options.step))
    return trial.Recipe(coder, options.encoder, encoder, options.preset, options.pix_fmt, None, options.words, first,
                        store.named_files([options.vf, *options.words]))


def _document(options: argparse.Namespace, searches: List[finder.Search], found: List[Dict[str, Any]]) -> Dict[str, Any]:
    """For --json."""
    first, goal = searches[0], goals.shown(options)
    answers = [{name: value for name, value in answer.items() if name != "text"} for answer in found]
    return {"schema": SCHEMA, "reference": str(first.video.path), "encoder": options.encoder, "option": first.knob.option,
            "metric": goal.metric.name, "models": list(goal.metric.models), "pool": goal.pool,
            "versions": {**first.request.programs.versions, "encoder_ffmpeg": first.recipe.coder.version},
            "answers": answers, "points": [point for search in searches for point in search.points()]}


def _front(points: List[Dict[str, Any]], goal: goals.Goal) -> List[Tuple[float, float]]:
    """Rate and score of the points that no other one beats, of all sizes together: scores rise with the rate. Infinite ones
    are no points of a curve."""
    found: List[Tuple[float, float]] = []
    measured = [point for point in points if not point["is_estimate"]] or points
    scores = [(float(point["kbps"]), point["scores"][goal.metric.name][goal.pool]) for point in measured]
    for rate, score in sorted((rate, float(score)) for rate, score in scores if score is not None):
        if not found or score > found[-1][1]:
            found.append((rate, score))
    return found


def _other(options: argparse.Namespace) -> List[Tuple[float, float]]:
    """The points of --against; BatchError if they are none of this metric."""
    path, goal = pathlib.Path(options.against), goals.shown(options)
    metric = goal.metric
    document = files.read_json(path, SCHEMA)
    try:
        if document["metric"] != metric.name or document["models"] != list(metric.models):
            raise BatchError(USAGE, f"{path}: has scores of {document['metric']} {' '.join(document['models'])}, this search "
                                    f"those of {metric.name} {' '.join(metric.models)}")
        return _front(document["points"], goal)
    except (KeyError, TypeError, ValueError) as error:
        raise BatchError(USAGE, f"{path}: has no points with {goal.pool}: {error}") from None


def _show(options: argparse.Namespace, searches: List[finder.Search], other: List[Tuple[float, float]]) -> None:
    """Plot, then BD-rate, which two points too few would end."""
    points = {search.scale or options.encoder: search.points() for search in searches}
    curves = {name: [(float(one["kbps"]), float(one["score"])) for one in found if one["score"] is not None] for name, found in points.items()}
    if options.plot:
        beside = {pathlib.Path(options.against).name: other} if other else {}
        plot.draw(options.plot, searches[0].video.path.name, {**curves, **beside})
    if options.against:
        own = _front([point for found in points.values() for point in found], goals.shown(options))
        print(f"BD-rate ({goals.shown(options).name}): {scoring.bd_rate(own, other, options.against):.3f} %", flush=True)


def _check(options: argparse.Namespace) -> None:
    """Checks options before anything is read."""
    if remote.is_url(options.reference):
        raise BatchError(USAGE, f"{options.reference}: a search reads its reference many times; fetch it first")
    manifest.finish([{"ref": options.reference, "dis": options.reference}], pathlib.Path.cwd(), ["the command line"])
    scoring.check_output("--json", options.json, options.reference, ours=re.compile(rb'^{\s*"answers": '))
    scoring.check_output("--plot", options.plot, options.reference, ours=scoring.PLOT)
    if options.plot:
        plot.need(options.plot)
    if options.against:
        scoring.need_bjontegaard()
    if not (options.target or options.max_percent or options.max_size):
        raise BatchError(USAGE, "what has to be reached is missing: --target, --max-percent or --max-size")
    sample_length(options)
    if options.no_verify and not options.samples:
        raise BatchError(USAGE, "--no-verify has no meaning without --samples")
    if options.model and options.metric:
        raise BatchError(USAGE, "--model and --metric both name the main score: leave out one of both")
    goals.check(options, goals.shown_of(options))
    for folder in options.keep, options.work:
        if folder:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            files.check_writable(pathlib.Path(folder))


def _limit(options: argparse.Namespace, video: finder.Video) -> Tuple[Optional[int], str]:
    """The bytes that are allowed, and what they are in words; of two limits the smaller one."""
    limits = []
    if options.max_percent:
        limits.append((int(sum(video.sizes) * options.max_percent / 100), f"{options.max_percent:g} % of the source"))
    if options.max_size:
        limits.append((options.max_size, counted(options.max_size, "byte")))
    return min(limits) if limits else (None, "")


def _read(options: argparse.Namespace, request: scoring.Request, report: Reporter) -> finder.Video:
    """The reference, and its samples."""
    path = pathlib.Path(options.reference).absolute()
    content = files.identify(path)["content"]
    video = finder.Video(path, index.make(request.programs, path, options.index, options.stream_ref), content, request.programs)
    if options.samples and not video.choose(options.samples, sample_length(options)):
        report(f"the video is too short for {options.samples} samples: all of it is scored", True)
    return video


def _with_points(options: argparse.Namespace, recipe: trial.Recipe, report: Reporter) -> trial.Recipe:
    """The recipe, whose points are not kept if it names none. Says so, and why. Only a folder that the user names has to be
    writable."""
    if recipe.named is None:
        report("measured points are not kept: it is not known which files --vf or the encoder's options read", True)
    elif not options.cache:
        try:
            store.default_folder().mkdir(parents=True, exist_ok=True)
            files.check_writable(store.default_folder())
        except OSError as error:
            report.warn("search", [store.unkept(error.filename, error)])
            return dataclasses.replace(recipe, named=None)
    return recipe


def run(options: argparse.Namespace, request: scoring.Request) -> int:
    _check(options)
    recipe = _recipe(options, request)
    other = _other(options) if options.against else []
    report = Reporter(request.is_quiet)
    request.is_quiet |= not sys.stderr.isatty()  # a trial's score has no lines of its own
    recipe = _with_points(options, recipe, report)
    video = _read(options, request, report)
    limit, room = _limit(options, video)
    asked = goals.asked(options)
    with tempfile.TemporaryDirectory(prefix="vmaf-gpu-search-", dir=request.work) as folder:
        sizes = list(dict.fromkeys(None if size == "source" else size for size in options.scale or ["source"]))
        searches = [finder.Search(options, request, video, dataclasses.replace(recipe, scale=size),
                                  goals.shown_of(options), report, pathlib.Path(folder))
                    for size in sizes]
        found = [answers.best(searches, one, limit) for one in asked]
    for answer in found:  # its trial may be one of an earlier search
        report.warn(f"{searches[0].knob.option} {answer['value']}", answer["warnings"])
    if options.json:  # first: nobody may read what is printed
        files.write_json(pathlib.Path(options.json).resolve(), _document(options, searches, found))
    print("\n".join(answers.text_of(answer, one, room) for answer, one in zip(found, asked)), flush=True)
    _show(options, searches, other)
    return answers.status_of(found)
