# SPDX-License-Identifier: LGPL-2.1-or-later
#
# FATE tests of the vmaf_gpu filter; they need no sample files. Run all by
# `make fate-vmaf-gpu`, under a timeout,
# since a filter of this kind fails by hanging. VMAF_GPU_FATE="cuda hip emu"
# repeats every test on these backends against the same references. VMAF_GPU_TOOL=PATH names
# the tool vmaf_gpu, for the tests that merge parts.

VMAF_GPU_RUN = run ffmpeg$(PROGSSUF)$(EXESUF) -nostdin -nostats -v error
VMAF_GPU_PAIR = format=yuv420p,split[r][t];[t]avgblur=2[d];[d][r]
VMAF_GPU_LAYOUT = $(VMAF_GPU_RUN) -auto_conversion_filters
VMAF_GPU_LUMA = testsrc2=size=160x120:rate=5:duration=1,format=yuv420p,split[r][t];[t]avgblur=2[d];
# At this size the chroma planes have enough blocks to score.
VMAF_GPU_CHROMA = testsrc2=size=320x320:rate=3:duration=1,format=yuv420p,split[r][t];[t]avgblur=2[d];

VMAF_GPU_EVERYWHERE = sed -e "/.host_features.:/,/]/d" -e /host_feature/d -e /fps/d -e /version/d -e /backend/d -e /device/d

VMAF_GPU_ROUNDED = testsrc2=size=160x120:rate=24000/1001:d=1,format=yuv420p,settb=1/1000,setpts=round(N*1001/24)[a];testsrc2=size=160x120:rate=24000/1001:d=1,format=yuv420p[b];

# Scores the pairs 0 to 2 and then 3 and 4 of five. $(1): the filter; $(2): what its names end in; $(3): the
# format of the logs; $(4): what their names begin with.
VMAF_GPU_CHUNKS = $(call VMAF_GPU_ONE_CHUNK,$(1),$(2),$(3),$(4)1,0-0-3-5,0) && $(call VMAF_GPU_ONE_CHUNK,$(1),$(2),$(3),$(4)2,2-3-5-5,2)
VMAF_GPU_ONE_CHUNK = rm -f tests/data/fate/vmaf-gpu-$(4)$(2).$(3); $(VMAF_GPU_RUN) -lavfi "testsrc2=size=160x120:rate=5:duration=1,trim=start_frame=$(6),$(VMAF_GPU_PAIR)$(1):pair=index:chunk=$(5):log_fmt=$(3):log_path=tests/data/fate/vmaf-gpu-$(4)$(2).$(3)" -f null -

# $(1): the filter with its backend; $(2): what the names of that backend end in.
define VMAF_GPU_SUITE

FATE_VMAF_GPU_REFCMP += fate-filter-refcmp-vmaf-gpu-yuv$(2)
fate-filter-refcmp-vmaf-gpu-yuv$(2): CMD = refcmp_metadata $(1) yuv420p 0.00001
fate-filter-refcmp-vmaf-gpu-yuv$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-refcmp-vmaf-gpu-yuv

FATE_VMAF_GPU_SCALE += fate-filter-refcmp-vmaf-gpu-yuv10$(2)
fate-filter-refcmp-vmaf-gpu-yuv10$(2): CMD = refcmp_metadata $(1) yuv422p10 0.00001
fate-filter-refcmp-vmaf-gpu-yuv10$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-refcmp-vmaf-gpu-yuv10

# The luma is that of the first test, so its reference holds for this layout too.
FATE_VMAF_GPU_SCALE += fate-filter-refcmp-vmaf-gpu-nv12$(2)
fate-filter-refcmp-vmaf-gpu-nv12$(2): CMD = refcmp_metadata $(1) nv12 0.00001
fate-filter-refcmp-vmaf-gpu-nv12$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-refcmp-vmaf-gpu-yuv

# One luma in several layouts. Gray is read as it is: by default FFmpeg converts it,
# and its range.
FATE_VMAF_GPU_GRAY += fate-filter-vmaf-gpu-yuv420p$(2) fate-filter-vmaf-gpu-yuv4xx$(2) fate-filter-vmaf-gpu-gray$(2)
fate-filter-vmaf-gpu-yuv420p$(2): CMD = $(VMAF_GPU_LAYOUT) -lavfi "$(VMAF_GPU_LUMA)[d][r]$(1),metadata=print:file=-" -f null -
fate-filter-vmaf-gpu-yuv4xx$(2): CMD = $(VMAF_GPU_LAYOUT) -lavfi "$(VMAF_GPU_LUMA)[d]format=yuv444p[d2];[r]format=yuv411p[r2];[d2][r2]$(1),metadata=print:file=-" -f null -
fate-filter-vmaf-gpu-gray$(2): CMD = $(VMAF_GPU_LAYOUT) -lavfi "$(VMAF_GPU_LUMA)[d]extractplanes=y[d2];[r]extractplanes=y[r2];[d2][r2]$(1):formats=asis,metadata=print:file=-" -f null -
fate-filter-vmaf-gpu-yuv420p$(2) fate-filter-vmaf-gpu-yuv4xx$(2) fate-filter-vmaf-gpu-gray$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-yuv420p

# Samples in the low or the high bits, 8 bits promoted to 10. (From 8 bits
# straight to P010 swscale dithers.)
FATE_VMAF_GPU_LAYOUT += fate-filter-vmaf-gpu-yuv420p10$(2) fate-filter-vmaf-gpu-p010$(2) fate-filter-vmaf-gpu-mixed-depth$(2)
fate-filter-vmaf-gpu-yuv420p10$(2): CMD = $(VMAF_GPU_LAYOUT) -lavfi "$(VMAF_GPU_LUMA)[d]format=yuv420p10[d2];[r]format=yuv420p10[r2];[d2][r2]$(1),metadata=print:file=-" -f null -
fate-filter-vmaf-gpu-p010$(2): CMD = $(VMAF_GPU_LAYOUT) -lavfi "$(VMAF_GPU_LUMA)[d]format=yuv420p10,format=p010[d2];[r]format=yuv420p10,format=p010[r2];[d2][r2]$(1),metadata=print:file=-" -f null -
fate-filter-vmaf-gpu-mixed-depth$(2): CMD = $(VMAF_GPU_LAYOUT) -lavfi "$(VMAF_GPU_LUMA)[d]format=nv12[d2];[r]format=yuv420p10,format=p010[r2];[d2][r2]$(1):depth=deeper,metadata=print:file=-" -f null -
fate-filter-vmaf-gpu-yuv420p10$(2) fate-filter-vmaf-gpu-p010$(2) fate-filter-vmaf-gpu-mixed-depth$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-yuv420p10

# 2026's models: 8 bits promoted to 10 as docs/user/models.md says, planar and semi-planar, and
# pictures without chroma.
FATE_VMAF_GPU_LAYOUT += fate-filter-vmaf-gpu-v1$(2) fate-filter-vmaf-gpu-v1-p010$(2)
fate-filter-vmaf-gpu-v1$(2): CMD = $(VMAF_GPU_LAYOUT) -lavfi "$(VMAF_GPU_CHROMA)[d]format=yuv420p10[d2];[r]format=yuv420p10[r2];[d2][r2]$(1):model=version=vmaf_v1.0.16_3d0h,metadata=print:file=-" -f null -
fate-filter-vmaf-gpu-v1-p010$(2): CMD = $(VMAF_GPU_LAYOUT) -lavfi "$(VMAF_GPU_CHROMA)[d]format=yuv420p10,format=p010[d2];[r]format=yuv420p10,format=p010[r2];[d2][r2]$(1):model=version=vmaf_v1.0.16_3d0h,metadata=print:file=-" -f null -
fate-filter-vmaf-gpu-v1$(2) fate-filter-vmaf-gpu-v1-p010$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-v1
FATE_VMAF_GPU_GRAY += fate-filter-vmaf-gpu-v1-gray$(2)
fate-filter-vmaf-gpu-v1-gray$(2): CMD = $(VMAF_GPU_LAYOUT) -lavfi "$(VMAF_GPU_CHROMA)[d]extractplanes=y[d2];[r]extractplanes=y[r2];[d2][r2]$(1):formats=asis:model=version=vmaf_v1.0.16_3d0h" -f null - || true
fate-filter-vmaf-gpu-v1-gray$(2): CMP = grep
fate-filter-vmaf-gpu-v1-gray$(2): REF = feature speed_chroma needs chroma

# Features beside the model's: one scale (boxes of 2x2 samples), and five.
FATE_VMAF_GPU_PLAIN += fate-filter-vmaf-gpu-ssim$(2) fate-filter-vmaf-gpu-ms-ssim$(2)
fate-filter-vmaf-gpu-ssim$(2): CMD = $(VMAF_GPU_RUN) -lavfi "testsrc2=size=481x390:rate=3:duration=1,$(VMAF_GPU_PAIR)$(1):feature=name=float_ssim\\\\:enable_lcs=true,metadata=print:file=-" -f null -
fate-filter-vmaf-gpu-ssim$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-ssim
fate-filter-vmaf-gpu-ms-ssim$(2): CMD = $(VMAF_GPU_RUN) -lavfi "testsrc2=size=200x180:rate=3:duration=1,$(VMAF_GPU_PAIR)$(1):feature=name=float_ms_ssim\\\\:enable_lcs=true,metadata=print:file=-" -f null -
fate-filter-vmaf-gpu-ms-ssim$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-ms-ssim
# A float model: features that run on the host, on every backend. The reciprocals are pinned, since
# those of this processor may be others.
FATE_VMAF_GPU_PLAIN += fate-filter-vmaf-gpu-float$(2)
fate-filter-vmaf-gpu-float$(2): CMD = $(VMAF_GPU_RUN) -lavfi "testsrc2=size=160x120:rate=5:duration=1,$(VMAF_GPU_PAIR)$(1):model=version=vmaf_float_v0.6.1\\\\:float_adm.float_adm_rcp=amd,metadata=print:file=-" -f null -
fate-filter-vmaf-gpu-float$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-float

# Rows stored bottom-up.
FATE_VMAF_GPU_VFLIP += fate-filter-vmaf-gpu-vflip$(2) fate-filter-vmaf-gpu-vflip-copy$(2)
fate-filter-vmaf-gpu-vflip$(2): CMD = $(VMAF_GPU_LAYOUT) -lavfi "$(VMAF_GPU_LUMA)[d]vflip[d2];[r]vflip[r2];[d2][r2]$(1),metadata=print:file=-" -f null -
fate-filter-vmaf-gpu-vflip-copy$(2): CMD = $(VMAF_GPU_LAYOUT) -lavfi "$(VMAF_GPU_LUMA)[d]vflip,format=yuv422p[d2];[r]vflip,format=yuv444p[r2];[d2][r2]$(1),metadata=print:file=-" -f null -
fate-filter-vmaf-gpu-vflip$(2) fate-filter-vmaf-gpu-vflip-copy$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-vflip

FATE_VMAF_GPU_REFCMP += fate-filter-vmaf-gpu-identical$(2)
fate-filter-vmaf-gpu-identical$(2): CMD = cmp_metadata "split[a][b];[a][b]$(1)" yuv420p 0.00001
fate-filter-vmaf-gpu-identical$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-identical

FATE_VMAF_GPU_CRC += fate-filter-vmaf-gpu-passthrough$(2)
fate-filter-vmaf-gpu-passthrough$(2): CMD = framecrc -lavfi "testsrc2=size=160x120:rate=5:duration=2,$(VMAF_GPU_PAIR)$(1):inflight=4"
fate-filter-vmaf-gpu-passthrough$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-passthrough

# How many pairs are in flight changes nothing.
FATE_VMAF_GPU_PLAIN += fate-filter-vmaf-gpu-depth1$(2) fate-filter-vmaf-gpu-depth8$(2)
fate-filter-vmaf-gpu-depth1$(2): CMD = $(VMAF_GPU_RUN) -lavfi "testsrc2=size=160x120:rate=5:duration=3,$(VMAF_GPU_PAIR)$(1):inflight=1,metadata=print:file=-" -f null -
fate-filter-vmaf-gpu-depth8$(2): CMD = $(VMAF_GPU_RUN) -lavfi "testsrc2=size=160x120:rate=5:duration=3,$(VMAF_GPU_PAIR)$(1):inflight=8,metadata=print:file=-" -f null -
fate-filter-vmaf-gpu-depth1$(2) fate-filter-vmaf-gpu-depth8$(2): CMP = rawdiff
fate-filter-vmaf-gpu-depth1$(2) fate-filter-vmaf-gpu-depth8$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-depth

# An input that ends first: five scored frames and five without, five frames in
# all, and ten of which the last main frame is six, which is framesync's way.
FATE_VMAF_GPU_PLAIN += fate-filter-vmaf-gpu-ref-eof$(2)
fate-filter-vmaf-gpu-ref-eof$(2): CMD = $(VMAF_GPU_RUN) -lavfi "testsrc2=size=160x120:rate=5:duration=2,format=yuv420p,avgblur=2[d];testsrc2=size=160x120:rate=5:duration=1,format=yuv420p[r];[d][r]$(1):eof_action=pass:inflight=4,metadata=print:file=-:key=lavfi.vmaf_gpu.integer_motion2" -f null -
fate-filter-vmaf-gpu-ref-eof$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-ref-eof

FATE_VMAF_GPU_PLAIN += fate-filter-vmaf-gpu-ref-eof-shortest$(2)
fate-filter-vmaf-gpu-ref-eof-shortest$(2): CMD = $(VMAF_GPU_RUN) -lavfi "testsrc2=size=160x120:rate=5:duration=2,format=yuv420p,avgblur=2[d];testsrc2=size=160x120:rate=5:duration=1,format=yuv420p[r];[d][r]$(1):shortest=1:inflight=4,metadata=print:file=-:key=lavfi.vmaf_gpu.integer_motion2" -f null -
fate-filter-vmaf-gpu-ref-eof-shortest$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-ref-eof-shortest

FATE_VMAF_GPU_PLAIN += fate-filter-vmaf-gpu-main-eof$(2)
fate-filter-vmaf-gpu-main-eof$(2): CMD = $(VMAF_GPU_RUN) -lavfi "testsrc2=size=160x120:rate=5:duration=1,format=yuv420p,avgblur=2[d];testsrc2=size=160x120:rate=5:duration=2,format=yuv420p[r];[d][r]$(1):pair=framesync:inflight=4,metadata=print:file=-:key=lavfi.vmaf_gpu.integer_motion2" -f null -
fate-filter-vmaf-gpu-main-eof$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-main-eof

# Switched off in the middle: two segments, the frames between them without keys.
FATE_VMAF_GPU_PLAIN += fate-filter-vmaf-gpu-timeline$(2)
fate-filter-vmaf-gpu-timeline$(2): CMD = $(VMAF_GPU_RUN) -lavfi "testsrc2=size=160x120:rate=5:duration=3,$(VMAF_GPU_PAIR)$(1):inflight=4:enable=lt(t\,1)+gt(t\,2),metadata=print:file=-:key=lavfi.vmaf_gpu.integer_motion2" -f null -
fate-filter-vmaf-gpu-timeline$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-timeline

FATE_VMAF_GPU_PLAIN += fate-filter-vmaf-gpu-subsample$(2)
fate-filter-vmaf-gpu-subsample$(2): CMD = $(VMAF_GPU_RUN) -lavfi "testsrc2=size=160x120:rate=5:duration=2,$(VMAF_GPU_PAIR)$(1):n_subsample=3,metadata=print:file=-:key=lavfi.vmaf_gpu.integer_motion2" -f null -
fate-filter-vmaf-gpu-subsample$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-subsample

# Columns of chroma, above 8 bits, beside those of the model.
FATE_VMAF_GPU_LAYOUT += fate-filter-vmaf-gpu-psnr$(2)
fate-filter-vmaf-gpu-psnr$(2): CMD = $(VMAF_GPU_LAYOUT) -lavfi "$(VMAF_GPU_LUMA)[d]format=yuv420p10[d2];[r]format=yuv420p10[r2];[d2][r2]$(1):feature=name=psnr,metadata=print:file=-" -f null -
fate-filter-vmaf-gpu-psnr$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-psnr

# Lines with the program's version, its speed or its device are left out, and what a device leaves to the host.
FATE_VMAF_GPU_PLAIN += $(foreach F,csv json sub xml,fate-filter-vmaf-gpu-log-$(F)$(2))
$(foreach F,csv json sub xml,$(call VMAF_GPU_LOG_TEST,$(1),$(2),$(F)))

# A run in two chunks. Together they have the rows of the run in one piece; a part also has the pairs around
# its chunk. Merged, which needs the tool (VMAF_GPU_TOOL), the parts are the log of that run.
FATE_VMAF_GPU_CHUNK += fate-filter-vmaf-gpu-chunk$(2) fate-filter-vmaf-gpu-part$(2)
fate-filter-vmaf-gpu-chunk$(2): CMD = $(call VMAF_GPU_CHUNKS,$(1),$(2),csv,chunk) && cat tests/data/fate/vmaf-gpu-chunk1$(2).csv && tail -n +2 tests/data/fate/vmaf-gpu-chunk2$(2).csv
fate-filter-vmaf-gpu-chunk$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-log-csv
fate-filter-vmaf-gpu-part$(2): CMD = $(call VMAF_GPU_CHUNKS,$(1),$(2),part,part) && $(VMAF_GPU_EVERYWHERE) tests/data/fate/vmaf-gpu-part1$(2).part tests/data/fate/vmaf-gpu-part2$(2).part
fate-filter-vmaf-gpu-part$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-part
fate-filter-vmaf-gpu-chunk$(2) fate-filter-vmaf-gpu-part$(2) fate-filter-vmaf-gpu-merge$(2): CMP = rawdiff
FATE_VMAF_GPU_MERGE += fate-filter-vmaf-gpu-merge$(2)
fate-filter-vmaf-gpu-merge$(2): CMD = $(call VMAF_GPU_CHUNKS,$(1),$(2),part,merge) && $(VMAF_GPU_TOOL) merge -q tests/data/fate/vmaf-gpu-merge2$(2).part tests/data/fate/vmaf-gpu-merge1$(2).part --csv --overwrite -o tests/data/fate/vmaf-gpu-merge$(2).csv && cat tests/data/fate/vmaf-gpu-merge$(2).csv
fate-filter-vmaf-gpu-merge$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-log-csv

# Colours come from the frames. PQ is refused.
FATE_VMAF_GPU_TAGS += fate-filter-vmaf-gpu-ssimulacra2$(2) fate-filter-vmaf-gpu-ssimulacra2-hdr$(2)
fate-filter-vmaf-gpu-ssimulacra2$(2): CMD = $(VMAF_GPU_RUN) -lavfi "testsrc2=size=161x120:rate=3:duration=1,format=yuv420p,setparams=range=tv:colorspace=bt709,$(VMAF_GPU_PAIR)$(1):model=:feature=name=ssimulacra2|name=psnr,metadata=print:file=-" -f null -
fate-filter-vmaf-gpu-ssimulacra2$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-ssimulacra2
fate-filter-vmaf-gpu-ssimulacra2-hdr$(2): CMD = $(VMAF_GPU_RUN) -lavfi "testsrc2=size=161x120:rate=3:duration=1,format=yuv420p,setparams=color_trc=smpte2084,$(VMAF_GPU_PAIR)$(1):model=:feature=name=ssimulacra2" -f null - || true
fate-filter-vmaf-gpu-ssimulacra2-hdr$(2): CMP = grep
fate-filter-vmaf-gpu-ssimulacra2-hdr$(2): REF = feature ssimulacra2 was made for SDR pictures, not for HDR (smpte2084)

FATE_VMAF_GPU_PLAIN += fate-filter-vmaf-gpu-size-mismatch$(2)
fate-filter-vmaf-gpu-size-mismatch$(2): CMD = $(VMAF_GPU_RUN) -lavfi "testsrc2=size=160x120:d=1[a];testsrc2=size=128x120:d=1[b];[a][b]$(1)" -f null - || true
fate-filter-vmaf-gpu-size-mismatch$(2): CMP = grep
fate-filter-vmaf-gpu-size-mismatch$(2): REF = main is 160x120 but reference is 128x120

# Times that a container rounded.
FATE_VMAF_GPU_TIMES += fate-filter-vmaf-gpu-timebase$(2) fate-filter-vmaf-gpu-timebase-nearest$(2)
fate-filter-vmaf-gpu-timebase$(2): CMD = $(VMAF_GPU_RUN) -lavfi "$(VMAF_GPU_ROUNDED)[a][b]$(1),metadata=print:file=-:key=lavfi.vmaf_gpu.vmaf" -f null -
fate-filter-vmaf-gpu-timebase-nearest$(2): CMD = $(VMAF_GPU_RUN) -lavfi "$(VMAF_GPU_ROUNDED)[a][b]$(1):ts_sync_mode=nearest,metadata=print:file=-:key=lavfi.vmaf_gpu.vmaf" -f null -
fate-filter-vmaf-gpu-timebase$(2) fate-filter-vmaf-gpu-timebase-nearest$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-timebase

endef

# $(1), $(2): as above; $(3): format of the log.
define VMAF_GPU_LOG_TEST

fate-filter-vmaf-gpu-log-$(3)$(2): CMD = rm -f tests/data/fate/vmaf-gpu$(2).$(3); $(VMAF_GPU_RUN) -lavfi "testsrc2=size=160x120:rate=5:duration=1,$(VMAF_GPU_PAIR)$(1):log_fmt=$(3):log_path=tests/data/fate/vmaf-gpu$(2).$(3)" -f null - && $(VMAF_GPU_EVERYWHERE) tests/data/fate/vmaf-gpu$(2).$(3)
fate-filter-vmaf-gpu-log-$(3)$(2): CMP = rawdiff
fate-filter-vmaf-gpu-log-$(3)$(2): REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-log-$(3)

endef

$(eval $(call VMAF_GPU_SUITE,vmaf_gpu=backend=cpu,))
$(foreach B,$(VMAF_GPU_FATE),$(eval $(call VMAF_GPU_SUITE,vmaf_gpu=backend=$(B),-$(B))))

# What passthrough is compared with: the same frames without the filter.
FATE_VMAF_GPU_CRC += fate-filter-vmaf-gpu-passthrough-plain
fate-filter-vmaf-gpu-passthrough-plain: CMD = framecrc -lavfi "testsrc2=size=160x120:rate=5:duration=2,format=yuv420p,avgblur=2"
fate-filter-vmaf-gpu-passthrough-plain: REF = $(SRC_PATH)/tests/ref/fate/filter-vmaf-gpu-passthrough

VMAF_GPU_NEEDS = VMAF_GPU_FILTER TESTSRC2_FILTER FORMAT_FILTER SPLIT_FILTER AVGBLUR_FILTER \
                 METADATA_FILTER WRAPPED_AVFRAME_ENCODER NULL_MUXER FILE_PROTOCOL PIPE_PROTOCOL

FATE_VMAF_GPU-$(call ALLYES, $(VMAF_GPU_NEEDS)) += $(FATE_VMAF_GPU_REFCMP) $(FATE_VMAF_GPU_PLAIN)
FATE_VMAF_GPU-$(call ALLYES, $(VMAF_GPU_NEEDS) SCALE_FILTER) += $(FATE_VMAF_GPU_SCALE) $(FATE_VMAF_GPU_LAYOUT)
FATE_VMAF_GPU-$(call ALLYES, $(VMAF_GPU_NEEDS) SETPARAMS_FILTER) += $(FATE_VMAF_GPU_TAGS)
FATE_VMAF_GPU-$(call ALLYES, $(VMAF_GPU_NEEDS) SCALE_FILTER VFLIP_FILTER) += $(FATE_VMAF_GPU_VFLIP)
FATE_VMAF_GPU-$(call ALLYES, $(VMAF_GPU_NEEDS) SCALE_FILTER EXTRACTPLANES_FILTER) += $(FATE_VMAF_GPU_GRAY)
FATE_VMAF_GPU-$(call ALLYES, $(VMAF_GPU_NEEDS) RAWVIDEO_ENCODER FRAMECRC_MUXER) += $(FATE_VMAF_GPU_CRC)

FATE_VMAF_GPU-$(call ALLYES, $(VMAF_GPU_NEEDS) SETTB_FILTER SETPTS_FILTER) += $(FATE_VMAF_GPU_TIMES)
FATE_VMAF_GPU-$(call ALLYES, $(VMAF_GPU_NEEDS) TRIM_FILTER) += $(FATE_VMAF_GPU_CHUNK) $(if $(VMAF_GPU_TOOL),$(FATE_VMAF_GPU_MERGE))

FATE_FFMPEG += $(FATE_VMAF_GPU-yes)
fate-vmaf-gpu: $(FATE_VMAF_GPU-yes)
