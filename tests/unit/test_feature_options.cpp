// SPDX-License-Identifier: BSD-2-Clause-Patent
// Options and names common to all features: parsing, bounds, error texts,
// report names. What an option does to scores is the golden tests' question.
#include <gtest/gtest.h>

#include <algorithm>
#include <clocale>
#include <set>
#include <stdexcept>

#include "base/error.h"
#include "features/registry.h"

namespace vmafgpu::feature_options_test {
namespace {

std::string error_of(const FeatureInfo &info, const std::string &options)
{
    FeatureOptions values = info.defaults;
    try {
        set_options(info, values, options);
    } catch (const Error &error) {
        EXPECT_EQ(EINVAL, error.code());
        return error.what();
    }
    return "";
}

double value_of(const char *feature, const char *option, const std::string &text)
{
    const FeatureInfo &info = *find_feature(feature);
    FeatureOptions values = info.defaults;
    set_options(info, values, text);
    for (const OptionInfo &candidate : info.options)
        if (candidate.name == std::string(option))
            return candidate.get(values);
    throw std::out_of_range(option);
}

TEST(feature_options, registry)
{
    std::set<std::string> outputs;
    for (const FeatureInfo *info : feature_registry()) {
        EXPECT_EQ(info, find_feature(info->name));
        EXPECT_GE(info->min_size, 1);
        // Where a feature needs more, check_format() says so.
        EXPECT_LE(info->min_size,
                  info->name == std::string("float_ms_ssim") ? 176 : VMAFGPU_MIN_SIZE);
        for (const Compat compat : {Compat::k3_2, Compat::k3_1}) {
            std::set<std::string> names;
            for (const OutputInfo &output : info->outputs(compat, info->defaults)) {
                EXPECT_TRUE(names.insert(output.name).second) << output.name;
                EXPECT_EQ(info, find_feature_of_output(output.name, compat));
            }
        }
        std::set<std::string> options;
        for (const OptionInfo &option : info->options) {
            EXPECT_TRUE(options.insert(option.name).second) << option.name;
            const bool may_mean_not_given =
                option.default_value == 0 ||
                option.name == std::string("adm_skip_aim_scale"); // libvmaf's -1: none
            if (!may_mean_not_given) {
                EXPECT_GE(option.default_value, option.min);
            }
            EXPECT_LE(option.default_value, option.max);
        }
    }
    EXPECT_EQ(nullptr, find_feature("nonsense"));
    EXPECT_EQ(nullptr, find_feature(""));
    EXPECT_EQ(nullptr, find_feature_of_output("nonsense", Compat::k3_2));
}

/// Every option of every feature takes its default and bounds, by name and alias.
TEST(feature_options, reg48_every_option_is_heard)
{
    for (const FeatureInfo *info : feature_registry()) {
        for (const OptionInfo &option : info->options) {
            SCOPED_TRACE(std::string(info->name) + "." + option.name);
            if (option.type == OptionType::kText) {
                FeatureOptions values = info->defaults;
                set_option(*info, values, option.name, "a text");
                EXPECT_EQ("a text", option.text(values));
                EXPECT_EQ(1, option.get(values));
                continue;
            }
            for (const double value : {option.min, option.max, option.default_value}) {
                if (value < option.min) // a default that cannot be given
                    continue;
                FeatureOptions values = info->defaults;
                const double other = value == 0 ? 1 : 0;
                option.set(values, other);
                std::string text = std::to_string(value);
                if (option.type == OptionType::kBool)
                    text = value != 0 ? "true" : "false";
                if (option.type == OptionType::kChoice)
                    text = option.choices[static_cast<size_t>(value)];
                set_option(*info, values, option.name, text);
                EXPECT_EQ(value, option.get(values));
                option.set(values, other);
                if (option.alias != nullptr) {
                    set_option(*info, values, option.alias, text);
                    EXPECT_EQ(value, option.get(values));
                }
            }
        }
    }
}

TEST(feature_options, bounds_and_kinds)
{
    const FeatureInfo &adm = *find_feature("adm");
    const FeatureInfo &motion = *find_feature("motion");
    for (const char *bad :
         {"adm_enhn_gain_limit=0.99", "adm_enhn_gain_limit=", "adm_enhn_gain_limit=1.2x",
          "adm_enhn_gain_limit=nan", "adm_enhn_gain_limit=inf", "adm_enhn_gain_limit=1e999",
          "adm_enhn_gain_limit= 1.2", "adm_enhn_gain_limit=1,2", "adm_enhn_gain_limit=0x2",
          "adm_enhn_gain_limit=--2"}) {
        SCOPED_TRACE(bad);
        const std::string text = error_of(adm, bad);
        EXPECT_NE(std::string::npos, text.find("adm_enhn_gain_limit")) << text;
        EXPECT_NE(std::string::npos, text.find(" to ")) << text; // the text names what is allowed
    }
    for (const char *bad : {"motion_force_zero=1", "motion_force_zero=TRUE",
                            "motion_force_zero=", "motion_force_zero=yes"})
        EXPECT_NE(std::string::npos, error_of(motion, bad).find("true or false")) << bad;
}

TEST(feature_options, reg47_unknown_options_are_errors)
{
    const FeatureInfo &vif = *find_feature("vif");
    const std::string text = error_of(vif, "vif_enhn_gain_limits=1");
    EXPECT_NE(std::string::npos, text.find("vif_enhn_gain_limits")) << text;
    EXPECT_NE(std::string::npos, text.find("options:")) << text;
    EXPECT_NE("", error_of(vif, "=1"));
    EXPECT_NE("", error_of(vif, "debug"));
    EXPECT_NE("", error_of(vif, "debug=true::debug=true"));
    EXPECT_EQ("", error_of(vif, ""));
}

TEST(feature_options, a_backslash_takes_the_next_character)
{
    const FeatureInfo &cambi = *find_feature("cambi");
    FeatureOptions values = cambi.defaults;
    const OptionInfo &path = cambi.options.back();
    set_options(cambi, values, "heatmaps_path=/a\\:b\\\\=\\c d\\:window_size=6\\3");
    EXPECT_EQ("/a:b\\=c d:window_size=63", path.text(values));
    values = cambi.defaults;
    set_options(cambi, values, "heatmaps_path=x\\\\:window_size=6\\3");
    EXPECT_EQ("x\\", path.text(values));
    EXPECT_EQ(63, value_of("cambi", "window_size", "heatmaps_path=0100:window_size=63"));
    EXPECT_NE("", error_of(cambi, "heatmaps_path="));
    EXPECT_NE("", error_of(cambi, "heatmaps_path"));
}

TEST(feature_options, several_and_the_last_wins)
{
    EXPECT_EQ(1.5, value_of("adm", "adm_enhn_gain_limit",
                            "adm_enhn_gain_limit=3:debug=true:adm_enhn_gain_limit=1.5"));
    EXPECT_EQ(1.0, value_of("adm", "debug", "adm_enhn_gain_limit=3:debug=true"));
}

/// libvmaf passes option values on as text of six significant digits.
TEST(feature_options, six_digits)
{
    EXPECT_EQ(1.23457, value_of("adm", "adm_enhn_gain_limit", "adm_enhn_gain_limit=1.23456789"));
    EXPECT_EQ(1.2, value_of("adm", "adm_enhn_gain_limit", "adm_enhn_gain_limit=1.2"));
}

TEST(feature_options, the_locale_changes_nothing)
{
    const std::string before = std::setlocale(LC_ALL, nullptr);
    for (const char *name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"})
        if (std::setlocale(LC_ALL, name) != nullptr)
            break;
    EXPECT_EQ(1.25, value_of("adm", "adm_enhn_gain_limit", "adm_enhn_gain_limit=1.25"));
    std::setlocale(LC_ALL, before.c_str());
}

std::string name_with(const char *feature, const char *output, const char *options)
{
    const FeatureInfo &info = *find_feature(feature);
    FeatureOptions values = info.defaults;
    set_options(info, values, options);
    for (const OutputInfo &candidate : info.outputs(Compat::k3_2, info.defaults))
        if (std::string(output) == candidate.name)
            return report_name(info, candidate, values);
    return "no such output";
}

TEST(feature_options, report_names)
{
    const char *adm2 = "VMAF_integer_feature_adm2_score";
    const char *vif0 = "VMAF_integer_feature_vif_scale0_score";
    EXPECT_EQ("integer_adm2", name_with("adm", adm2, ""));
    EXPECT_EQ("integer_adm2_egl_1", name_with("adm", adm2, "adm_enhn_gain_limit=1"));
    EXPECT_EQ("integer_adm2_egl_1.2", name_with("adm", adm2, "adm_enhn_gain_limit=1.2"));
    EXPECT_EQ("integer_adm2", name_with("adm", adm2, "debug=true"));
    EXPECT_EQ("integer_vif_scale0_egl_1", name_with("vif", vif0, "vif_enhn_gain_limit=1.0"));
    EXPECT_EQ("integer_motion2_force_0",
              name_with("motion", "VMAF_integer_feature_motion2_score", "motion_force_zero=true"));
}

/// Every option that names show, at a value of many digits.
FeatureOptions far_from_defaults(const FeatureInfo &info)
{
    FeatureOptions values = info.defaults;
    for (const OptionInfo &option : info.options) {
        if (option.type == OptionType::kDouble)
            option.set(values, option.min + (option.max - option.min) * 0.1234567);
        else if (option.type != OptionType::kText)
            option.set(values, option.default_value == option.min ? option.min + 1 : option.min);
    }
    return values;
}

/// libvmaf has 256 bytes for such a name.
TEST(feature_options, report_names_have_at_most_255_characters)
{
    size_t longest = 0;
    for (const FeatureInfo *info : feature_registry())
        for (const OutputInfo &output : info->outputs(Compat::k3_2, info->defaults))
            longest =
                std::max(longest, report_name(*info, output, far_from_defaults(*info)).size());
    EXPECT_EQ(longest, 255U);
}

TEST(feature_options, zero_has_no_sign)
{
    EXPECT_NE("", error_of(*find_feature("float_vif"), "vif_sigma_nsq=-0"));
    EXPECT_NE("", error_of(*find_feature("float_vif"), "vif_sigma_nsq=-0.0"));
    EXPECT_NE("", error_of(*find_feature("float_vif"), "vif_sigma_nsq=-1e-60"));
    EXPECT_NE("", error_of(*find_feature("psnr"), "min_sse=-0"));
    EXPECT_EQ("", error_of(*find_feature("float_vif"), "vif_sigma_nsq=0"));
    EXPECT_EQ("", error_of(*find_feature("float_vif"), "vif_sigma_nsq=0.0"));
}

/// libvmaf reads the beginning of a text, and leaves the rest unread.
TEST(feature_options, a_number_is_the_whole_text)
{
    for (const char *text : {" 1", "1abc", "+1", "0x1", "1 ", "1,5", ""})
        EXPECT_NE("", error_of(*find_feature("float_vif"), std::string("vif_sigma_nsq=") + text))
            << text;
    for (const char *text : {"1.5", "0x1", "+1", "1abc"})
        EXPECT_NE("", error_of(*find_feature("adm"), std::string("adm_csf_mode=") + text)) << text;
    EXPECT_EQ("", error_of(*find_feature("float_vif"), "vif_sigma_nsq=1e0"));
}

} // namespace
} // namespace vmafgpu::feature_options_test
