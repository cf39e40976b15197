// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the engine says of two inputs before they are compared. That FFmpeg converts likewise is
// shown with its filter, by tests/filter/doors.sh.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "vmaf_gpu/vmaf_gpu.h"

namespace {

struct Plan {
    int status = 0;
    std::string main, reference, error;
    int depth = 0, needs = 0;
    std::vector<std::string> warnings;
};

/// Of inputs of 640x360, unless they say otherwise.
Plan plan(const std::string &main, const std::string &reference, bool is_as_is = false,
          const char *model = nullptr)
{
    Plan planned;
    VmafGpuInputs inputs;
    VmafGpuError error = {};
    vmafgpu_inputs_default(&inputs);
    inputs.is_as_is = is_as_is ? 1 : 0;
    inputs.models = &model;
    inputs.model_count = model != nullptr ? 1 : 0;
    inputs.log_opaque = &planned;
    inputs.log = [](void *opaque, int level, const char *text) {
        if (level == VMAFGPU_LOG_WARNING)
            static_cast<Plan *>(opaque)->warnings.emplace_back(text);
    };
    EXPECT_EQ(vmafgpu_input_parse(&inputs.input[0], ("size=640x360:" + main).c_str()), 0) << main;
    EXPECT_EQ(vmafgpu_input_parse(&inputs.input[1], ("size=640x360:" + reference).c_str()), 0);
    EXPECT_EQ(vmafgpu_inputs_plan(&inputs), 0);
    planned.status = vmafgpu_inputs_check(&inputs, &error);
    planned.main = inputs.filter[0];
    planned.reference = inputs.filter[1];
    planned.depth = inputs.depth;
    planned.needs = inputs.needs_ffmpeg_7;
    planned.error = error.text;
    return planned;
}

const std::string kYuv = "format=yuv420p";

TEST(Inputs, WhatIsEqualIsNotConverted)
{
    for (const char *tags : {"format=yuv420p", "format=yuv420p:range=pc:matrix=bt709",
                             "format=yuvj420p", "format=yuv444p16le", "format=yuv422p12le"}) {
        const Plan planned = plan(tags, tags);
        EXPECT_EQ(planned.main + planned.reference, "") << tags;
        EXPECT_EQ(planned.needs, 0);
        EXPECT_TRUE(planned.warnings.empty()) << planned.warnings.front();
    }
    EXPECT_EQ(plan(kYuv, kYuv + ":range=tv").reference, "");
    EXPECT_EQ(plan("format=yuvj420p", kYuv + ":range=pc").main, "");
}

TEST(Inputs, TheFirstListedFormatDecides)
{
    const Plan full = plan("format=yuvj420p", kYuv + ":range=tv");
    EXPECT_EQ(full.main, "format=pix_fmts=yuv420p:color_spaces=unknown:color_ranges=tv");
    EXPECT_EQ(full.reference, "");
    EXPECT_EQ(full.needs, 1);
    const Plan tagged = plan(kYuv + ":range=pc", kYuv);
    EXPECT_EQ(tagged.main, "");
    EXPECT_EQ(tagged.reference, "format=pix_fmts=yuv420p:color_spaces=unknown:color_ranges=pc");
    // A filter that turns the pictures hides main.
    EXPECT_NE(plan(kYuv + ":range=pc:turned=1", kYuv).main, "");
    EXPECT_EQ(plan(kYuv + ":range=pc:turned=1", kYuv + ":turned=1").main, "");
    const Plan depth = plan("format=yuv420p10le", kYuv);
    EXPECT_EQ(depth.depth, 10);
    EXPECT_EQ(depth.warnings,
              std::vector<std::string>{"main is 10 bit, reference is 8 bit: comparing at 10 bit"});
    EXPECT_EQ(plan(kYuv, "format=yuv420p10le").warnings,
              std::vector<std::string>{"main is 8 bit, reference is 10 bit: FFmpeg converts to 8 "
                                       "bit, as for libvmaf (formats=asis: no bit is lost)"});
}

TEST(Inputs, AnotherOrderIsNoConversion)
{
    const Plan planned = plan("format=nv12", kYuv);
    EXPECT_EQ(planned.main, "format=yuv420p");
    EXPECT_EQ(planned.reference, "");
    EXPECT_EQ(planned.needs, 0);
    EXPECT_EQ(plan("format=p010le", "format=p010le").reference, "format=yuv420p10le");
    EXPECT_EQ(plan("format=nv12", kYuv + ":range=pc").needs, 1);
}

TEST(Inputs, WithoutAListedFormatTheNearest)
{
    const auto first = [](const std::string &main, const std::string &reference) {
        return plan(main, reference).main;
    };
    EXPECT_EQ(first("format=gray", "format=rgb24"),
              "format=pix_fmts=yuv444p:color_spaces=unknown:color_ranges=unknown");
    EXPECT_EQ(first("format=nv12", "format=yuvj420p:matrix=bt709"),
              "format=pix_fmts=yuv420p:color_spaces=unknown:color_ranges=pc");
    EXPECT_EQ(first("format=gbrp10le", "format=nv12:range=tv:matrix=bt709"),
              "format=pix_fmts=yuv444p10le:color_spaces=bt709:color_ranges=tv");
    EXPECT_EQ(first("format=yuv411p", "format=yuv411p"),
              "format=pix_fmts=yuv422p:color_spaces=unknown:color_ranges=unknown");
    EXPECT_EQ(first("format=yuv410p", "format=gray").substr(0, 23), "format=pix_fmts=yuv420p");
    EXPECT_EQ(first("format=yuv440p", "format=gray").substr(0, 23), "format=pix_fmts=yuv444p");
    EXPECT_EQ(first("format=yuva420p9le", "format=gray").substr(0, 25),
              "format=pix_fmts=yuv420p10");
    // Packed ones; and JPEG's 4:4:0, which is no 4:4:4 of another name.
    for (const auto &[name, nearest] :
         std::vector<std::pair<std::string, std::string>>{{"yuyv422", "yuv422p"},
                                                          {"uyvy422", "yuv422p"},
                                                          {"uyyvyy411", "yuv422p"},
                                                          {"y210le", "yuv422p10le"},
                                                          {"y212le", "yuv422p12le"},
                                                          {"xv30le", "yuv444p10le"},
                                                          {"xv36le", "yuv444p12le"},
                                                          {"ayuv64le", "yuv444p16le"},
                                                          {"x2rgb10le", "yuv444p10le"},
                                                          {"rgb565le", "yuv444p"},
                                                          {"gbrpf32le", "yuv444p16le"},
                                                          {"grayf32le", "yuv444p16le"},
                                                          {"yuvj440p", "yuv444p"},
                                                          {"yuvj411p", "yuv422p"},
                                                          {"pal8", "yuv444p"}})
        EXPECT_EQ(first("format=" + name, "format=gbrp").find("pix_fmts=" + nearest + ":"), 7U)
            << name;
    EXPECT_NE(first("format=yuvj440p", "format=yuv444p:range=pc"), "");
}

TEST(Inputs, AsIsHasNoAlphaAndAnOrderOfY4M)
{
    const Plan planned = plan("format=yuva420p10le", "format=nv12", true);
    EXPECT_EQ(planned.main, "format=yuv420p10le");
    EXPECT_EQ(planned.reference, "format=yuv420p");
    EXPECT_EQ(planned.needs, 0);
    EXPECT_EQ(plan("format=yuva444p", "format=p210le", true).reference, "format=yuv422p10le");
    EXPECT_EQ(plan("format=uyvy422", kYuv, true).main, "format=yuv422p");
    // Nothing has the same samples, or an old FFmpeg would change them.
    for (const char *tags :
         {"format=yuva420p9le", "format=uyyvyy411", "format=gray", "format=bgr0", "format=yuvj420p",
          "format=yuv411p", "format=nv12:range=pc", "format=nv12:hardware=1"})
        EXPECT_EQ(plan(tags, kYuv, true).main, "") << tags;
}

TEST(Inputs, AsIsConvertsNothing)
{
    const Plan planned = plan("format=yuv420p10le:range=pc", kYuv, true);
    EXPECT_EQ(planned.main + planned.reference, "");
    EXPECT_EQ(planned.depth, 10);
    ASSERT_EQ(planned.warnings.size(), 2U);
    EXPECT_EQ(planned.warnings[1],
              "main has full range, reference has no tagged range: the samples are compared as "
              "they are; to convert main, e.g. [0:v]scale=in_range=pc:out_range=tv[d];[1:v]"
              "setparams=range=tv[r];[d][r]vmaf_gpu");
}

TEST(Inputs, Pulldown)
{
    const std::string film = kYuv + ":rate=24000/1001", video = kYuv + ":rate=30000/1001";
    const Plan marked = plan(film, video + ":interlaced=1");
    ASSERT_EQ(marked.warnings.size(), 1U); // and not that one is interlaced
    EXPECT_EQ(marked.warnings[0],
              "main has 23.976 and reference 29.970 frames per second, and reference is "
              "interlaced, as film with pulldown (telecine) is: take it out, e.g. [1:v]fieldmatch,"
              "yadif=deint=interlaced,decimate[r];[0:v][r]vmaf_gpu");
    EXPECT_NE(plan(kYuv + ":rate=30/1:interlaced=1", kYuv + ":rate=24/1")
                  .warnings.at(0)
                  .find("[0:v]fieldmatch,"),
              std::string::npos);
    EXPECT_TRUE(plan(film, video).warnings.empty()); // a conversion of rates
    EXPECT_TRUE(plan(kYuv + ":rate=24/1", kYuv + ":rate=25/1").warnings.empty());
    EXPECT_NE(plan(kYuv + ":rate=24/1", kYuv + ":rate=25/1:interlaced=1")
                  .warnings.at(0)
                  .find("deinterlace reference"),
              std::string::npos);
}

TEST(Inputs, Warnings)
{
    const auto first = [](const Plan &planned) {
        return planned.warnings.empty() ? std::string() : planned.warnings.front();
    };
    EXPECT_EQ(
        first(plan(kYuv + ":matrix=bt709", kYuv)),
        "main has matrix bt709, reference has no tagged matrix: FFmpeg converts reference, as "
        "for libvmaf (formats=asis: no conversion); if both have the same, e.g. [1:v]"
        "setparams=colorspace=bt709[r];[0:v][r]vmaf_gpu");
    EXPECT_EQ(first(plan(kYuv + ":interlaced=1", kYuv)),
              "main is interlaced, reference is progressive: deinterlace main, e.g. "
              "[0:v]bwdif=mode=send_frame[d];[d][1:v]vmaf_gpu");
    EXPECT_EQ(first(plan(kYuv + ":interlaced=1", kYuv + ":interlaced=1")),
              "main and reference are interlaced: a picture shows two moments, and no model was "
              "made for that: deinterlace both, e.g. [0:v]bwdif=mode=send_frame[d];"
              "[1:v]bwdif=mode=send_frame[r];[d][r]vmaf_gpu");
    const Plan orders = plan(kYuv + ":interlaced=1:bottom_first=1", kYuv + ":interlaced=1");
    ASSERT_EQ(orders.warnings.size(), 1U);
    EXPECT_EQ(orders.warnings[0],
              "main has its bottom field first, reference its top: once they are deinterlaced, "
              "their pictures are half a frame apart; if both show the same fields, the tag of one "
              "is wrong, e.g. [0:v]setfield=tff,bwdif=mode=send_frame[d];"
              "[1:v]bwdif=mode=send_frame[r];[d][r]vmaf_gpu");
    EXPECT_TRUE(plan(kYuv + ":bottom_first=1", kYuv).warnings.empty()); // no fields
    EXPECT_EQ(first(plan(kYuv + ":transfer=smpte2084", kYuv, false, "vmaf_v0.6.1")),
              "the pictures are HDR (smpte2084), but model vmaf_v0.6.1 was made for SDR: its "
              "scores can rank encodes of one source, and mean nothing else");
    // There is no such format of 10 bits.
    EXPECT_EQ(
        first(plan("format=yuv410p", "format=yuv410p", true, "vmaf_v1.0.16_3d0h")),
        "the pictures are 8 bit, but model vmaf_v1.0.16_3d0h was made for 10 bit: convert both");
    EXPECT_EQ(first(plan(kYuv, kYuv, false, "vmaf_v1.0.16_3d0h")),
              "the pictures are 8 bit, but model vmaf_v1.0.16_3d0h was made for 10 bit: convert "
              "both, e.g. [0:v]format=yuv420p10[d];[1:v]format=yuv420p10[r];[d][r]vmaf_gpu");
    EXPECT_EQ(first(plan(kYuv + ":sar=64/48", kYuv + ":sar=48/48")),
              "main has sample aspect ratio 4:3, reference has 1:1: the pictures have different "
              "shapes; if it is only the tag that is wrong, e.g. [0:v]setsar=1/1[d];[d][1:v]"
              "vmaf_gpu");
    EXPECT_EQ(first(plan(kYuv + ":primaries=bt709", kYuv + ":primaries=bt2020")),
              "main and reference differ in primaries (bt709, bt2020): the samples are compared as "
              "they are");
}

TEST(Inputs, WhatIsLeftOutIsSaid)
{
    using Texts = std::vector<std::string>;
    const auto said = [](const std::string &main, const std::string &reference) {
        return plan(main, reference).warnings;
    };
    EXPECT_EQ(said(kYuv + ":streams=0:stream=0", kYuv + ":streams=2:stream=2"), Texts());
    EXPECT_EQ(said(kYuv, kYuv + ":streams=0,2,3:stream=2"),
              Texts{"reference has several video streams (0,2,3): stream 2 is compared, which "
                    "FFmpeg chooses"});
    EXPECT_EQ(said(kYuv + ":streams=0,1:stream=1:named=1", kYuv), Texts());
    for (const char *format : {"yuva420p", "rgba", "ya8", "gbrap10le"})
        EXPECT_EQ(said("format=" + std::string(format), "format=" + std::string(format)),
                  (Texts{"main has alpha, which is left out: colours count also where they are "
                         "transparent",
                         "reference has alpha, which is left out: colours count also where they "
                         "are transparent"}));
    EXPECT_EQ(said("format=bgr0", "format=bgra"), Texts());
    EXPECT_EQ(said(kYuv + ":own_colours=1", kYuv).size(), 1U);
    EXPECT_EQ(said(kYuv + ":range=pc", "format=gray"),
              Texts{"reference is grey, main has colour: is it the alpha plane or gain map of a "
                    "picture, a stream of the same file?"});
    EXPECT_EQ(said("format=gray", "format=gray"), Texts());
}

TEST(Inputs, SizesAreRefusedWithARemedy)
{
    const std::string small = kYuv + ":size=320x180";
    EXPECT_EQ(plan(small, kYuv).error,
              "main is 320x180 but reference is 640x360; add scale=bicubic, or scale one of them, "
              "e.g. [0:v]scale=640:360:flags=bicubic[d];[d][1:v]vmaf_gpu");
    EXPECT_EQ(plan(kYuv + ":size=16x16", kYuv + ":size=16x16").error,
              "picture 16x16 is smaller than the minimum 17x17 of the features");
}

TEST(Inputs, SizesThatAreNoneAreRefused)
{
    for (const char *size : {"0x0", "-5x-4", "67108864x67108864"}) {
        VmafGpuInputs inputs;
        VmafGpuError error = {};
        vmafgpu_inputs_default(&inputs);
        inputs.is_scaling = 1;
        for (int i = 0; i < 2; ++i)
            ASSERT_EQ(vmafgpu_input_parse(
                          &inputs.input[i],
                          (kYuv + ":sar=67108864/1:size=" + (i == 0 ? size : "640x360")).c_str()),
                      0);
        ASSERT_EQ(vmafgpu_inputs_plan(&inputs), 0);
        EXPECT_EQ(vmafgpu_inputs_check(&inputs, &error), -EINVAL);
        EXPECT_EQ(error.text, "main is " + std::string(size) +
                                  ", reference is 640x360: a side has 1 to 65535 pixels");
    }
}

TEST(Inputs, WhatIsNoNameIsNotInAFilter)
{
    const Plan planned = plan(kYuv + ":matrix=gbr,movie=x", kYuv + ":matrix=bt709");
    EXPECT_EQ(planned.reference,
              "format=pix_fmts=yuv420p:color_spaces=unknown:color_ranges=unknown|tv");
}

TEST(Inputs, FieldsThatCannotBeReadAreRefused)
{
    VmafGpuInputs inputs = {};
    VmafGpuError error = {};
    EXPECT_EQ(vmafgpu_inputs_plan(&inputs), -EINVAL);
    EXPECT_EQ(vmafgpu_inputs_check(&inputs, &error), -EINVAL);
    vmafgpu_inputs_default(&inputs);
    inputs.model_count = 1; // and no names
    EXPECT_EQ(vmafgpu_inputs_check(&inputs, &error), -EINVAL);
    EXPECT_STREQ(error.text, "models must not be NULL");
}

TEST(Inputs, WordsAreChecked)
{
    VmafGpuInput input;
    for (const char *text :
         {"format", "size=640", "colour=red", "turned=yes", "sar=1:1", "range=0123456789abcdef"})
        EXPECT_EQ(vmafgpu_input_parse(&input, text), -EINVAL) << text;
    EXPECT_EQ(vmafgpu_input_parse(&input, "format=yuv420p:size=7x8:sar=4/3:interlaced=1"), 0);
    EXPECT_EQ(input.width * 100 + input.height * 10 + input.sar_num, 784);
}

TEST(Inputs, TheModelOfTheOtherSizeIsNamed)
{
    const std::string large = "format=yuv420p:size=3840x2160";
    for (const auto &[model, other] : {std::pair{"vmaf_v0.6.1", "vmaf_4k_v0.6.1"},
                                       {"vmaf_v1.0.16_5d0h", "vmaf_v1.0.16_3d0h_2160"}}) {
        const Plan planned = plan(large, large, false, model);
        ASSERT_FALSE(planned.warnings.empty());
        EXPECT_EQ(planned.warnings[0],
                  std::string("the pictures are 3840x2160, but model ") + model +
                      " was made for 1920x1080: take the model for this size, e.g. "
                      "[0:v][1:v]vmaf_gpu=model=version=" +
                      other);
        EXPECT_NE(
            plan(kYuv, kYuv, false, other).warnings.at(0).find("=version=" + std::string(model)),
            std::string::npos);
    }
}

/// What the frames' tags say reaches the features of a context, before its first pair.
TEST(Inputs, AreToldToAContext)
{
    std::string logged;
    const VmafGpuFeature feature = {"ssimulacra2", nullptr};
    VmafGpuSettings settings;
    vmafgpu_settings_default(&settings);
    settings.width = 32;
    settings.height = 700; // without a tag, so many lines are BT.709
    settings.depth = 8;
    settings.chroma = VMAFGPU_CHROMA_420;
    settings.device = "cpu";
    settings.features = &feature;
    settings.feature_count = 1;
    settings.log_opaque = &logged;
    settings.log = [](void *opaque, int, const char *text) {
        *static_cast<std::string *>(opaque) = text;
    };
    VmafGpuContext *ctx = nullptr;
    VmafGpuError error = {};
    ASSERT_EQ(vmafgpu_open(&ctx, &settings, &error), 0) << error.text;
    VmafGpuInputs inputs;
    vmafgpu_inputs_default(&inputs);
    const auto set_inputs = [&](const char *main, const char *reference) {
        EXPECT_EQ(vmafgpu_input_parse(&inputs.compared[0], main), 0);
        EXPECT_EQ(vmafgpu_input_parse(&inputs.compared[1], reference), 0);
        inputs.input[0] = inputs.compared[0];
        return vmafgpu_set_inputs(ctx, &inputs, &error);
    };
    EXPECT_EQ(set_inputs("format=yuvj420p:matrix=bt709", "range=tv"), 0);
    EXPECT_EQ(logged,
              "ssimulacra2 takes main for BT.709, full range; reference for BT.709, limited "
              "range; both with the curve of sRGB");
    EXPECT_EQ(set_inputs("matrix=bt709:range=tv", "range=tv"), -EINVAL);
    vmafgpu_reset(ctx);
    EXPECT_EQ(set_inputs("", "transfer=arib-std-b67"), -EINVAL);
    EXPECT_NE(std::string(error.text).find("not for HDR"), std::string::npos);
    for (const char *format : {"yuva420p", "rgba", "gbrap10le", "ya8"})
        EXPECT_EQ(set_inputs(("format=" + std::string(format)).c_str(), ""), -EINVAL) << format;
    EXPECT_EQ(set_inputs("format=rgb24", ""), 0);
    EXPECT_EQ(logged.find("ssimulacra2 takes main for BT.601, limited range; reference for BT.709"),
              0U)
        << logged; // FFmpeg converts RGB so
    EXPECT_EQ(vmafgpu_set_inputs(nullptr, &inputs, &error), -EINVAL);
    EXPECT_EQ(vmafgpu_set_inputs(ctx, nullptr, &error), -EINVAL);

    std::vector<unsigned char> samples(size_t{32} * 700);
    VmafGpuPicture picture = {};
    picture.width = 32;
    picture.height = 700;
    picture.depth = 8;
    for (auto &plane : picture.plane)
        plane.data = samples.data(), plane.pitch = 32;
    EXPECT_EQ(vmafgpu_submit(ctx, &picture, &picture, 0), 0);
    EXPECT_EQ(set_inputs("format=rgb24:primaries=bt709", ""), 0);
    EXPECT_EQ(set_inputs("", ""), -EINVAL);
    EXPECT_NE(std::string(error.text).find("matrix of main changes from bt601 to bt709"),
              std::string::npos);
    vmafgpu_reset(ctx);
    EXPECT_EQ(vmafgpu_submit(ctx, &picture, &picture, 0), 0);
    EXPECT_EQ(set_inputs("", ""), -EINVAL);
    EXPECT_NE(std::string(error.text).find("before the first pair"), std::string::npos);
    vmafgpu_close(&ctx);
}

} // namespace
