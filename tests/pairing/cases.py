# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The rows of the pairing matrix: which file is compared with which, and what must come out.

122 rows in the groups of GROUPS, and more cases in the group "more", which no total counts. A row
says what `pair=auto` does with frames that have no partner, which counts it must report, and which
warnings. The pair lists themselves come from the numbers that the files carry (expect.py).
"""
import random
from dataclasses import dataclass

from files import RATES, Joined, changed, clip, remux
from files import Derived as made

GROUPS = {
    "rounding": 28, "same -ss": 7, "constant offset": 14, "audio beside video": 6,
    "dropped, frozen, truncated, filled": 19, "other rate on purpose": 17, "other clock": 11,
    "VFR": 5, "remux": 5, "user's setpts, settb, -r": 4, "itself": 1, "short": 5,
}
MORE = "more"
TOTAL = 122


@dataclass(frozen=True)
class Input:
    """A file as the command line names it, with options before -i and filters behind it."""
    file: object
    before: tuple = ()
    vf: str = ""


@dataclass(frozen=True)
class Row:
    group: str
    name: str
    main: Input
    reference: Input
    # What auto does with a main frame whose picture the reference lacks, between pairs.
    lonely: str = "unpaired"  # or "held": it meets the reference frame before
    # "perfect"; or a known limit: "time", "index": the list of that rule; "most": only counted
    auto: str = "perfect"
    says: frozenset = frozenset()  # warnings beyond those that follow from the counts
    counts: tuple = ()  # (key, value) of the log's object, beyond what follows from the list
    wrong: object = None  # known limit: how many pairs are wrong at most

    @property
    def key(self):
        return f"{self.group}: {self.name}"


def as_input(thing):
    return thing if isinstance(thing, Input) else Input(thing)


def row(group, name, main, reference, says="", counts=None, **fields):
    return Row(group, name, as_input(main), as_input(reference), says=frozenset(says.split()),
               counts=tuple(sorted((counts or {}).items())), **fields)


def seconds(frames, rate):
    """So many frames of this rate, as a decimal for the command line."""
    numerator, _, denominator = RATES.get(rate, rate).partition("/")
    return f"{frames * int(denominator or 1) / int(numerator):.6f}"


# ------------------------------------------------------------------ files

def reference(ext="mp4", rate="25", **changes):
    """What a reference looks like unless the row is about codecs: H.264, high quality."""
    return clip(ext, "h264", rate, quality=12, **changes)


def kept(condition, ext, rate, **changes):
    """Only the frames for which `condition` of FFmpeg's select holds; they keep their times."""
    return clip(ext, rate=rate, vf=f"select='{condition}'", out=("-fps_mode", "vfr"), **changes)


def timed(expression, ext, rate, audio="", **changes):
    """Times by an expression of FFmpeg's setpts, in units of 1/90000 s."""
    scale = ("-video_track_timescale", "90000") if ext in ("mp4", "mov") else ()
    return clip(ext, rate=rate, audio=audio, vf=f"settb=1/90000,setpts='{expression}'",
                out=("-fps_mode", "passthrough", "-enc_time_base", "1:90000", *scale), **changes)


def delayed(recipe, frames, rate):
    return Input(recipe, before=("-itsoffset", seconds(frames, rate)))


# ------------------------------------------------------------------ groups

def rounding():
    plan = [
        ("23.976", "h264 mp4", "h264 mkv"), ("23.976", "hevc mkv", "h264 mp4"),
        ("23.976", "vp9 webm", "h264 mov"), ("23.976", "h264 ts", "h264 mkv"),
        ("24", "h264 mkv", "h264 mp4"), ("24", "av1 webm", "h264 mp4"),
        ("24", "prores mov", "h264 mkv"),
        ("25", "mpeg4 avi", "h264 mkv"), ("25", "mpeg2 ts", "h264 mp4"),
        ("29.97", "h264 mkv", "h264 mp4"), ("29.97", "vp8 webm", "h264 mp4"),
        ("29.97", "h264 ts", "h264 mkv"), ("29.97", "ffv1 nut", "h264 mkv"),
        ("30", "h264 mp4", "h264 mkv"), ("30", "frames y4m", "h264 mkv"),
        ("30", "h264 mov", "vp9 webm"),
        ("50", "h264 mkv", "h264 ts"), ("50", "h264 mp4", "mpeg4 avi"),
        ("59.94", "h264 mkv", "h264 mp4"), ("59.94", "h264 mp4", "h264 mkv"),
        ("59.94", "hevc ts", "h264 mp4"), ("59.94", "av1 mkv", "frames y4m"),
        ("60", "vp9 webm", "h264 mp4"), ("60", "h264 mkv", "h264 mov"),
        ("60", "h264 mp4", "ffv1 nut"),
        ("120", "h264 mkv", "h264 mp4"), ("120", "h264 mp4", "h264 ts"),
        ("240", "h264 mkv", "h264 mp4"),
    ]
    for rate, main, ref in plan:
        (codec, ext), (ref_codec, ref_ext) = main.split(), ref.split()
        yield row("rounding", f"{rate} {main}, {ref}", clip(ext, codec, rate),
                  clip(ref_ext, ref_codec, rate, quality=12), counts={"by_number": 120})


def same_seek():
    plan = [("23.976", "mkv", "mp4", "1.0"), ("25", "mp4", "mp4", "1.23"),
            ("29.97", "mp4", "mkv", "0.7"), ("59.94", "mkv", "ts", "0.361"),
            ("24", "mov", "mp4", "1.5123"), ("30", "mov", "ts", "1.31"),
            ("50", "mkv", "webm", "0.513")]
    for rate, ext, main_ext, start in plan:
        source = reference(ext, rate)
        cut = ("-ss", start, "-t", "1.5" if rate in ("59.94", "50") else "2.5")
        main = made(source, main_ext, codec="vp9" if main_ext == "webm" else "h264", before=cut)
        yield row("same -ss", f"{rate} {ext} -ss {start}, {main_ext}", main, Input(source, cut))


def constant_offset():
    def one(rate, frames, main_ext="mp4", ref_ext="mp4", kind="pan", later="main", **fields):
        main, ref = clip(main_ext, rate=rate, kind=kind), reference(ref_ext, rate, kind=kind)
        pair = (delayed(main, frames, rate), ref) if later == "main" else (
            main, delayed(ref, frames, rate))
        if frames >= 1 and "says" not in fields:
            fields["says"] = "by_pictures"
        name = f"{rate} {kind} {main_ext}, {ref_ext}: {later} {frames} frames later"
        return row("constant offset", name, *pair, **fields)

    yield one("25", 0.2)
    yield one("24", 0.5, "mkv", "mp4")
    yield one("30", 0.7, "mp4", "mkv", later="reference")
    yield one("23.976", 0.9)
    yield one("25", 0.9, later="reference")
    yield one("25", 1)
    yield one("59.94", 1.3, "mkv", "mp4")
    yield one("24", 1.5, "mp4", "mkv", later="reference")
    yield one("29.97", 2, "mkv", "mkv")
    yield one("25", 2.5)
    yield one("50", 2.5, "ts", "mp4", kind="local", later="reference")
    yield one("30", 5, "mkv", "mp4", kind="local")
    yield one("24", 12, later="reference")
    yield one("25", 2, kind="still", auto="time", says="undecided")


def audio_beside():
    plan = [("59.94", "mkv", "aac", "mp4"), ("25", "mkv", "aac", "mp4"), ("30", "mp4", "aac", "mp4"),
            ("25", "webm", "libopus", "mkv"), ("25", "ts", "mp2", "mp4"), ("24", "mkv", "ac3", "mov")]
    for rate, ext, audio, ref_ext in plan:
        codec = "vp9" if ext == "webm" else "h264"
        # The priming of AAC is 1.28 frames of 59.94 fps.
        yield row("audio beside video", f"{rate} {ext} with {audio}, {ref_ext}",
                  clip(ext, codec, rate, audio=audio), reference(ref_ext, rate),
                  "by_pictures" if rate == "59.94" else "",
                  counts={"by_number": 120})


def dropped():
    group, rate = "dropped, frozen, truncated, filled", "23.976"
    mp4, mkv = reference("mp4", rate), reference("mkv", rate)

    def one(name, main, ref, says="", counts=None, **fields):
        return row(group, name, main, ref, says, counts, **fields)

    for first, last in ((50, 52), (40, 69)):
        missing = last - first + 1
        for ext, ref in (("mp4", mkv), ("mkv", mp4)):
            yield one(f"{first}-{last} missing, {ext}",
                      kept(f"not(between(n,{first},{last}))", ext, rate), ref, "",
                      {"pairs": 120 - missing, "unpaired_reference.middle": missing})
    yield one("first missing, times kept, mp4", kept("gte(n,1)", "mp4", rate, audio="aac"), mkv,
              counts={"pairs": 119, "unpaired_reference.begin": 1})
    yield one("first 3 missing, times kept, mkv", kept("gte(n,3)", "mkv", rate, audio="ac3"), mp4,
              counts={"pairs": 117, "unpaired_reference.begin": 3})
    lost = {"pairs": 117, "unpaired_reference.begin": 3}
    yield one("first 3 missing, times lost", clip("mp4", rate=rate, drop=range(3)), mkv,
              "corrections", lost)
    yield one("first 3 missing, times lost, CRF 50",
              clip("mp4", rate=rate, drop=range(3), quality=50), mkv, "",
              {"pairs": 117, "unpaired_reference.end": 3}, auto="time", wrong=117)
    yield one("first missing, times lost", clip("mkv", rate=rate, drop=range(1)), mp4,
              "corrections", auto="most", wrong=30)
    yield one("every 5th missing", kept("mod(n+1,5)", "mkv", rate), mp4, "",
              {"pairs": 96, "unpaired_reference.end": 1})
    gone = sorted(random.Random(5).sample(range(2, 118), 12))
    some = "+".join(f"eq(n,{n})" for n in gone)
    yield one("10 % at random missing", kept(f"not({some})", "mp4", rate), mkv, "",
              {"pairs": 108, "unpaired_reference.middle": 12})
    for frozen in (3, 20):
        numbers = [n if not 50 <= n < 50 + frozen else 49 for n in range(120)]
        yield one(f"{frozen} frozen", clip("mkv", rate=rate, numbers=numbers), mp4,
                  counts={"pairs": 120, "by_number": 120})
    yield one("reference lacks 50-52", clip("mkv", rate=rate),
              changed(kept("not(between(n,50,52))", "mp4", rate), quality=12),
              "", {"pairs": 120, "repeated_reference": 3}, lonely="held")
    yield one("main lacks the last 20", clip("mp4", rate=rate, frames=100), mkv, "",
              {"pairs": 100, "unpaired_reference.end": 20})
    yield one("reference lacks the last 20", clip("mkv", rate=rate),
              reference("mp4", rate, frames=100), "",
              {"pairs": 100, "unpaired_main.end": 20})
    yield one("main has 2 more at the beginning", clip("mp4", rate=rate, frames=122),
              reference("mkv", rate, numbers=range(2, 122)), "corrections",
              {"pairs": 120, "unpaired_main.begin": 2})
    yield one("50-52 missing, filled up",
              clip("mkv", rate=rate, vf="select='not(between(n,50,52))',fps=24000/1001"), mp4,
              counts={"pairs": 120, "by_number": 120})
    yield one("50-51 missing, times closed up", clip("mp4", rate=rate, drop=(50, 51)), mkv,
              "corrections", {"pairs": 118, "unpaired_reference.middle": 2})


def other_rate():
    group = "other rate on purpose"

    def one(old, new, how, ref_ext="mkv", main_ext="mp4", says="", counts=None, **fields):
        source = reference(ref_ext, old)
        value = RATES.get(new, new)
        options = {"vf": f"fps={value}"} if how == "fps" else {"out": ("-r", value)}
        return row(group, f"{old} {ref_ext} to {new} {main_ext} by {how}",
                   made(source, main_ext, **options), source, says, counts, **fields)

    # The encoder's -r delays pictures; -r writes a frame or two more than fps.
    yield one("60", "30", "-r", says="corrections")
    yield one("50", "25", "-r", says="corrections")
    yield one("59.94", "29.97", "-r", says="corrections")
    yield one("60", "30", "fps")
    yield one("50", "25", "fps", "mp4", "mkv")
    yield one("59.94", "29.97", "fps")
    yield one("24", "30", "fps")
    yield one("24", "30", "-r")
    yield one("24", "60", "fps", "mp4", "mkv")
    yield one("24", "60", "-r")
    yield one("30", "24", "fps")
    yield one("30", "24", "-r", says="corrections")
    yield one("60", "24", "fps")
    yield one("120", "60", "fps")
    yield one("30", "60", "fps")
    yield one("25", "30", "fps")
    yield one("24", "2", "fps", says="corrections", auto="most", wrong=10)


def other_clock():
    def one(rate, ref_rate, main_ext="mp4", ref_ext="mp4", frames=120, says="", **fields):
        return row("other clock", f"{rate} {main_ext} against {ref_rate} {ref_ext}",
                   clip(main_ext, rate=rate, frames=frames),
                   reference(ref_ext, ref_rate, frames=frames), says,
                   {"pairs": frames, "by_number": frames}, **fields)

    raw = Input(clip("yuv", "raw"), ("-f", "rawvideo", "-video_size", "320x192",
                                     "-pixel_format", "yuv420p"))
    yield one("24", "23.976", frames=1200)
    yield one("23.976", "24", "mkv")
    yield one("29.97", "30", "mkv", "mkv")
    yield one("60", "59.94", "mp4", "mkv")
    yield one("25", "24")
    yield one("24", "25", "mkv", "mp4")
    yield one("25", "23.976", "mp4", "mkv")
    yield row("other clock", "y4m at 25 against 30", clip("y4m", "frames"), reference("mp4", "30"),
              "corrections", {"pairs": 120, "by_number": 120})
    yield row("other clock", "raw at 25 against 29.97", raw, reference("mkv", "29.97"),
              "corrections", {"pairs": 120, "by_number": 120})
    yield row("other clock", "raw at 25 against 23.976", raw, reference("mp4", "23.976"), "", {"pairs": 120, "by_number": 120})
    yield row("other clock", "30 against raw at 25", clip("mkv", rate="30"), raw, "corrections",
              {"pairs": 120, "by_number": 120})


def vfr():
    jitter = "(N+0.4*sin(12.9898*N))*3000"
    phone = "(N*3003+gte(N,40)*9009+gte(N,41)*1700+mod(N,3)*90)"
    sparse = "(N*9000+floor(N/5)*63000+mod(N*N,7)*1000)"
    camera = "if(lt(N,60),N*3000,180000+(N-60)*6000)"
    for name, times, main_ext, ref_ext in (("jitter", jitter, "mp4", "mkv"),
                                           ("phone", phone, "mkv", "mp4"),
                                           ("sparse", sparse, "mp4", "mkv"),
                                           ("30, then 15", camera, "ts", "mkv")):
        yield row("VFR", f"{name}, {main_ext}, {ref_ext}", timed(times, main_ext, "30"),
                  timed(times, ref_ext, "30", quality=12), counts={"by_number": 120})
    source = timed(jitter, "mkv", "30", quality=12)
    yield row("VFR", "jitter to 30", made(source, "mp4", vf="fps=30"), source)


def remuxed():
    for rate, ext, other in (("25", "mp4", "mkv"), ("25", "mkv", "mp4"), ("50", "mp4", "ts"),
                             ("25", "ts", "mkv"), ("29.97", "mp4", "mkv")):
        source = clip(ext, rate=rate)
        yield row("remux", f"{rate} {ext}, {other}", source, remux(source, other),
                  counts={"by_number": 120})


def by_user():
    group, main, ref = "user's setpts, settb, -r", clip("mkv", rate="24"), reference("mp4", "24")
    for name, vf in (("settb, setpts-STARTPTS", "settb=AVTB,setpts=PTS-STARTPTS"),
                     ("setpts by number", "settb=1/24,setpts=N"),
                     ("setpts doubled", "setpts=2*PTS")):
        yield row(group, name, Input(main, vf=vf), Input(ref, vf=vf), counts={"by_number": 120})
    yield row(group, "-r 24 before both", Input(main, ("-r", "24")), Input(ref, ("-r", "24")),
              counts={"by_number": 120})


def itself():
    same = clip("mkv", rate="23.976")
    yield row("itself", "23.976 mkv", same, same, counts={"by_number": 120})


def short():
    for frames in (1, 2, 3, 5):
        yield row("short", f"{frames} frames", clip("mkv", rate="24", frames=frames),
                  reference("mp4", "24", frames=frames), counts={"pairs": frames})
    yield row("short", "one PNG as reference", clip("mp4", rate="24", numbers=(0,) * 120),
              clip("png", "png", rate="24", frames=1), "",
              {"pairs": 120, "repeated_reference": 119})


def more():
    main, ref = clip("mkv", rate="25"), reference("mp4", "25")
    for frames in (1, 5):
        yield row(MORE, f"still, {frames} frames later",
                  delayed(clip("mp4", kind="still"), frames, "25"),
                  reference("mkv", kind="still"), "undecided",
                  auto="time")
    yield row(MORE, "100 frames later", delayed(main, 100, "25"), ref,
              "undecided", {"pairs": 20, "unpaired_main.end": 100,
                                      "unpaired_reference.begin": 100}, auto="time")
    yield row(MORE, "one main frame", clip("mp4", frames=1), ref, "",
              {"pairs": 1, "unpaired_reference.end": 119})
    # The noise of setpts' NAN is FFmpeg's word for "no time".
    lacking, back = "if(eq(mod(N,10),5),NAN,PTS)", "if(eq(mod(N,10),5),PTS-3/25/TB,PTS)"
    for side in ("main", "reference"):
        for name, key, expression in (("every tenth without time", "no_time", lacking),
                                      ("every tenth steps back", "backward", back),
                                      ("no times at all", "no_time", "NAN")):
            a, b = (f"setpts='{expression}'" if side == s else "" for s in ("main", "reference"))
            counted = f"{'without' if key == 'no_time' else 'backward'}_time.{side}"
            yield row(MORE, f"{side}: {name}", Input(main, vf=a), Input(ref, vf=b), key,
                      {"pairs": 120, "by_number": 120,
                       counted: 120 if expression == "NAN" else 12})
    twice = "(N*9000+floor(N/5)*63000+mod(N*N,7)*3000)"  # 5 and 6, and every 35 on, at one time
    yield row(MORE, "VFR, two frames at one time", timed(twice, "mp4", "30"),
              timed(twice, "mkv", "30", quality=12), "backward")
    source = reference("mkv", "25")
    cut = ("-ss", "1.2015", "-t", "2.5")
    yield row(MORE, "-ss, 0.96 frames apart", made(source, "mp4", before=cut), Input(source, cut),
              "by_pictures", {"by_number": 63})
    source = reference("ts", "30", out=("-g", "12"))  # MPEG-TS is sought by key frames
    cut = ("-ss", "1.3", "-t", "2.5")
    yield row(MORE, "ts -ss 1.3, many frames apart", made(source, "mp4", before=cut),
              Input(source, cut), "by_pictures")
    joined = Joined((clip("ts", frames=60), clip("ts", numbers=range(60, 120))))
    yield row(MORE, "ts with a jump back", joined, ref, counts={"by_number": 120})
    yield row(MORE, "ts with a jump back, -copyts", Input(joined, ("-copyts",)),
              Input(reference("ts"), ("-copyts",)), "backward", {"by_number": 120, "backward_time.main": 60})


def all_rows():
    """The 122 rows, then those of the group "more"."""
    rows = []
    for group in (rounding, same_seek, constant_offset, audio_beside, dropped, other_rate,
                  other_clock, vfr, remuxed, by_user, itself, short):
        rows += group()
    if len(rows) != TOTAL or {g: sum(r.group == g for r in rows) for g in GROUPS} != GROUPS:
        raise ValueError("the matrix does not have its rows")
    rows += more()
    if len({r.key for r in rows}) != len(rows):
        raise ValueError("two rows have one name")
    return rows
