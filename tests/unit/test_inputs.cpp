// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the engine says of two inputs before they are compared. That FFmpeg converts likewise is
// shown with its filter, by tests/filter/programs.sh.
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
    std::vector<std::string> helps; ///< advice of each warning
    std::string refusal, help;      ///< help: of the first warning, or of the refusal
};

/// Returns all advice, each behind its name.
std::string help_of(const VmafGpuAdvice &advice)
{
    std::string text = advice.is_scaling_enough != 0 ? "scaling;" : "";
    for (const auto &[name, value] :
         {std::pair{"main", advice.filter[0]}, std::pair{"reference", advice.filter[1]},
          std::pair{"before main", advice.option[0]},
          std::pair{"before reference", advice.option[1]}, std::pair{"model", advice.model}})
        if (*value != '\0')
            text += std::string(name) + " " + value + ";";
    return text;
}

/// Plans inputs of 640x360, unless they name another size.
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
    inputs.advise_opaque = &planned;
    inputs.advise = [](void *opaque, const VmafGpuAdvice *advice) {
        auto &made = *static_cast<Plan *>(opaque);
        if (made.warnings.empty())
            made.help = help_of(*advice);
        if (advice->level == VMAFGPU_LOG_WARNING) {
            made.warnings.emplace_back(advice->text);
            made.helps.push_back(help_of(*advice));
        } else if (advice->level == VMAFGPU_LOG_ERROR) {
            made.refusal = advice->text;
        }
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

/// What formats=asis would not mend, or what has been set, is not advised.
TEST(Inputs, AsIsIsAdvisedWhereItHelps)
{
    const auto advised = [](const std::string &main, const std::string &reference,
                            bool is_as_is = false) {
        const Plan planned = plan("format=" + main, "format=" + reference, is_as_is);
        const std::string text = planned.warnings.empty() ? "" : planned.warnings.front();
        const size_t end = text.find("as for libvmaf");
        return (end == text.npos ? text : text.substr(end + 14)) + " | " + planned.help;
    };
    const std::string helps = " (formats=asis: no bit is lost) | ";
    EXPECT_EQ(advised("yuv420p", "yuv420p10le"), helps);
    EXPECT_EQ(advised("nv12", "p010le"), helps);
    EXPECT_EQ(advised("yuv444p", "yuv420p10le"), " | "); // refused as they are
    EXPECT_EQ(advised("yuv444p", "ya16le").substr(0, 3), " | ");
    for (const auto &[name, depth] :
         std::vector<std::pair<std::string, std::string>>{{"gbrp16le", "16"},
                                                          {"gbrp10le", "10"},
                                                          {"rgb48le", "16"},
                                                          {"gbrpf32le", "16"},
                                                          {"xyz12le", "12"}}) {
        const std::string filter = "format=yuv444p" + depth + "le;";
        EXPECT_EQ(advised(name, "yuv420p"),
                  "; to keep all bits | main " + filter + "reference " + filter);
    }
    EXPECT_EQ(advised("yuvj420p:range=pc", "yuv420p:range=tv"),
              " (formats=asis: no conversion) | ");
    EXPECT_EQ(advised("ya8", "yuv420p:range=tv"), " | ");
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
              "they are; to convert main");
    EXPECT_EQ(planned.helps[1],
              "main scale=in_range=pc:out_range=tv;reference setparams=range=tv;");
}

/// The first warning, and what helps.
std::string said(const std::string &main, const std::string &reference, bool is_as_is = false,
                 const char *model = nullptr)
{
    const Plan planned = plan(kYuv + ":" + main, kYuv + ":" + reference, is_as_is, model);
    return planned.warnings.empty() ? "" : planned.warnings.front() + " | " + planned.help;
}

TEST(Inputs, Pulldown)
{
    const std::string film = kYuv + ":rate=24000/1001", video = kYuv + ":rate=30000/1001";
    const Plan marked = plan(film, video + ":interlaced=1");
    ASSERT_EQ(marked.warnings.size(), 1U); // no second warning about an interlaced input
    EXPECT_EQ(marked.warnings[0],
              "main has 23.976 and reference 29.970 frames per second, and reference is "
              "interlaced, as film with pulldown (telecine) is: take it out");
    EXPECT_EQ(marked.help, "reference fieldmatch,yadif=deint=interlaced,decimate;");
    EXPECT_EQ(plan(kYuv + ":rate=30/1:interlaced=1", kYuv + ":rate=24/1").help,
              "main fieldmatch,yadif=deint=interlaced,decimate;");
    EXPECT_TRUE(plan(film, video).warnings.empty()); // a conversion of rates
    EXPECT_TRUE(plan(kYuv + ":rate=24/1", kYuv + ":rate=25/1").warnings.empty());
    EXPECT_NE(plan(kYuv + ":rate=24/1", kYuv + ":rate=25/1:interlaced=1")
                  .warnings.at(0)
                  .find("deinterlace reference"),
              std::string::npos);
}

TEST(Inputs, Warnings)
{
    EXPECT_EQ(said("matrix=bt709", "range=tv"),
              "main has matrix bt709, reference has no tagged matrix: FFmpeg converts reference, "
              "as for libvmaf (formats=asis: no conversion); if both have the same | reference "
              "setparams=colorspace=bt709;");
    EXPECT_EQ(said("interlaced=1", "interlaced=0"),
              "main is interlaced, reference is progressive: deinterlace main | main "
              "bwdif=mode=send_frame;");
    EXPECT_EQ(said("interlaced=1", "interlaced=1"),
              "main and reference are interlaced: a picture shows two moments, and no model was "
              "made for that: deinterlace both | main bwdif=mode=send_frame;reference "
              "bwdif=mode=send_frame;");
    EXPECT_EQ(said("interlaced=1:bottom_first=1", "interlaced=1"),
              "main has its bottom field first, reference its top: once they are deinterlaced, "
              "their pictures are half a frame apart; if both show the same fields, the tag of one "
              "is wrong | main setfield=tff,bwdif=mode=send_frame;reference "
              "bwdif=mode=send_frame;");
    EXPECT_EQ(plan(kYuv + ":interlaced=1:bottom_first=1", kYuv + ":interlaced=1").warnings.size(),
              1U);
    EXPECT_TRUE(plan(kYuv + ":bottom_first=1", kYuv).warnings.empty()); // no fields
    EXPECT_EQ(said("transfer=smpte2084", "range=tv", false, "vmaf_v0.6.1"),
              "the pictures are HDR (smpte2084), but model vmaf_v0.6.1 was made for SDR: its "
              "scores can rank encodes of one source, and mean nothing else | ");
    // There is no such format of 10 bits.
    EXPECT_EQ(said("format=yuv410p", "format=yuv410p", true, "vmaf_v1.0.16_3d0h"),
              "the pictures are 8 bit, but model vmaf_v1.0.16_3d0h was made for 10 bit: convert "
              "both | ");
    EXPECT_EQ(said("range=tv", "range=tv", false, "vmaf_v1.0.16_3d0h"),
              "the pictures are 8 bit, but model vmaf_v1.0.16_3d0h was made for 10 bit: convert "
              "both | main format=yuv420p10;reference format=yuv420p10;");
    EXPECT_EQ(said("sar=64/48", "sar=48/48"),
              "main has sample aspect ratio 4:3, reference has 1:1: the pictures have different "
              "shapes; if it is only the tag that is wrong | main setsar=1/1;");
    EXPECT_EQ(said("primaries=bt709", "primaries=bt2020"),
              "main and reference differ in primaries (bt709, bt2020): the samples are compared as "
              "they are | ");
    EXPECT_EQ(said("grain=1", "grain=0"),
              "main has film grain that the decoder adds: VMAF takes it for noise, and the score "
              "is as a rule lower; to take it off | before main -export_side_data film_grain;");
}

TEST(Inputs, WhatIsLeftOutIsSaid)
{
    using Texts = std::vector<std::string>;
    const auto warned = [](const std::string &main, const std::string &reference) {
        return plan(main, reference).warnings;
    };
    EXPECT_EQ(warned(kYuv + ":streams=0:stream=0", kYuv + ":streams=2:stream=2"), Texts());
    EXPECT_EQ(warned(kYuv, kYuv + ":streams=0,2,3:stream=2"),
              Texts{"reference has several video streams (0,2,3): stream 2 is compared, which "
                    "FFmpeg chooses"});
    EXPECT_EQ(warned(kYuv + ":streams=0,1:stream=1:named=1", kYuv), Texts());
    for (const char *format : {"yuva420p", "rgba", "ya8", "gbrap10le"})
        EXPECT_EQ(warned("format=" + std::string(format), "format=" + std::string(format)),
                  (Texts{"main has alpha, which is left out: colours count also where they are "
                         "transparent",
                         "reference has alpha, which is left out: colours count also where they "
                         "are transparent"}));
    EXPECT_EQ(warned("format=bgr0", "format=bgra"), Texts());
    EXPECT_EQ(warned(kYuv + ":own_colours=1", kYuv).size(), 1U);
    EXPECT_EQ(warned(kYuv + ":range=pc", "format=gray"),
              Texts{"reference is grey, main has colour: is it the alpha plane or gain map of a "
                    "picture, a stream of the same file?"});
    EXPECT_EQ(warned("format=gray", "format=gray"), Texts());
}

/// The input with linear or logarithmic light is at fault. It is converted to the other input's
/// curve, never the other way.
TEST(Inputs, LightWithoutACurveIsAFaultOfItsInput)
{
    const auto last = [](const std::string &main, const std::string &reference) {
        const Plan planned = plan(kYuv + ":" + main, kYuv + ":" + reference);
        return planned.warnings.back() + " | " + planned.helps.back();
    };
    const auto text = [](const std::string &name, const std::string &light) {
        return name + " has " + light + "), as it is between two filters and never shown: give " +
               name + " its curve again | ";
    };
    EXPECT_EQ(last("transfer=bt709", "transfer=linear"),
              text("reference", "linear light (transfer linear") +
                  "reference zscale=t=bt709:m=bt709:r=tv,format=yuv420p;");
    EXPECT_EQ(last("transfer=linear", "range=tv"),
              text("main", "linear light (transfer linear") +
                  "main zscale=t=bt709:m=bt709:r=tv,format=yuv420p;");
    EXPECT_EQ(last("transfer=log100", "transfer=bt709:matrix=smpte170m:range=pc"),
              text("main", "logarithmic light (transfer log100") +
                  "main zscale=t=bt709:m=smpte170m:r=pc,format=yuv420p;");
    EXPECT_EQ(last("transfer=log316", "transfer=smpte2084:matrix=bt2020nc:format=yuv420p10le"),
              text("main", "logarithmic light (transfer log316") +
                  "main zscale=t=smpte2084:m=bt2020nc:r=tv,format=yuv420p10le;");
    EXPECT_EQ(last("primaries=bt709", "transfer=vlog:primaries=bt2020"),
              text("reference", "logarithmic light (transfer vlog") +
                  "reference zscale=t=bt709:m=bt709:r=tv,format=yuv420p;");
    const Plan both = plan(kYuv + ":transfer=linear", kYuv + ":transfer=linear");
    ASSERT_EQ(both.warnings.size(), 2U);
    EXPECT_EQ(both.warnings[0].substr(0, 21), "main has linear light");
    EXPECT_EQ(both.warnings[1].substr(0, 26), "reference has linear light");
}

/// FFmpeg before 7.0 has made Y'CbCr of RGB before the filter sees it.
TEST(Inputs, RgbBeforeFfmpeg7)
{
    const auto warned = [](const char *of_main, const char *main, const char *reference) {
        std::string found;
        VmafGpuInputs inputs;
        vmafgpu_inputs_default(&inputs);
        inputs.advise_opaque = &found;
        inputs.advise = [](void *opaque, const VmafGpuAdvice *advice) {
            *static_cast<std::string *>(opaque) +=
                std::string(advice->text) + " | " + help_of(*advice);
        };
        const std::string size = ":size=640x360";
        EXPECT_EQ(vmafgpu_input_parse(&inputs.input[0], (of_main + size).c_str()), 0);
        EXPECT_EQ(vmafgpu_input_parse(&inputs.compared[0], (main + size).c_str()), 0);
        EXPECT_EQ(vmafgpu_input_parse(&inputs.compared[1], (reference + size).c_str()), 0);
        inputs.input[1] = inputs.compared[1];
        inputs.depth = 8;
        EXPECT_EQ(vmafgpu_inputs_check(&inputs, nullptr), 0);
        return found;
    };
    const std::string text =
        "main is RGB, of which FFmpeg before 7.0 makes BT.601, and reference has matrix bt709: "
        "convert main | main "
        "scale=out_color_matrix=bt709,format=yuv444p,setparams=colorspace=bt709;";
    EXPECT_EQ(warned("format=gbrp:matrix=gbr", "format=yuv444p:matrix=gbr",
                     "format=yuv420p:matrix=bt709"),
              text);
    EXPECT_EQ(warned("format=rgb24", "format=yuv444p", "format=yuv420p:matrix=bt709"), text);
    // FFmpeg 7.0 and later convert by the matrix of the other one; BT.601 is what is made.
    EXPECT_EQ(warned("format=gbrp", "format=yuv444p:matrix=bt709", "format=yuv420p:matrix=bt709"),
              "");
    EXPECT_EQ(warned("format=gbrp", "format=yuv444p", "format=yuv420p:matrix=smpte170m"), "");
    EXPECT_EQ(warned("format=gbrp", "format=yuv444p", "format=yuv420p"), "");
    EXPECT_EQ(warned("format=gbrp", "format=yuv444p:matrix=gbr", "format=gbrp:matrix=gbr"), "");
    EXPECT_TRUE(plan("format=gbrp:matrix=gbr", kYuv + ":matrix=bt709").warnings.empty());
}

std::string refused(const std::string &main, const std::string &reference)
{
    const Plan planned = plan(kYuv + ":" + main, kYuv + ":" + reference);
    EXPECT_EQ(planned.status, -EINVAL);
    EXPECT_EQ(planned.error, planned.refusal);
    const size_t remedy = planned.error.find("; ");
    return (remedy == std::string::npos ? planned.error : planned.error.substr(remedy + 2)) +
           " | " + planned.help;
}

TEST(Inputs, UsualSizesAreScaled)
{
    const Plan small = plan(kYuv + ":size=320x180", kYuv);
    EXPECT_EQ(small.error, "main is 320x180 but reference is 640x360; scale one of them");
    EXPECT_EQ(small.help, "scaling;main scale=640:360:flags=bicubic;");
    // Further than the engine scales.
    EXPECT_EQ(refused("size=32x18", "size=640x360"),
              "scale one of them | main scale=640:360:flags=bicubic;");
    for (const auto &[main, reference] :
         std::vector<std::pair<std::string, std::string>>{{"1280x720", "1920x1080"},
                                                          {"1920x1080", "1280x720"},
                                                          {"416x234", "1920x1080"},
                                                          {"854x480", "1920x1080"},
                                                          {"852x480", "1280x720"},
                                                          {"768x432", "1920x1080"},
                                                          {"1280x546", "1920x818"},
                                                          {"640x272", "1920x816"},
                                                          {"1024x576", "960x540"},
                                                          {"1366x768", "1920x1080"},
                                                          {"540x960", "1080x1920"},
                                                          {"2048x858", "4096x1716"},
                                                          {"240x136", "480x270"},
                                                          {"720x576:sar=16/15", "768x576:sar=1/1"},
                                                          {"704x480:sar=10/11", "640x480:sar=1/1"},
                                                          {"112x64:sar=64/63", "160x90:sar=1/1"}})
        EXPECT_EQ(refused("size=" + main, "size=" + reference).substr(0, 27),
                  "scale one of them | scaling")
            << main << " " << reference;
}

/// Scaling of cropped pictures gives a score, and a wrong one.
TEST(Inputs, OtherSizesAreCropped)
{
    const auto crop = [](const std::string &filter) {
        return "crop reference or pad main | reference " + filter +
               ";before main -apply_cropping codec;";
    };
    EXPECT_EQ(refused("size=608x342", "size=640x360"), crop("crop=608:342:16:8"));
    EXPECT_EQ(refused("size=600x350", "size=640x360"), crop("crop=600:350:20:4"));
    EXPECT_EQ(refused("size=632x356", "size=640x360"), crop("crop=632:356:4:2"));
    EXPECT_EQ(refused("size=1800x1012", "size=1920x1080"), crop("crop=1800:1012:60:34"));
    EXPECT_EQ(refused("size=1440x1080", "size=1920x1080"), crop("crop=1440:1080:240:0"));
    EXPECT_EQ(refused("size=1916x1076", "size=1920x1080"), crop("crop=1916:1076:2:2"));
    EXPECT_EQ(refused("size=1920x1080", "size=1920x1088"), crop("crop=1920:1080:0:0"));
    EXPECT_EQ(refused("size=640x360", "size=608x342"),
              "crop main or pad reference | main crop=608:342:16:8;before "
              "reference -apply_cropping codec;");
    // Bars, and another size.
    EXPECT_EQ(refused("size=1280x534", "size=1920x1080"),
              "crop reference to the shape of main, and scale main | main "
              "scale=1920:800:flags=bicubic;reference crop=1920:800:0:140;");
    EXPECT_EQ(refused("size=700x300", "size=640x360"),
              "scale one of them if it shows all of the picture, else crop the other one | ");
    EXPECT_EQ(refused("size=1000x562", "size=1920x1080"),
              "scale one of them if it shows all of the picture, else crop the other one | ");
}

TEST(Inputs, WhatTheContainerCropsIsKnown)
{
    EXPECT_EQ(refused("size=1152x648:stored=1280x720", "size=1280x720:stored=1280x720"),
              "the container of main crops 1280x720: take all of it | before main -apply_cropping "
              "codec;");
    EXPECT_EQ(refused("size=640x360:stored=640x360", "size=640x340:stored=640x360"),
              "the container of reference crops 640x360: take all of it | before reference "
              "-apply_cropping codec;");
    // Nothing is cropped by a container, or that is not the reason.
    EXPECT_EQ(refused("size=608x342:stored=608x342", "size=640x360"),
              "crop reference or pad main | reference crop=608:342:16:8;");
    EXPECT_EQ(refused("size=640x360:stored=640x368", "size=1280x720").substr(0, 27),
              "scale one of them | scaling");
}

TEST(Inputs, TurnedPictures)
{
    EXPECT_EQ(
        refused("size=360x640", "size=640x360:turned=1"),
        "turn one of them (transpose=clock or cclock) | main transpose=clock;before reference "
        "-noautorotate;");
    EXPECT_EQ(refused("size=360x640", "size=640x360"),
              "turn one of them (transpose=clock or cclock) | main transpose=clock;");
    EXPECT_EQ(refused("size=16x16", "size=16x16"),
              "picture 16x16 is smaller than the minimum 17x17 of the features | ");
    EXPECT_EQ(plan(kYuv + ":size=17x17", kYuv + ":size=17x17").error, "");
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
        EXPECT_EQ(planned.warnings[0], std::string("the pictures are 3840x2160, but model ") +
                                           model +
                                           " was made for 1920x1080: take the model for this size");
        EXPECT_EQ(planned.help, "model " + std::string(other) + ";");
        EXPECT_EQ(plan(kYuv, kYuv, false, other).help, "model " + std::string(model) + ";");
    }
}

/// The tags of frames reach the features of a context before its first pair.
TEST(Inputs, AreToldToAContext)
{
    std::string logged;
    const VmafGpuFeature feature = {"ssimulacra2", nullptr};
    VmafGpuSettings settings;
    vmafgpu_settings_default(&settings);
    settings.width = 32;
    settings.height = 700; // a picture of so many lines without a tag is BT.709
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
