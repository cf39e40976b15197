// SPDX-License-Identifier: BSD-2-Clause-Patent
// Any text where options are texts: of features, of models, pools, and what
// vmafgpu_open() takes. Refused by an Error of one line, or taken; a value that
// was taken lies within its bounds.

#include "base/error.h"
#include "bytes.h"
#include "features/registry.h"
#include "model/model.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace {

using namespace vmafgpu;

void expect_one_line(const std::string &text)
{
    VMAFGPU_FUZZ_REQUIRE(!text.empty() && text.find('\n') == std::string::npos);
}

void feature_options(const std::string &text, int which)
{
    const auto &registry = feature_registry();
    const FeatureInfo &info = *registry[static_cast<size_t>(which) % registry.size()];
    FeatureOptions values = info.defaults;
    try {
        set_options(info, values, text);
    } catch (const Error &error) {
        expect_one_line(error.what());
        return;
    }
    for (const OptionInfo &option : info.options) {
        const double value = option.get(values);
        VMAFGPU_FUZZ_REQUIRE(value == option.default_value ||
                             (value >= option.min && value <= option.max));
    }
    for (const OutputInfo &output : info.outputs(Compat::k3_2, values))
        VMAFGPU_FUZZ_REQUIRE(!report_name(info, output, values).empty());
    try {
        info.create({33, 35, 10, Chroma::k420}, Compat::k3_2, {values, info.defaults});
    } catch (const Error &error) {
        expect_one_line(error.what());
    }
}

void model_option(const std::string &key, const std::string &value)
{
    static const auto model = Model::load("vmaf_v0.6.1neg");
    Model copy(*model);
    try {
        copy.set_option(key, value);
        VMAFGPU_FUZZ_REQUIRE(!copy.score_names().empty());
    } catch (const Error &error) {
        expect_one_line(error.what());
    }
}

void open_context(const std::string &feature, const std::string &options, int compat)
{
    const VmafGpuFeature wanted = {feature.c_str(), options.c_str()};
    VmafGpuSettings settings;
    vmafgpu_settings_default(&settings);
    settings.width = settings.height = 32;
    settings.device = "cpu";
    settings.threads = 1;
    settings.compat = compat;
    settings.features = &wanted;
    settings.feature_count = 1;
    VmafGpuContext *ctx = nullptr;
    VmafGpuError error = {};
    const int code = vmafgpu_open(&ctx, &settings, &error);
    VMAFGPU_FUZZ_REQUIRE((code == 0) == (ctx != nullptr));
    if (code != 0)
        expect_one_line(error.text);
    vmafgpu_close(&ctx);
}

void device_text(const std::string &text)
{
    // Texts that could name a device of this machine are left out.
    if (text.empty() || text.compare(0, 4, "auto") == 0 || text.compare(0, 3, "cud") == 0 ||
        text.compare(0, 3, "hip") == 0 || text.compare(0, 3, "ope") == 0)
        return;
    static const VmafGpuFeature motion = {"motion", nullptr};
    VmafGpuSettings settings;
    vmafgpu_settings_default(&settings);
    settings.width = settings.height = 32;
    settings.device = text.c_str();
    settings.threads = 1;
    settings.features = &motion;
    settings.feature_count = 1;
    VmafGpuContext *ctx = nullptr;
    VmafGpuError error = {};
    vmafgpu_open(&ctx, &settings, &error);
    vmafgpu_close(&ctx);
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Bytes bytes(data, size);
    const int action = bytes.below(6);
    const int which = bytes.byte();
    const std::string first = bytes.line();
    const std::string second = bytes.line();
    switch (action) {
    case 0:
        open_context(first, second, which & 1);
        break;
    case 1:
        model_option(first, second);
        break;
    case 2:
        vmafgpu_pool_by_name(first.c_str());
        break;
    case 3:
        device_text(first);
        break;
    default:
        feature_options(first, which);
        break;
    }
    return 0;
}
