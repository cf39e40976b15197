# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Pairs of files that differ in what a picture is: range, codec, container, depth, matrix, HDR, fields, rotation,
cover, odd sizes, frame rates and starts. Made by ffmpeg; no file is kept in the repository."""
import pathlib
import struct
import subprocess
from typing import Dict, List, NamedTuple, Optional, Tuple


class Video(NamedTuple):
    codec: str = "libx264"
    kind: str = "mkv"
    pix: str = "yuv420p"
    tags: str = ""  # arguments of setparams
    size: str = "176x144"
    rate: str = "25"
    count: int = 6
    vf: str = ""  # filters before the tags
    args: str = ""
    remux: str = ""  # input options of a second ffmpeg that copies
    cover: bool = False
    more: str = ""  # encoder and filter of one more track, as in "libx264 hflip"
    place: int = 0  # position of this track in the file beside it, and the one that is marked `default`
    has_audio: bool = False  # audio stream before the video
    exif: int = 0  # orientation in each JPEG


class Pair(NamedTuple):
    name: str
    main: Video
    ref: Video
    pair: str = "index"
    # The filter knows no files; and libavfilter converts before it turns the pictures, which the filter does not see.
    is_unsaid: bool = False


V = Video
FULL, LIMITED = "range=pc", "range=tv"
B709, B601, B470, B2020 = "colorspace=bt709", "colorspace=smpte170m", "colorspace=bt470bg", "colorspace=bt2020nc"
SDR = B709 + ":color_primaries=bt709:color_trc=bt709"
LINEAR, LOG = (B709 + ":color_primaries=bt709:color_trc=" + curve for curve in ("linear", "log100"))
PQ = B2020 + ":color_primaries=bt2020:color_trc=smpte2084"
HLG = B2020 + ":color_primaries=bt2020:color_trc=arib-std-b67"
CUT = "-ss 0.5"
FFV1 = V("ffv1")
Y4M = V("wrapped_avframe", "y4m")
JPEG = V("mjpeg", "avi", "yuvj420p")
HEVC = V("libx265", "mp4", "yuv420p10le", args="-x265-params log-level=error")
RAW = V("rawvideo", "nut")


def _with(video: Video, **more: object) -> Video:
    return video._replace(**more)  # type: ignore[arg-type]


PAIRS = [
    # range x codec x container
    Pair("yuvj420p-limited", V(pix="yuvj420p", kind="mp4"), V(tags=LIMITED)),
    Pair("limited-yuvj420p", V(tags=LIMITED), V(pix="yuvj420p", kind="mp4")),
    Pair("yuvj420p-untagged", V(pix="yuvj420p"), V()),
    Pair("yuvj420p-yuvj420p", V(pix="yuvj420p"), V(pix="yuvj420p", args="-qp 0")),
    Pair("x264-full-untagged", V(tags=FULL), V()),
    Pair("x264-untagged-full", V(), V(tags=FULL)),
    Pair("x264-full-full", V(tags=FULL), V(tags=FULL, args="-qp 0")),
    Pair("limited-untagged", V(tags=LIMITED), FFV1),
    Pair("untagged-limited", V(kind="ts"), _with(FFV1, tags=LIMITED)),
    Pair("mjpeg-limited", JPEG, _with(FFV1, tags=LIMITED)),
    Pair("mjpeg-mjpeg", JPEG, _with(JPEG, args="-q:v 2")),
    Pair("vp9-full-untagged", V("libvpx-vp9", "webm", tags=FULL, args="-deadline realtime -b:v 100k"), FFV1),
    Pair("av1-full-untagged", V("libsvtav1", "mp4", tags=FULL, args="-preset 12 -crf 40"), FFV1),
    Pair("av1-untagged-vp9", V("libsvtav1", "mp4", args="-preset 12 -crf 40"),
         V("libvpx-vp9", "webm", args="-deadline realtime")),
    Pair("hevc10-full-limited", _with(HEVC, tags=FULL), _with(HEVC, tags=LIMITED)),
    Pair("y4m-full-limited", _with(Y4M, tags=FULL), _with(Y4M, tags=LIMITED)),
    Pair("y4m-full-untagged", _with(Y4M, tags=FULL, vf="gblur"), Y4M),
    Pair("y4m-y4m", _with(Y4M, vf="gblur"), Y4M),
    Pair("y4m-full-x264-full", _with(Y4M, tags=FULL, vf="gblur"), V(tags=FULL)),
    Pair("x264-y4m-full", V(tags=LIMITED), _with(Y4M, tags=FULL)),
    # matrix
    Pair("709-untagged", V(tags=B709), V()),
    Pair("untagged-709", V(), V(tags=B709)),
    Pair("709-601", V(tags=B709), V(tags=B601)),
    Pair("470-601", V(tags=B470), V(tags=B601)),
    Pair("709-709", V(tags=SDR), V(tags=SDR, args="-qp 0")),
    Pair("709-y4m", V(tags=B709), Y4M),
    Pair("y4m-709", _with(Y4M, vf="gblur"), V(tags=B709)),
    Pair("709full-601limited", V(tags=B709 + ":" + FULL), V(tags=B601 + ":" + LIMITED)),
    Pair("yuvj-709", V(pix="yuvj420p"), V(tags=B709 + ":" + LIMITED)),
    Pair("2020-709", _with(HEVC, tags=B2020), _with(HEVC, tags=B709)),
    Pair("primaries", V(tags=SDR), V(tags=B709 + ":color_primaries=smpte170m:color_trc=bt709")),
    # linear light, without a transfer curve
    Pair("709-linear", V(tags=SDR), V(tags=LINEAR)),
    Pair("linear-709", V(tags=LINEAR), V(tags=SDR)),
    Pair("linear-linear", V(tags=LINEAR), V(tags=LINEAR, args="-qp 0")),
    Pair("log-untagged", V(tags=LOG), V()),
    Pair("pq-log", _with(HEVC, tags=PQ), V(pix="yuv420p10le", tags=LOG)),
    # depth and chroma
    Pair("10-8", V(pix="yuv420p10le"), V()),
    Pair("8-10", V(), V(pix="yuv420p10le")),
    Pair("8full-10limited", V(tags=FULL), V(pix="yuv420p10le", tags=LIMITED)),
    Pair("10-10", V(pix="yuv420p10le"), V(pix="yuv420p10le", args="-qp 0")),
    Pair("12-10", _with(FFV1, pix="yuv420p12le", vf="gblur"), _with(FFV1, pix="yuv420p10le")),
    Pair("16-8", _with(FFV1, pix="yuv420p16le", vf="gblur"), FFV1),
    Pair("9-9", _with(FFV1, pix="yuv420p9le", vf="gblur"), _with(FFV1, pix="yuv420p9le")),
    Pair("9-8", _with(FFV1, pix="yuv420p9le", vf="gblur"), FFV1),
    Pair("14-14", _with(FFV1, pix="yuv420p14le", vf="gblur"), _with(FFV1, pix="yuv420p14le")),
    Pair("444-420", V(pix="yuv444p"), V()),
    Pair("420-444", V(), V(pix="yuv444p")),
    Pair("422p10-prores", V(pix="yuv422p10le"), V("prores_ks", "mov", "yuv422p10le")),
    Pair("420-prores", V(), V("prores_ks", "mov", "yuv422p10le")),
    Pair("yuvj444p-420", V(pix="yuvj444p"), V()),
    # grey, RGB, other orders, alpha
    Pair("gray-gray", _with(FFV1, pix="gray", vf="gblur"), _with(FFV1, pix="gray")),
    Pair("gray-420", _with(FFV1, pix="gray"), FFV1),
    Pair("420-gray", V(), _with(FFV1, pix="gray")),
    Pair("y4m-mono", _with(Y4M, pix="gray", vf="gblur"), _with(Y4M, pix="gray")),
    Pair("gray10-gray10", _with(FFV1, pix="gray10le", vf="gblur"), _with(FFV1, pix="gray10le")),
    Pair("rgb-rgb", V("ffv1", "mkv", "bgr0", vf="gblur"), V("ffv1", "mkv", "bgr0")),
    Pair("gbrp10-gbrp10", V("ffv1", "mkv", "gbrp10le", vf="gblur"), V("ffv1", "mkv", "gbrp10le")),
    Pair("png-420", V("png", "mov", "rgb24"), V(tags=B709)),
    Pair("420-png", V(tags=LIMITED), V("png", "mov", "rgb24")),
    Pair("gif-420", V("gif", "gif", "rgb8"), V()),
    Pair("images-420", V("png", "%03d.png", "rgb24"), V()),
    Pair("images-images", V("png", "%03d.png", "rgba", vf="gblur"), V("png", "r-%d.png", "rgb24", args="-start_number 4")),
    Pair("nv12-nv12", _with(RAW, pix="nv12", vf="gblur"), _with(RAW, pix="nv12")),
    Pair("nv12-420", _with(RAW, pix="nv12", vf="gblur"), V(args="-qp 0")),
    Pair("nv12-full", _with(RAW, pix="nv12"), V(tags=FULL)),
    Pair("nv12-limited-yuvj", _with(RAW, pix="nv12", tags=LIMITED), V(pix="yuvj420p")),
    Pair("gray-rgb", _with(FFV1, pix="gray"), V("ffv1", "mkv", "bgr0")),
    Pair("rgb-nv12", V("ffv1", "mkv", "bgr0"), _with(RAW, pix="nv12", tags=B709)),
    Pair("rgb555-10", _with(RAW, pix="rgb555le"), V(pix="yuv420p10le")),
    Pair("411-411", _with(FFV1, pix="yuv411p", vf="gblur"), _with(FFV1, pix="yuv411p")),
    Pair("410-440", _with(FFV1, pix="yuv410p"), _with(FFV1, pix="yuv440p", tags=LIMITED)),
    Pair("yuva-420", _with(FFV1, pix="yuva420p", vf="gblur"), FFV1),
    Pair("yuva444-444", _with(FFV1, pix="yuva444p", vf="gblur"), _with(FFV1, pix="yuv444p")),
    # HDR, fields, pixel shapes, rotation, covers, sizes
    Pair("pq-pq", _with(HEVC, tags=PQ), _with(HEVC, tags=PQ, args="-x265-params log-level=error:qp=10")),
    Pair("pq-sdr", _with(HEVC, tags=PQ), _with(HEVC, tags=SDR)),
    Pair("hlg-hlg", _with(HEVC, tags=HLG), _with(FFV1, pix="yuv420p10le", tags=HLG)),
    Pair("interlaced-progressive", V(args="-flags +ildct+ilme", tags="field_mode=tff"), FFV1),
    Pair("interlaced-interlaced", V(args="-flags +ildct+ilme", tags="field_mode=tff"),
         V(args="-flags +ildct+ilme -qp 0", tags="field_mode=tff")),
    Pair("mpeg2-interlaced", V("mpeg2video", "ts", args="-flags +ildct+ilme", tags="field_mode=tff"), FFV1),
    Pair("mpeg2-ps", V("mpeg2video", "mpg"), FFV1),
    Pair("aspect", V(vf="setsar=4/3"), V(vf="setsar=1")),
    Pair("rotated", V(kind="mp4", remux="-display_rotation 90"), V(size="144x176")),
    Pair("both-rotated", V(kind="mp4", remux="-display_rotation 90"),
         V(kind="mp4", remux="-display_rotation 90", args="-qp 0")),
    Pair("rotated-full", V(kind="mp4", tags=FULL, remux="-display_rotation 180"), V(tags=LIMITED), is_unsaid=True),
    Pair("rotated-10-8", V(kind="mp4", pix="yuv420p10le", remux="-display_rotation 180"), V(), is_unsaid=True),
    Pair("limited-rotated", V(tags=LIMITED), V(kind="mp4", tags=FULL, remux="-display_rotation 180"), is_unsaid=True),
    Pair("cover", V(kind="mp4", cover=True), V()),
    Pair("odd", _with(FFV1, size="175x143", vf="gblur"), _with(FFV1, size="175x143")),
    Pair("odd-444-420", _with(FFV1, size="175x143", pix="yuv444p"), _with(FFV1, size="175x143")),
    Pair("smaller", V(size="88x72"), V()),
    Pair("cropped", V(size="176x128"), V()),
    Pair("turned", V(size="144x176"), V()),
    Pair("tiny", _with(FFV1, size="16x16"), _with(FFV1, size="16x16")),
    # rates and starts
    Pair("rates", V(rate="25", count=12, vf=""), V(rate="50", count=24), "auto"),
    Pair("start", V(kind="ts", args="-output_ts_offset 7"), V(kind="mp4"), "auto"),
    Pair("ntsc", V(rate="24000/1001", kind="mp4"), V(rate="24000/1001"), "auto"),
    Pair("long-main", V(count=9), V(count=6), "auto"),
    Pair("telecine", V(rate="24000/1001", count=15, vf="telecine", args="-flags +ildct+ilme", tags="field_mode=tff"),
         V(rate="24000/1001", count=12), "auto"),
    Pair("full-rates", V(tags=FULL), V(rate="25", count=6), "auto"),
    # more than one video stream in a file: the filter's graph names what ffmpeg would encode
    Pair("second-default", V(), V(more="libx264 hflip", place=1), is_unsaid=True),
    Pair("first-default", V(kind="mp4"), V(kind="mp4", more="libx264 hflip"), is_unsaid=True),
    Pair("main-second-default", V(more="libx264 hflip", place=1), V(), is_unsaid=True),
    Pair("larger-second", V(), V(kind="mov", more="libx264 scale=88:72", place=1), is_unsaid=True),
    Pair("gray-second", _with(FFV1, vf="gblur"), _with(FFV1, more="ffv1 format=gray"), is_unsaid=True),
    Pair("still-first", V(kind="mov"), V(kind="mov", more="png select=eq(n\\,0),scale=64:48", place=1), is_unsaid=True),
    Pair("audio-first", V(kind="mp4", has_audio=True), V(has_audio=True)),
    Pair("audio-first-full", V(kind="ts", has_audio=True, tags=FULL), V(kind="mp4", has_audio=True)),
    Pair("matrix-of-other", V(tags=FULL), V(kind="mp4", tags=LIMITED, more="libx264 turned", place=1), is_unsaid=True),
    # first packets without a frame: the first pictures of a group were cut off
    *(Pair(f"cut-{name}", video._replace(kind="mkv", count=7, vf="trim=start_frame=13,setpts=PTS-STARTPTS"),
           video._replace(args=f"{video.args} {good} -g 100", remux=CUT, count=20))
      for name, video, good in (("709", V(kind="mp4", tags=SDR), "-qp 0"), ("full", V(kind="mp4", tags=B709 + ":" + FULL), "-qp 0"),
                                ("mov-601", V(kind="mov", tags=B601), "-qp 0"), ("hevc", _with(HEVC, tags=SDR), ""),
                                ("mpeg4", V("mpeg4", kind="mp4", tags=B709), "-q:v 2"),
                                ("10", V(kind="mp4", pix="yuv420p10le", tags=SDR), "-qp 0"))),
    Pair("cut-main", V(kind="mp4", tags=SDR, args="-g 100", remux=CUT, count=20),
         V(tags=SDR, count=7, vf="trim=start_frame=13,setpts=PTS-STARTPTS", args="-qp 0")),
    # turned and mirrored
    Pair("mirrored", V(kind="mp4", remux="-display_hflip"), V(vf="hflip")),
    Pair("flipped", V(kind="mp4", remux="-display_vflip"), V(vf="vflip")),
    Pair("mirrored-full", V(kind="mp4", tags=FULL, remux="-display_hflip"), V(vf="hflip", tags=LIMITED), is_unsaid=True),
    Pair("flipped-full", V(kind="mp4", tags=FULL, remux="-display_vflip"), V(vf="vflip", tags=LIMITED), is_unsaid=True),
    Pair("turned-aspect", V(kind="mp4", vf="setsar=4/3", remux="-display_rotation 90"),
         V(vf="setsar=4/3,transpose=cclock")),
    Pair("turned-a-little", V(kind="mp4", tags=FULL, remux="-display_rotation 0.4"), V(tags=LIMITED)),  # FFmpeg does not
    Pair("turned-mirrored", V(kind="mp4", remux="-display_rotation 90 -display_hflip"), V(vf="transpose=clock_flip")),
    Pair("exif-turned", _with(JPEG, kind="mkv", exif=6), V(vf="transpose=clock"), is_unsaid=True),
    Pair("exif-mirrored", _with(JPEG, kind="mkv", exif=2), V(vf="hflip", tags=LIMITED), is_unsaid=True),
    Pair("exif-flipped", _with(JPEG, kind="avi", exif=4), _with(FFV1, vf="vflip", tags=B709), is_unsaid=True),
    Pair("exif-reference", V(tags=LIMITED, vf="hflip,vflip"), _with(JPEG, kind="mkv", exif=3), is_unsaid=True),
    Pair("exif-both", _with(JPEG, kind="mkv", exif=8), _with(JPEG, kind="mkv", exif=8, args="-q:v 2")),
]


class Maker:
    """Makes files, each once."""

    def __init__(self, programs: List[str], folder: pathlib.Path) -> None:
        self.folder = folder
        self._made: Dict[Tuple[Video, bool], pathlib.Path] = {}
        self._encoders: Dict[str, List[str]] = {}
        for program in programs:
            text = subprocess.run([program, "-hide_banner", "-encoders"], capture_output=True, text=True).stdout
            for line in text.splitlines():
                if len(line.split()) > 1:
                    self._encoders.setdefault(line.split()[1], []).append(program)
        self.remuxer = programs[0]

    def make(self, video: Video, is_main: bool) -> Optional[pathlib.Path]:
        """None: no encoder."""
        if video.codec not in self._encoders:
            return None
        if (video, is_main) not in self._made:
            self._made[video, is_main] = self._make(video, is_main)
        return self._made[video, is_main]

    def _run(self, program: str, *words: str, is_needed: bool = True) -> bool:
        return subprocess.run([program, "-nostdin", "-v", "error", "-y", *words], check=is_needed,
                              stderr=None if is_needed else subprocess.DEVNULL).returncode == 0

    def _make(self, video: Video, is_main: bool) -> pathlib.Path:
        path = self.folder / f"{len(self._made)}{'' if '%' in video.kind else '.'}{video.kind}"
        steps = [video.vf] if video.vf else []
        steps += [f"format={video.pix}"] + ([f"setparams={video.tags}"] if video.tags else [])
        source = f"testsrc2=s={video.size}:r={video.rate},noise=alls=12:all_seed=7"
        words = ["-f", "lavfi", "-i", source, "-frames:v", str(video.count), "-vf", ",".join(steps), "-c:v", video.codec,
                 "-strict", "-1", "-fflags", "+bitexact"]
        words += ["-crf", "33", "-preset", "veryfast"] if video.codec == "libx264" and "-qp" not in video.args else []
        words += video.args.split()
        words += ["-f", "yuv4mpegpipe"] if video.kind == "y4m" else ["-f", "vob"] if video.kind == "mpg" else []
        for program in self._encoders[video.codec]:  # the first may lack the muxer
            if self._run(program, *words, str(path), is_needed=program == self._encoders[video.codec][-1]):
                break
        if video.remux:
            raw, path = path, path.with_name("t" + path.name)
            self._run(self.remuxer, *video.remux.split(), "-i", str(raw), "-c", "copy", str(path))
        if video.exif:
            path = self._set_orientation(video, path)
        if video.more:
            path = self._add_track(video, path)
        if video.has_audio:
            raw, path = path, path.with_name("a" + path.name)
            self._run(self.remuxer, "-f", "lavfi", "-i", "sine=d=0.3", "-i", str(raw), "-map", "0", "-map", "1", "-c:v",
                      "copy", "-c:a", "mp2", str(path))
        if video.cover:
            raw, path, image = path, path.with_name("c" + path.name), self.folder / "cover.png"
            self._run(self.remuxer, "-f", "lavfi", "-i", "testsrc=s=64x64", "-frames:v", "1", str(image))
            self._run(self.remuxer, "-i", str(raw), "-i", str(image), "-map", "0", "-map", "1", "-c", "copy",
                      "-disposition:v:1", "attached_pic", str(path))
        return path

    def _add_track(self, video: Video, path: pathlib.Path) -> pathlib.Path:
        codec, chain = video.more.split()
        more, both = path.with_name("m" + path.name), path.with_name("b" + path.name)
        turns = chain == "turned"
        self._run(self._encoders[codec][0], "-i", str(path), *([] if turns else ["-vf", chain]), "-c:v", codec, str(more))
        inputs = [["-i", str(path)], [*(["-display_rotation", "180"] if turns else []), "-i", str(more)]]
        order = inputs if video.place == 0 else inputs[::-1]
        self._run(self.remuxer, *order[0], *order[1], "-map", "0:v", "-map", "1:v", "-c", "copy",
                  f"-disposition:v:{video.place}", "default", f"-disposition:v:{1 - video.place}", "0", str(both))
        return both

    def _set_orientation(self, video: Video, path: pathlib.Path) -> pathlib.Path:
        images, made = path.with_suffix(""), path.with_name("e" + path.name)
        images.mkdir()
        self._run(self.remuxer, "-i", str(path), "-c", "copy", "-f", "image2", f"{images}/%03d.jpg")
        tag = b"Exif\0\0II*\0" + struct.pack("<IHHHIHHI", 8, 1, 0x112, 3, 1, video.exif, 0, 0)
        for image in images.iterdir():
            data = image.read_bytes()
            image.write_bytes(data[:2] + b"\xff\xe1" + struct.pack(">H", len(tag) + 2) + tag + data[2:])
        self._run(self.remuxer, "-i", f"{images}/%03d.jpg", "-c", "copy", str(made))
        return made
