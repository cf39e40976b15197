#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""vmaf-gpu search of awkward sources: the command of the answer makes a file to which the filter, in a plain command, gives the
printed score, and what that file lacks is named.

    test_sources.py TOOL [--ffmpeg FFMPEG]      FFMPEG: one with the filter, without which no score is compared
"""
import json
import re
import shlex
import subprocess
import sys

import lab
from test_search import FAST, Searches

# name: words of ffmpeg that make a source of the clip `base`, and what the answer says that a file of it lacks.
SOURCES = {
    "offset.mkv": (["-c:v", "ffv1", "-output_ts_offset", "7.3"], None),
    "offset.ts": (["-c:v", "libx264", "-qp", "6", "-output_ts_offset", "5", "-muxdelay", "0"], None),
    "variable.mkv": (["-vf", "select='mod(n\\,5)-3',setpts='PTS+0.4*mod(N\\,2)/25/TB'", "-fps_mode", "passthrough", "-enc_time_base",
                      "-1", "-c:v", "ffv1"], None),
    "cropped.mp4": (["-c:v", "libx264", "-qp", "6", "-vf", "crop=190:110"], None),
    "fields.mkv": (["-vf", "interlace", "-c:v", "libx264", "-qp", "6", "-flags", "+ildct+ilme", "-x264-params", "tff=1"],
                   "field order (top first)"),
    "alpha.mkv": (["-vf", "format=yuva420p,geq=lum=lum(X\\,Y):cb=cb(X\\,Y):cr=cr(X\\,Y):a=X", "-c:v", "ffv1"], "alpha"),
    "odd.mkv": (["-vf", "format=yuv444p,crop=191:111:exact=1", "-c:v", "ffv1"], None),
    "tagged.mkv": (["-vf", "setsar=4/3", "-c:v", "ffv1", "-colorspace", "smpte170m", "-color_primaries", "smpte170m", "-color_trc",
                    "smpte170m", "-color_range", "tv"], None),
    "hdr.mkv": (["-pix_fmt", "yuv420p10le", "-c:v", "libx265", "-x265-params", "log-level=error:qp=6:colorprim=bt2020:transfer="
                 "smpte2084:colormatrix=bt2020nc:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)"
                 "L(10000000,1):max-cll=1000,400:hdr10=1"], "Content light level metadata, Mastering display metadata"),
    "chapters.mkv": (["-i", "chapters.txt", "-i", "words.srt", "-f", "lavfi", "-i", "sine=d=1", "-map", "0:v", "-map", "3:a", "-map",
                      "2:s", "-map_metadata", "1", "-c:v", "ffv1", "-c:a", "flac", "-c:s", "srt"], "stream 2 (subtitle)"),
    "two.mkv": (["-f", "lavfi", "-i", "mandelbrot=s=128x96:r=25", "-map", "0", "-map", "1", "-t", "1", "-c:v", "ffv1", "-pix_fmt",
                 "yuv420p"], "stream 0 (video)"),
    "rotated.mp4": (["-c:v", "libx264", "-qp", "6"], None),
}


def source(table, name):
    """A file of SOURCES; None if it cannot be made here."""
    words, base, path = SOURCES[name][0], table.folder / "base.mkv", table.folder / name
    if "libx265" in words and "libx265" not in lab.encoders() or name in ("rotated.mp4", "alpha.mkv") and not table.filtering:
        return None
    if not base.exists():
        lab.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=192x112:r=25:d=1,noise=alls=8:allf=t:all_seed=3", "-pix_fmt", "yuv420p", "-c:v",
                   "ffv1", base)
        (table.folder / "chapters.txt").write_text(";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=one\n")
        (table.folder / "words.srt").write_text("1\n00:00:00,000 --> 00:00:01,000\nwords\n")
    lab.ffmpeg("-i", base, *[table.folder / word if word in ("chapters.txt", "words.srt") else word for word in words], path)
    if name == "rotated.mp4":  # a flag of the container, which newer programs write
        turned = path.with_name("turned.mp4")
        subprocess.run([table.filtering, "-v", "error", "-y", "-display_rotation", "90", "-i", path, "-c", "copy", turned], check=True)
        return turned
    return path


def score_of_filter(table, main, reference, stream):
    """What a plain command with the filter says."""
    done = subprocess.run([table.filtering, "-nostdin", "-i", main, "-i", reference, "-lavfi", f"[0:v][1:v:{stream}]vmaf_gpu", "-f",
                           "null", "-"], capture_output=True, text=True, check=True)
    return float(re.findall(r"vmaf[^:\n]*: ([\d.]+)$", done.stderr, re.M)[-1])


def shown_of(path):
    """Tags of the video, and what else is in a file."""
    done = subprocess.run(["ffprobe", "-v", "error", "-show_chapters", "-show_entries", "stream=codec_type,width,height,"
                           "sample_aspect_ratio,color_range,color_space,color_transfer,color_primaries:chapter_tags=title", "-of", "json",
                           path], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def check_sources(searches):
    """The command of an answer makes a file that the filter gives the score that is told, of any source. What the file has
    not is said."""
    table, kept = searches.table, {}
    for name, (_, lacks) in SOURCES.items():
        path = source(table, name)
        if path is None:
            print(f"SKIPPED: {name} cannot be made, or needs FFmpeg 7.0")
            continue
        stream = ["--stream-ref", "1"] if name == "two.mkv" else []
        said, found = searches.run(path, *FAST, "--range", "28:28", "--target", "1", *stream)
        answer, made = found["answers"][0], table.folder / "made.mkv"
        made.unlink(missing_ok=True)
        line = answer["command"].replace("OUTPUT.mkv", shlex.quote(str(made)))
        subprocess.run(["sh", "-c", line], check=True, capture_output=True, stdin=subprocess.DEVNULL)
        kept[name] = shown_of(made)
        wanted = "" if lacks is None or name == "hdr.mkv" and table.filtering else lacks  # FFmpeg 7 keeps side data
        lab.expect(", ".join(answer["missing"]) == wanted and ("not in it" in said) == (wanted != ""), f"what is lost of {name}",
                   (answer["missing"], said))
        sizes = subprocess.run(["ffprobe", "-v", "error", "-select_streams", f"v:{len(stream) // 2}", "-show_entries", "packet=size", "-of",
                                "csv=p=0", path], capture_output=True, text=True, check=True).stdout.replace(",", "").split()
        lab.expect(abs(answer["percent"] - 100 * answer["bytes"] / sum(map(int, sizes))) < 1e-9, f"percent of {name}", answer["percent"])
        if table.filtering:
            score = score_of_filter(table, made, path, len(stream) // 2)
            lab.expect(abs(score - answer["score"]) < 1e-6, f"the score of the file of {name}", (score, answer["score"]))
    if "alpha.mkv" in kept:
        _, found = searches.run(source(table, "alpha.mkv"), *FAST, "--range", "28:28", "--target", "1", "--scale", "96x56")
        lab.expect(found["answers"][0]["missing"] == ["alpha"], "alpha that a scaled encode lacks", found["answers"][0]["missing"])
    tags = kept["tagged.mkv"]["streams"][0]
    lab.expect(tags["sample_aspect_ratio"] == "4:3" and {tags[f"color_{name}"] for name in ("space", "transfer", "primaries")} ==
               {"smpte170m"}, "tags are kept", tags)
    lab.expect([one["codec_type"] for one in kept["chapters.mkv"]["streams"]] == ["video", "audio"] and
               kept["chapters.mkv"]["chapters"][0]["tags"]["title"] == "one", "sound and chapters are kept", kept["chapters.mkv"])
    if "rotated.mp4" in kept:
        lab.expect(kept["rotated.mp4"]["streams"][0]["width"] == 112, "turned pictures", kept["rotated.mp4"])


def main():
    options = lab.options()
    with lab.prepared(options.tool, options.ffmpeg) as table:
        check_sources(Searches(table))
    return lab.finish("sources", 30)


if __name__ == "__main__":
    sys.exit(main())
