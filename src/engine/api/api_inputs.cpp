// SPDX-License-Identifier: BSD-2-Clause-Patent
// The C functions on what the inputs are. See include/vmaf_gpu/inputs.h.
#include <cstdio>
#include <string_view>

#include "api/context.h"
#include "inputs/inputs.h"
#include "inputs/pixel_format.h"

namespace {

/// Throws Error(EINVAL) unless the fields can be read.
void require_made(const VmafGpuInputs &inputs)
{
    if (inputs.struct_size != sizeof(inputs))
        throw vmafgpu::Error(EINVAL, "inputs were not made by vmafgpu_inputs_default() of this "
                                     "version");
    vmafgpu::require(inputs.model_count >= 0, "model_count", inputs.model_count, "0 or more");
    for (int i = 0; i < inputs.model_count; ++i)
        if (inputs.models == nullptr || inputs.models[i] == nullptr)
            throw vmafgpu::Error(EINVAL, "models must not be NULL");
}

bool set_field(VmafGpuInput &input, std::string_view name, const std::string &value)
{
    char after = '\0';
    const auto is_pair = [&](const char *form, int *first, int *second) {
        return std::sscanf(value.c_str(), form, first, second, &after) == 2; // NOLINT(cert-err34-c)
    };
    const struct {
        const char *name;
        char *text;
        size_t size;
    } texts[] = {{"format", input.format, sizeof(input.format)},
                 {"range", input.range, sizeof(input.range)},
                 {"matrix", input.matrix, sizeof(input.matrix)},
                 {"primaries", input.primaries, sizeof(input.primaries)},
                 {"transfer", input.transfer, sizeof(input.transfer)},
                 {"streams", input.streams, sizeof(input.streams)}};
    for (const auto &[known, text, size] : texts)
        if (name == known)
            return std::snprintf(text, size, "%s", value.c_str()) < static_cast<int>(size);
    if (name == "size")
        return is_pair("%8dx%8d%c", &input.width, &input.height);
    if (name == "stored")
        return is_pair("%8dx%8d%c", &input.stored_width, &input.stored_height);
    if (name == "sar")
        return is_pair("%8d/%8d%c", &input.sar_num, &input.sar_den);
    if (name == "rate")
        return is_pair("%9d/%9d%c", &input.rate_num, &input.rate_den);
    if (name == "stream")
        return std::sscanf(value.c_str(), "%8d%c", &input.stream, &after) == 1 && // NOLINT
               input.stream >= 0;
    for (const auto &[flag, out] :
         {std::pair{"interlaced", &input.is_interlaced}, std::pair{"turned", &input.is_turned},
          std::pair{"hardware", &input.is_hardware}, std::pair{"grain", &input.has_grain},
          std::pair{"bottom_first", &input.is_bottom_first},
          std::pair{"own_colours", &input.has_own_colours}, std::pair{"named", &input.is_named}})
        if (name == flag) {
            *out = value == "1" ? 1 : 0;
            return value == "0" || value == "1";
        }
    return false;
}

vmafgpu::ColourTags colours_of(const VmafGpuInputs &inputs, int input)
{
    const VmafGpuInput &of = inputs.compared[input];
    const bool is_full = vmafgpu::parse_pixel_format(vmafgpu::tag_of(of.format)).is_full;
    const auto original = vmafgpu::tag_of(inputs.input[input].format);
    std::string_view matrix = vmafgpu::tag_of(of.matrix);
    // FFmpeg makes Y'CbCr of RGB by BT.601, if no matrix is asked for.
    if (!original.empty() && (matrix.empty() || matrix == "gbr") &&
        vmafgpu::parse_pixel_format(original).colour == vmafgpu::PixelFormat::Colour::kRgb)
        matrix = "smpte170m";
    return {std::string(matrix), std::string(is_full ? "pc" : vmafgpu::tag_of(of.range)),
            std::string(vmafgpu::tag_of(of.primaries)), std::string(vmafgpu::tag_of(of.transfer)),
            vmafgpu::has_alpha(original)};
}

} // namespace

void vmafgpu_inputs_default(VmafGpuInputs *inputs)
{
    if (inputs == nullptr)
        return;
    *inputs = VmafGpuInputs();
    inputs->struct_size = sizeof(*inputs);
}

int vmafgpu_inputs_plan(VmafGpuInputs *inputs)
{
    if (inputs == nullptr)
        return -EINVAL;
    return vmafgpu::guarded_with(nullptr, [inputs] {
        require_made(*inputs);
        vmafgpu::plan_inputs(*inputs);
        return 0;
    });
}

int vmafgpu_inputs_check(const VmafGpuInputs *inputs, VmafGpuError *error)
{
    if (inputs == nullptr)
        return -EINVAL;
    const vmafgpu::Advise advise = [inputs](int level, const vmafgpu::Advice &advice) {
        const VmafGpuAdvice given = {level,
                                     advice.text.c_str(),
                                     {advice.filter[0].c_str(), advice.filter[1].c_str()},
                                     {advice.option[0].c_str(), advice.option[1].c_str()},
                                     advice.model.c_str(),
                                     advice.is_scaling_enough ? 1 : 0};
        if (inputs->advise != nullptr)
            inputs->advise(inputs->advise_opaque, &given);
    };
    return vmafgpu::guarded_with(error, [&] {
        require_made(*inputs);
        vmafgpu::check_pictures(*inputs, advise);
        vmafgpu::check_fields(*inputs, advise);
        vmafgpu::check_colours(*inputs, advise);
        vmafgpu::check_rest(*inputs, advise);
        return 0;
    });
}

int vmafgpu_set_inputs(VmafGpuContext *ctx, const VmafGpuInputs *inputs, VmafGpuError *error)
{
    return vmafgpu::guarded_with(error, [&] {
        vmafgpu::require_given("vmafgpu_set_inputs: ctx and inputs must not be NULL", ctx, inputs);
        require_made(*inputs);
        for (int i = 0; ctx->run && i < 2; ++i)
            ctx->run->formats[i] = vmafgpu::tag_of(inputs->compared[i].format);
        const vmafgpu::ColourTags tags[] = {colours_of(*inputs, VMAFGPU_REFERENCE),
                                            colours_of(*inputs, VMAFGPU_MAIN)};
        ctx->engine->set_colours(tags);
        ctx->seen.history.set(*inputs, ctx->seen.frames);
        for (int i = 0; i < 2; ++i) {
            const VmafGpuInput &input = inputs->input[i];
            if (input.streams[0] != '\0')
                ctx->record.streams[i] = std::to_string(input.stream) + " of " + input.streams;
        }
        ctx->record.doubt = vmafgpu::gray_fault(*inputs);
        return 0;
    });
}

int vmafgpu_input_parse(VmafGpuInput *input, const char *text)
{
    if (input == nullptr || text == nullptr)
        return -EINVAL;
    *input = VmafGpuInput();
    return vmafgpu::guarded_with(nullptr, [&] {
        for (std::string_view rest = text; !rest.empty();) {
            const std::string_view field = rest.substr(0, rest.find(':'));
            const size_t equals = field.find('=');
            rest.remove_prefix(std::min(rest.size(), field.size() + 1));
            if (equals == field.npos ||
                !set_field(*input, field.substr(0, equals), std::string(field.substr(equals + 1))))
                throw vmafgpu::Error(EINVAL, "bad field");
        }
        return 0;
    });
}
