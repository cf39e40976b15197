// SPDX-License-Identifier: BSD-2-Clause-Patent
// The C functions of what users choose in texts. See include/vmaf_gpu/run.h; run/choice.h reads.
#include <deque>

#include "api/context.h"
#include "run/choice.h"

namespace {

using vmafgpu::Entry;
using vmafgpu::guarded_with;
using vmafgpu::require_given;

/// The fields of the C struct are views of these lists.
struct Choice : VmafGpuChoice {
    Choice() : VmafGpuChoice() {}
    ~Choice()
    {
        for (VmafGpuModel *model : model_list)
            vmafgpu_model_free(&model);
    }
    Choice(const Choice &) = delete;
    Choice &operator=(const Choice &) = delete;

    void publish()
    {
        models = model_list.data();
        model_count = static_cast<int>(model_list.size());
        builtins = builtin_list.data();
        builtin_count = static_cast<int>(builtin_list.size());
        features = feature_list.data();
        feature_count = static_cast<int>(feature_list.size());
    }

    std::vector<VmafGpuModel *> model_list;
    std::vector<const char *> builtin_list;
    std::vector<VmafGpuFeature> feature_list;
    std::deque<std::string> texts; ///< the features' texts
};

void add_model(Choice &choice, const Entry &entry)
{
    vmafgpu::ChosenModel chosen = vmafgpu::load_chosen(entry);
    auto model = std::make_unique<VmafGpuModel>();
    model->model = std::move(chosen.model);
    choice.model_list.push_back(model.get());
    vmafgpu::Model &added = *model.release()->model;
    if (chosen.builtin != nullptr)
        choice.builtin_list.push_back(chosen.builtin);
    vmafgpu::set_options(added, entry);
}

void add_feature(Choice &choice, const Entry &entry)
{
    const vmafgpu::FeatureRequest request = vmafgpu::feature_of(entry);
    const char *name = choice.texts.emplace_back(request.name).c_str();
    choice.feature_list.push_back({name, choice.texts.emplace_back(request.options).c_str()});
}

int choose(VmafGpuChoice **choice, const char *text, VmafGpuError *error, const char *what,
           const char *example, void (*add)(Choice &, const Entry &))
{
    const int status = guarded_with(error, [&] {
        require_given("choice and text must not be NULL", choice, text);
        if (*choice == nullptr)
            *choice = new Choice;
        vmafgpu::for_entries(text, what, example, [&](const Entry &entry) {
            add(static_cast<Choice &>(**choice), entry);
        });
        return 0;
    });
    if (choice != nullptr && *choice != nullptr) // the lists may have moved, also after a failure
        static_cast<Choice &>(**choice).publish();
    return status;
}

} // namespace

int vmafgpu_choose_models(VmafGpuChoice **choice, const char *text, VmafGpuError *error)
{
    return choose(choice, text, error, "model", "version=vmaf_v0.6.1", add_model);
}

int vmafgpu_choose_features(VmafGpuChoice **choice, const char *text, VmafGpuError *error)
{
    return choose(choice, text, error, "feature", "name=motion", add_feature);
}

void vmafgpu_choice_free(VmafGpuChoice **choice)
{
    if (choice == nullptr)
        return;
    delete static_cast<Choice *>(*choice);
    *choice = nullptr;
}

int vmafgpu_read_chunk(VmafGpuChunk *chunk, const char *text, VmafGpuError *error)
{
    return guarded_with(error, [&] {
        require_given("vmafgpu_read_chunk: chunk and text must not be NULL", chunk, text);
        *chunk = vmafgpu::read_chunk(text);
        return 0;
    });
}

int vmafgpu_read_offset(VmafGpuPairingSettings *pairing, const char *text, VmafGpuError *error)
{
    return guarded_with(error, [&] {
        require_given("vmafgpu_read_offset: pairing and text must not be NULL", pairing, text);
        vmafgpu::read_offset(*pairing, text);
        return 0;
    });
}
