// SPDX-License-Identifier: BSD-2-Clause-Patent
// See settings.h.
#include "settings.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "context.h"

namespace nb = nanobind;

namespace vmafgpu_python {

std::string text_of(nb::handle value)
{
    PyObject *bytes = nullptr;
    if (PyUnicode_FSConverter(value.ptr(), &bytes) == 0)
        throw nb::python_error();
    const auto owner = nb::steal<nb::bytes>(bytes);
    return {owner.c_str(), owner.size()};
}

Settings::Settings(const nb::dict &from)
{
    vmafgpu_settings_default(&settings_);
    const auto number = [&from](const char *key) {
        return nb::cast<int>(from[key]);
    };
    settings_.width = number("width");
    settings_.height = number("height");
    settings_.depth = number("depth");
    settings_.chroma = number("chroma");
    settings_.device = keep(from["device"]);
    settings_.ring_depth = number("ring_depth");
    settings_.threads = number("threads");
    settings_.subsample = number("subsample");
    settings_.compat = number("compat");
    settings_.self_test = number("self_test");
    settings_.frame_rate = number("frame_rate");
    settings_.shots = keep(from["shots"]);
    settings_.log_level = VMAFGPU_LOG_VERBOSE;
    // Handles of the CUDA driver, numbers to Python.
    settings_.native_context = reinterpret_cast<void *>( // NOLINT(performance-no-int-to-ptr)
        nb::cast<uintptr_t>(from["native_context"]));
    settings_.native_stream = reinterpret_cast<void *>( // NOLINT(performance-no-int-to-ptr)
        nb::cast<uintptr_t>(from["native_stream"]));
    for (const nb::handle model : nb::cast<nb::list>(from["models"]))
        models_.push_back(nb::cast<Model &>(model).get());
    settings_.models = models_.data();
    settings_.model_count = static_cast<int>(models_.size());
    add_features(nb::cast<nb::list>(from["features"]));
    if (!from["chunk"].is_none()) {
        const auto chunk = nb::cast<std::vector<int64_t>>(from["chunk"]);
        chunk_ = {chunk.at(0), chunk.at(1), chunk.at(2), chunk.at(3)};
        settings_.chunk = &chunk_;
    }
    if (!from["pairing"].is_none())
        add_pairing(nb::cast<nb::dict>(from["pairing"]));
}

/// Main is the first input.
void Settings::add_pairing(const nb::dict &from)
{
    vmafgpu_pairing_default(&pairing_);
    pairing_.rule = nb::cast<int>(from["rule"]);
    const nb::handle offset = from["offset"];
    pairing_.has_offset = offset.is_none()                  ? VMAFGPU_OFFSET_NONE
                          : nb::isinstance<nb::str>(offset) ? VMAFGPU_OFFSET_AUTO
                                                            : VMAFGPU_OFFSET_GIVEN;
    if (pairing_.has_offset == VMAFGPU_OFFSET_GIVEN)
        pairing_.offset = nb::cast<int64_t>(offset);
    pairing_.offset_window = nb::cast<int>(from["offset_window"]);
    const auto inputs = nb::cast<std::vector<std::vector<int>>>(from["inputs"]);
    for (size_t i = 0; i < 2; ++i)
        pairing_.input[i] = {inputs.at(i).at(0), inputs.at(i).at(1), inputs.at(i).at(2),
                             inputs.at(i).at(3)};
    settings_.pairing = &pairing_;
}

const char *Settings::keep(nb::handle text)
{
    if (text.is_none())
        return nullptr;
    return texts_.emplace_back(text_of(text)).c_str();
}

void Settings::add_features(const nb::list &from)
{
    for (const nb::handle entry : from) {
        const auto pair = nb::cast<nb::tuple>(entry);
        features_.push_back({keep(pair[0]), keep(pair[1])});
    }
    settings_.features = features_.data();
    settings_.feature_count = static_cast<int>(features_.size());
}

LogSettings::LogSettings(const nb::dict &from)
    : path_(text_of(from["path"])), format_(nb::cast<std::string>(from["format"]))
{
    run_.struct_size = sizeof(run_);
    if (!from["pts"].is_none()) {
        pts_ = nb::cast<std::vector<int64_t>>(from["pts"]);
        run_.pts = pts_.data();
        run_.pts_count = static_cast<int64_t>(pts_.size());
        run_.time_base_num = nb::cast<int>(from["time_base_num"]);
        run_.time_base_den = nb::cast<int>(from["time_base_den"]);
    }
    warnings_ = nb::cast<std::vector<std::string>>(from["warnings"]);
    for (const std::string &text : warnings_)
        warning_texts_.push_back(text.c_str());
    run_.warnings = warning_texts_.data();
    run_.warning_count = static_cast<int>(warning_texts_.size());
    log_.path = path_.c_str();
    log_.format = format_.c_str();
    log_.precision = nb::cast<int>(from["precision"]);
    log_.overwrite = nb::cast<bool>(from["overwrite"]) ? 1 : 0;
    log_.fps = nb::cast<double>(from["fps"]);
    if (!from["title"].is_none()) {
        title_ = nb::cast<std::string>(from["title"]);
        log_.title = title_.c_str();
    }
    log_.run = &run_;
}

void LogSettings::add(const VmafGpuPairing &pairing)
{
    pairing_ = pairing;
    log_.pairing = &pairing_;
}

/// By the keys of the log.
nb::dict dict_of(const VmafGpuPairing &pairing)
{
    const VmafGpuInputCounts &main = pairing.of[VMAFGPU_MAIN];
    const VmafGpuInputCounts &reference = pairing.of[VMAFGPU_REFERENCE];
    const auto by_place = [](const int64_t(&counts)[3]) {
        nb::dict dict;
        dict["begin"] = counts[0];
        dict["middle"] = counts[1];
        dict["end"] = counts[2];
        return dict;
    };
    const auto by_input = [&](int64_t VmafGpuInputCounts::*count) {
        nb::dict dict;
        dict["main"] = main.*count;
        dict["reference"] = reference.*count;
        return dict;
    };
    nb::dict dict;
    dict["rule"] = pairing.rule;
    dict["start"] = pairing.start;
    dict["main_frames"] = main.frames;
    dict["reference_frames"] = reference.frames;
    dict["pairs"] = pairing.pairs;
    dict["repeated_main"] = main.repeated;
    dict["repeated_reference"] = reference.repeated;
    dict["unpaired_main"] = by_place(main.unpaired);
    dict["unpaired_reference"] = by_place(reference.unpaired);
    dict["by_number"] = pairing.by_number;
    dict["corrections"] = pairing.corrections;
    dict["without_time"] = by_input(&VmafGpuInputCounts::without_time);
    dict["backward_time"] = by_input(&VmafGpuInputCounts::backward_time);
    dict["damaged"] = by_input(&VmafGpuInputCounts::damaged);
    dict["film_grain"] = by_input(&VmafGpuInputCounts::film_grain);
    dict["start_offset"] = pairing.start_offset;
    dict["shift"] = pairing.shift;
    dict["distance_median"] = pairing.distance_median;
    dict["distance_largest"] = pairing.distance_largest;
    dict["warnings"] = pairing.warnings;
    if (pairing.has_offset != 0)
        dict["offset"] = pairing.offset;
    return dict;
}

nb::dict dict_of(const VmafGpuDevice &device)
{
    nb::dict dict;
    dict["backend"] = device.backend;
    dict["selector"] = device.selector;
    dict["name"] = device.name;
    dict["pci_id"] = device.pci_id;
    dict["wave_size"] = device.wave_size;
    dict["memory_bytes"] = device.memory_bytes;
    return dict;
}

} // namespace vmafgpu_python
