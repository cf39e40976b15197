#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Film grain of AV1, H.264 and HEVC: what is said of it, and scores with it, without it, and both in one task.

    test_grain.py TOOL [--ffmpeg FFMPEG]      FFMPEG: with the filter vmaf_gpu; then that is tested, too
"""
import json
import re
import subprocess
import sys

import lab

EXPORT = ["-export_side_data", "film_grain"]
ADDED = "main has film grain that the decoder adds"
LEFT_OFF = "frames of main have film grain that the decoder left off"
LEFT_OFF_BY_HARDWARE = "x: warning: the hardware decoder leaves the film grain of main off: without --hwaccel it is added"
FRAMES = 30
AV1 = {"libsvtav1": ["-preset", "8", "-crf", "40", "-g", "10", "-svtav1-params", "film-grain=30"],
       "libaom-av1": ["-cpu-used", "8", "-crf", "40", "-g", "10", "-denoise-noise-level", "30"]}


def message(codec):
    """A NAL unit with film grain characteristics (H.264 and HEVC, D.2.20): luma, one interval, strong."""
    bits = "0" "00" "0" "00" "0010" "100" "00000000" "000" "00000000" "11111111" + "0" * 7 + "11001000"
    bits += "010" if codec == "h264" else "1"  # until the next one
    bits += "1" if len(bits) % 8 else ""
    payload = [int(bits[at:at + 8].ljust(8, "0"), 2) for at in range(0, len(bits), 8)]
    unit = []
    for byte in [19, len(payload), *payload, 0x80]:
        if unit[-2:] == [0, 0] and byte <= 3:
            unit.append(3)
        unit.append(byte)
    return b"\0\0\0\1" + (b"\x06" if codec == "h264" else b"\x4e\1") + bytes(unit)


def write_with_message(reference, clip, codec):
    """The stream of a common encoder, with the message before each picture."""
    stream = clip.with_suffix(f".{codec}")
    words = {"h264": ["libx264", "-x264-params", lab.X264 + ":bframes=0"], "hevc": ["libx265", "-x265-params", lab.X265 + ":bframes=0"]}[codec]
    lab.ffmpeg("-i", reference, "-c:v", *words, "-crf", "32", stream)
    slices = re.compile(rb"\0?\0\0\x01" + (rb"[\x01\x21\x41\x61\x25\x65]" if codec == "h264" else rb"[\0-\x2a]\x01"))
    stream.write_bytes(slices.sub(lambda found: message(codec) + found[0], stream.read_bytes()))
    lab.ffmpeg("-fflags", "+genpts", "-r", "30", "-i", stream, "-c", "copy", clip)


def write_clips(table):
    """name: clip, those that can be made."""
    reference, known, clips = table.reference(seconds=FRAMES / 30), lab.encoders(), {}
    for encoder in [name for name in AV1 if name in known][:1]:
        clips["av1"] = table.folder / "av1.mkv"
        lab.ffmpeg("-i", reference, "-c:v", encoder, *AV1[encoder], clips["av1"])
    for codec, encoder in ("h264", "libx264"), ("hevc", "libx265"):
        if encoder in known:
            clips[codec] = table.folder / f"{codec}.mkv"
            write_with_message(reference, clips[codec], codec)
    return reference, clips


def decoded(table, clip, *words):
    """The ffmpeg that scores decides: the grain of H.264 and HEVC is another one in FFmpeg 5.1 than in 7.1."""
    path, program = table.folder / "decoded.mkv", table.programs[3] if "--ffmpeg" in table.programs else "ffmpeg"
    subprocess.run([program, "-nostdin", "-v", "error", "-y", *words, "-i", clip, "-c:v", "ffv1", path], check=True, timeout=300)
    return path


def mean(table, path, reference):
    """The tool alone gives the same scores in all digits."""
    log = table.folder / "mean.json"
    subprocess.run([table.tool, "-q", "-r", reference, "-d", path, "--json", "--precision", "max", "-o", log,
                    "--overwrite"], check=True, timeout=300)
    return json.loads(log.read_text())["pooled_metrics"]["vmaf"]["mean"]


def score(table, clip, reference, *words, **more):
    """Returns the printed text, and the pooled scores of results.jsonl."""
    work = table.work()
    said = table.run("score", clip, reference, "--work", work, "--devices", "cpu", *table.programs, *words, **more)[1]
    path = work / "results.jsonl"
    return said, [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def check_scores(table, codec, clip, reference):
    """Each way has the score of a file that was decoded that way by hand."""
    wanted = [mean(table, decoded(table, clip), reference), mean(table, decoded(table, clip, *EXPORT), reference)]
    lab.expect(wanted[0] < wanted[1], f"{codec}: grain lowers the score", wanted)
    said, lines = score(table, clip, reference)
    lab.expect(ADDED in said, f"{codec}: a warning", said)
    lab.expect(lines[0]["film_grain"] == {"main": "added", "reference": "none"}, f"{codec}: results", lines)
    lab.expect(lines[0]["pooled"]["vmaf"]["mean"] == wanted[0], f"{codec}: with grain", (lines[0]["pooled"]["vmaf"], wanted))
    said, lines = score(table, clip, reference, "--grain", "off")
    lab.expect(ADDED not in said and "no film grain" not in said, f"{codec}: no warning", said)
    lab.expect(lines[0]["film_grain"]["main"] == "off", f"{codec}: results", lines)
    lab.expect(lines[0]["pooled"]["vmaf"]["mean"] == wanted[1], f"{codec}: without grain", (lines[0]["pooled"]["vmaf"], wanted))
    return wanted


def check_both(table, codec, clip, reference, wanted):
    output = table.folder / "both.json"
    for words in [], ["--frames-per-task", "11"]:
        said, lines = score(table, clip, reference, "--grain", "both", "-o", output, *words)
        lab.expect([line["pooled"]["vmaf"]["mean"] for line in lines] == wanted, f"{codec}: both", ([line["pooled"]["vmaf"] for line in lines], wanted))
        lab.expect(said.startswith(f"vmaf: {wanted[0]:.6f}\nvmaf, grain off: {wanted[1]:.6f}\n"), f"{codec}: printed", said)
        for path, one in (output, wanted[0]), (table.folder / "both.grain-off.json", wanted[1]):
            found = json.loads(path.read_text())["pooled_metrics"]["vmaf"]["mean"] if path.exists() else 0
            lab.expect(abs(found - one) < 1e-6, f"{codec}: {path.name}", (found, one))
            path.unlink(missing_ok=True)
    (table.folder / "both.grain-off.json").write_text("mine")
    said, _ = score(table, clip, reference, "--grain", "both", "-o", output, status=64)
    lab.expect("both.grain-off.json: is there" in said, "a file of the user", said)
    (table.folder / "both.grain-off.json").unlink()


def check_other_programs(table, codec, clip, reference):
    """The tool and Python read the file by the ffmpeg in PATH."""
    done = subprocess.run([table.tool, "-r", reference, "-d", clip], capture_output=True, text=True, timeout=300, check=True)
    lab.expect(ADDED in done.stderr, f"{codec}: the tool warns", done.stderr)
    done = subprocess.run([table.tool, "-r", reference, "-d", decoded(table, clip)], capture_output=True, text=True,
                          timeout=300, check=True)
    lab.expect("grain" not in done.stderr, f"{codec}: nothing of a file without", done.stderr)


def check_hardware(table, codec, clip, reference):
    """Planning decodes nothing, so that it needs no such hardware."""
    is_left_off = codec != "av1"
    for grain, is_said in ("score", is_left_off), ("off", False):
        work = table.work()
        manifest = table.manifest({"id": "x", "ref": reference, "dis": clip, "grain": grain})
        said = table.run("plan", manifest, work, "--hwaccel", "cuda", *table.programs)[1]
        lab.expect((LEFT_OFF_BY_HARDWARE in said) == is_said, f"{codec}, grain {grain}: hardware", said)
        found = json.loads((work / "plan.json").read_text())["pairs"][0]["film_grain"]["dis"]
        lab.expect(found == ("off" if is_left_off or grain == "off" else "added"), f"{codec}, grain {grain}: the plan", found)


def check_none(table, reference):
    clip = table.folder / "none.mkv"
    lab.ffmpeg("-i", reference, "-c:v", "libx264", "-crf", "32", clip)
    said, lines = score(table, clip, reference)
    lab.expect("grain" not in said and lines[0]["film_grain"] == {"main": "none", "reference": "none"}, "none", said)
    said, other = score(table, clip, reference, "--grain", "both")
    lab.expect("no film grain is known" in said, "nothing to take off", said)
    lab.expect([line["pooled"] for line in other] == [lines[0]["pooled"]] * 2, "the same twice", other)
    for command in "score", "ladder":
        said = " ".join(table.run(command, "--help")[1].split())
        lab.expect(("or both ways" in said) == (command == "score") and "as the decoder adds it, " in said, f"help of {command}", said)
    said, _ = score(table, reference, clip, "--grain", "some", status=64)
    lab.expect("'score', 'off', 'both'" in said.replace("choose from score, off, both", "'score', 'off', 'both'"),
               "another word", said)
    said, _ = score(table, clip, reference, "--grain", "both", "-o", ".", status=64)
    lab.expect("Traceback" not in said and "--output" in said, "a folder as output", said)
    pair = {"id": "x", "ref": reference, "dis": clip, "grain": "both"}
    said = table.run("plan", table.manifest(pair), table.work(), *table.programs, status=64)[1]
    lab.expect("grain: \"both\" is not allowed; expected score or off" in said, "a manifest", said)


def check_filter(table, ffmpeg, codec, clip, reference):
    """Frames whose grain was left off are counted; of grain that was added the filter knows nothing."""
    log = table.folder / "filter.json"
    for words, count in ([], 0), (EXPORT, FRAMES):
        done = subprocess.run([ffmpeg, "-nostdin", *words, "-i", clip, "-i", reference, "-lavfi",
                               f"vmaf_gpu=backend=cpu:strict=1:overwrite=1:log_fmt=json:log_path={log}", "-f", "null", "-"],
                              capture_output=True, text=True, timeout=300, check=False)
        text = json.loads(log.read_text())
        lab.expect(done.returncode == 0, f"{codec}: no fault of a strict run", done.stderr)
        lab.expect(text["pairing"]["film_grain"] == {"main": count, "reference": 0}, f"{codec}: counts", text["pairing"])
        lab.expect((f"{count} {LEFT_OFF}" in done.stderr) == (count > 0), f"{codec}: one line", done.stderr)
        lab.expect(any(LEFT_OFF in one for one in text["vmaf_gpu"]["warnings"]) == (count > 0), f"{codec}: the log", text)


def main():
    filtering = sys.argv[sys.argv.index("--ffmpeg") + 1] if "--ffmpeg" in sys.argv else None
    with lab.prepared(filtering=filtering) as table:
        reference, clips = write_clips(table)
        for codec, clip in clips.items():
            wanted = check_scores(table, codec, clip, reference)
            check_both(table, codec, clip, reference, wanted)
            check_other_programs(table, codec, clip, reference)
            check_hardware(table, codec, clip, reference)
            if filtering:
                check_filter(table, filtering, codec, clip, reference)
        check_none(table, reference)
    return lab.finish(f"film grain of {', '.join(clips)}", 25)


if __name__ == "__main__":
    sys.exit(main())
