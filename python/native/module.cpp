// SPDX-License-Identifier: BSD-2-Clause-Patent
// The module vmaf_gpu._native: what the C API offers, for the Python code of vmaf_gpu, which checks
// arguments and documents. Users import vmaf_gpu.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <string>
#include <typeinfo>
#include <vector>

#include "context.h"
#include "inputs.h"
#include "rgb.h"
#include "settings.h"
#include "view.h"

namespace nb = nanobind;

namespace vmafgpu_python {
namespace {

nb::list devices()
{
    const int count = vmafgpu_devices(nullptr, 0);
    throw_if(count, "");
    std::vector<VmafGpuDevice> found(static_cast<size_t>(count));
    const int filled = vmafgpu_devices(found.data(), count);
    nb::list list;
    for (int i = 0; i < filled && i < count; ++i)
        list.append(dict_of(found[static_cast<size_t>(i)]));
    return list;
}

/// (device, why) of each.
nb::list unusable_devices()
{
    nb::list list;
    VmafGpuDevice device = {};
    char why[512];
    for (int i = 0; vmafgpu_unusable_device(i, &device, why, sizeof(why)) == 0; ++i)
        list.append(nb::make_tuple(dict_of(device), why));
    return list;
}

nb::list models()
{
    nb::list list;
    for (int i = 0; vmafgpu_model_builtin(i) != nullptr; ++i)
        list.append(vmafgpu_model_builtin(i));
    return list;
}

/// Throws what writing a log there would throw at once.
void check_output(const nb::object &path, bool may_overwrite)
{
    VmafGpuOutput *output = nullptr;
    VmafGpuError error = {};
    throw_if(vmafgpu_output_open(&output, text_of(path).c_str(), "log",
                                 may_overwrite ? VMAFGPU_OUTPUT_OVERWRITE : 0, &error),
             error.text);
    vmafgpu_output_close(&output);
}

/// Inputs in the words of vmafgpu_input_parse(). Returns (filter of main, filter of reference,
/// whether only FFmpeg 7.0 has them, [(level, text), ...]).
nb::tuple plan_inputs(const std::string &main, const std::string &reference,
                      const std::vector<std::string> &models, bool is_as_is)
{
    VmafGpuInputs inputs = inputs_of(main, reference, is_as_is);
    VmafGpuError error = {};
    std::vector<const char *> names;
    names.reserve(models.size());
    for (const std::string &name : models)
        names.push_back(name.c_str());
    inputs.models = names.data();
    inputs.model_count = static_cast<int>(names.size());
    nb::list said;
    inputs.log_opaque = &said;
    inputs.log = [](void *opaque, int level, const char *text) {
        static_cast<nb::list *>(opaque)->append(nb::make_tuple(level, text));
    };
    throw_if(vmafgpu_inputs_plan(&inputs), "");
    throw_if(vmafgpu_inputs_check(&inputs, &error), error.text);
    return nb::make_tuple(inputs.filter[VMAFGPU_MAIN], inputs.filter[VMAFGPU_REFERENCE],
                          inputs.needs_ffmpeg_7 != 0, said);
}

struct Merge {
    Merge() = default;
    ~Merge() { vmafgpu_merge_free(&merge); }
    Merge(const Merge &) = delete;
    Merge &operator=(const Merge &) = delete;

    VmafGpuMerge *merge = nullptr;
};

/// (scores that were compared, {name: mean}).
nb::tuple merge(const nb::list &from, const nb::object &log)
{
    Merge opened;
    VmafGpuError error = {};
    std::deque<std::string> parts;
    std::vector<const char *> paths;
    for (const nb::handle part : from)
        paths.push_back(parts.emplace_back(text_of(part)).c_str());
    int status = 0;
    {
        const nb::gil_scoped_release release;
        status =
            vmafgpu_merge_open(&opened.merge, paths.data(), static_cast<int>(paths.size()), &error);
    }
    throw_if(status, error.text);
    if (!log.is_none()) {
        const LogSettings wanted(nb::cast<nb::dict>(log));
        {
            const nb::gil_scoped_release release;
            status = vmafgpu_merge_write_log(opened.merge, &wanted.get(), &error);
        }
        throw_if(status, error.text);
    }
    nb::dict means;
    for (int i = 0; i < vmafgpu_merge_score_count(opened.merge); ++i) {
        double mean = 0;
        if (vmafgpu_merge_pooled(opened.merge, i, VMAFGPU_POOL_MEAN, &mean) == 0)
            means[vmafgpu_merge_score_name(opened.merge, i)] = mean;
    }
    return nb::make_tuple(vmafgpu_merge_compared(opened.merge), means);
}

/// Raises what vmaf_gpu/_errors.py makes of the code.
void raise(const std::exception_ptr &thrown, void *)
{
    try {
        std::rethrow_exception(thrown);
    } catch (const CallError &error) {
        const nb::object made = nb::module_::import_("vmaf_gpu._errors")
                                    .attr("from_code")(error.code(), message_of(error.what()));
        PyErr_SetObject(made.type().ptr(), made.ptr());
    } catch (const std::bad_cast &) {
        PyErr_SetString(PyExc_TypeError, "vmaf_gpu: an argument has the wrong type");
    }
}

} // namespace
} // namespace vmafgpu_python

NB_MODULE(_native, module)
{
    using namespace vmafgpu_python; // NOLINT(google-build-using-namespace)
    // Scorers that live when the interpreter ends are closed by vmaf_gpu/_scorer.py.
    nb::set_leak_warnings(false);
    nb::register_exception_translator(raise);
    module.def("version", [] { return std::string(vmafgpu_version()); });
    module.def("devices", devices);
    module.def("unusable_devices", unusable_devices);
    module.def("models", models);
    module.def("check_output", check_output);
    module.def("plan_inputs", plan_inputs);
    module.def("merge", merge, nb::arg(), nb::arg().none());
    bind_view(module);
    bind_rgb(module);
    bind_context(module);
}
