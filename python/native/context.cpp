// SPDX-License-Identifier: BSD-2-Clause-Patent
// See context.h.
#include "context.h"

#include <nanobind/stl/string.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <type_traits>

#include "inputs.h"
#include "settings.h"

namespace nb = nanobind;

namespace vmafgpu_python {

Model::Model(nb::handle name_or_path)
{
    VmafGpuError error = {};
    throw_if(vmafgpu_model_load(&model_, text_of(name_or_path).c_str(), &error), error.text);
}

void Model::set_option(const std::string &key, const std::string &value)
{
    VmafGpuError error = {};
    throw_if(vmafgpu_model_option(model_, key.c_str(), value.c_str(), &error), error.text);
}

/// One call of the engine, in which other threads of Python run. Scorer lets one of them in.
class Context::Call {
public:
    explicit Call(Context &owner) : owner_(owner)
    {
        if (owner.context_ == nullptr)
            throw CallError(-EBADF, "the Scorer is closed");
    }
    /// Destructors of arrays and handlers of logging are code of the user, who may call again.
    ~Call()
    {
        owner_.forget(std::exchange(owner_.released_, nullptr));
        owner_.pass_messages();
    }
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

    template <typename Fn> int run(const Fn &fn)
    {
        const nb::gil_scoped_release release;
        return fn(owner_.context_);
    }
    template <typename Fn> void check(const Fn &fn) { check_status(run(fn)); }
    void check_status(int status) { throw_if(status, vmafgpu_error_text(owner_.context_)); }

private:
    Context &owner_;
};

void Context::on_release(void *opaque)
{
    auto *held = static_cast<Held *>(opaque);
    held->next = std::exchange(held->context->released_, held);
}

void Context::on_log(void *opaque, int level, const char *text)
{
    try {
        static_cast<Context *>(opaque)->messages_.emplace_back(level, text);
    } catch (...) { // NOLINT(bugprone-empty-catch): no memory for a message; nothing may leave C
    }
}

void Context::forget(Held *held)
{
    while (held != nullptr) {
        const std::unique_ptr<Held> one(held);
        held = one->next;
        --held_;
        Py_DECREF(one->owner);
    }
}

void Context::pass_messages()
{
    std::vector<std::pair<int, std::string>> messages;
    messages.swap(messages_);
    if (messages.empty() || log_.is_none())
        return;
    // An exception may be on its way.
    const nb::error_scope scope;
    for (const auto &[level, text] : messages) {
        nb::object done =
            nb::steal(PyObject_CallFunction(log_.ptr(), "iO", level, message_of(text).ptr()));
        if (done.is_valid())
            continue;
        nb::python_error error;
        if (interrupt_ == nullptr && !error.matches(PyExc_Exception))
            interrupt_ = std::make_unique<nb::python_error>(std::move(error));
        else
            error.discard_as_unraisable(log_);
    }
}

void Context::raise_interrupt()
{
    if (const auto interrupt = std::move(interrupt_))
        throw nb::python_error(std::move(*interrupt));
}

Context::Context(const nb::dict &settings, nb::object log, bool keeps_scores)
    : log_(std::move(log)), pid_(getpid())
{
    Settings wanted(settings);
    VmafGpuSettings &all = wanted.get();
    VmafGpuError error = {};
    all.log = on_log;
    all.log_opaque = this;
    width_ = all.width;
    height_ = all.height;
    int status = 0;
    {
        const nb::gil_scoped_release release;
        status = vmafgpu_open(&context_, &all, &error);
        if (status == 0 && !keeps_scores)
            status = vmafgpu_stream_log(context_, nullptr);
    }
    pass_messages();
    // There will be no destructor.
    if (interrupt_ != nullptr)
        vmafgpu_close(&context_);
    raise_interrupt();
    throw_if(status, error.text);
}

Context::~Context()
{
    try {
        close();
    } catch (...) { // NOLINT(bugprone-empty-catch): a destructor has nobody to tell
    }
}

void Context::close()
{
    // The threads of the engine are not in the child of a fork: what is left there is lost.
    if (context_ == nullptr || pid_ != getpid())
        return;
    {
        const nb::gil_scoped_release release;
        vmafgpu_close(&context_);
    }
    forget(std::exchange(released_, nullptr));
    pass_messages();
}

namespace {

/// Of the first pictures only: samples that are not what is said are not in any of them.
void check_depth(const VmafGpuPicture &picture)
{
    unsigned all = 0;
    const VmafGpuPlane &luma = picture.plane[0];
    const ptrdiff_t step = luma.step != 0 ? luma.step : sizeof(uint16_t);
    for (int y = 0; y < picture.height; ++y) {
        const char *row = static_cast<const char *>(luma.data) + y * luma.pitch;
        for (int x = 0; x < picture.width; ++x) {
            uint16_t sample;
            std::memcpy(&sample, row + x * step, sizeof(sample));
            all |= static_cast<unsigned>(sample) >> picture.shift;
        }
    }
    if (all >> picture.depth != 0)
        throw CallError(-EINVAL, "a picture has samples above " +
                                     std::to_string((1 << picture.depth) - 1) +
                                     ", the largest of " + std::to_string(picture.depth) +
                                     " bits: give another depth or, if its samples are shifted up "
                                     "as in P010, shift");
}

} // namespace

void Context::describe(const nb::tuple &from, VmafGpuPicture &to)
{
    to = VmafGpuPicture();
    to.width = width_;
    to.height = height_;
    to.depth = nb::cast<int>(from[0]);
    to.shift = nb::cast<int>(from[1]);
    to.memory = nb::cast<bool>(from[2]) ? VMAFGPU_MEMORY_DEVICE : VMAFGPU_MEMORY_HOST;
    const nb::tuple planes = from[3];
    for (size_t i = 0; i < planes.size() && i < 3; ++i) {
        const nb::tuple plane = planes[i];
        // An address of another memory than the host's is a number to Python as well.
        to.plane[i].data = reinterpret_cast<const void *>( // NOLINT(performance-no-int-to-ptr)
            nb::cast<uintptr_t>(plane[0]));
        to.plane[i].pitch = nb::cast<ptrdiff_t>(plane[1]);
        to.plane[i].step = nb::cast<int>(plane[2]);
    }
    if (to.depth > 8 && to.memory == VMAFGPU_MEMORY_HOST && checked_ < 2) {
        ++checked_;
        check_depth(to);
    }
}

/// The frame as the engine takes it. From its release on it is in the hands of on_release().
std::unique_ptr<Context::Held> Context::hold(const nb::tuple &from, VmafGpuPicture &to)
{
    auto held = std::make_unique<Held>(Held{this, nb::object(from[4]).release().ptr(), nullptr});
    to.release = on_release;
    to.opaque = held.get();
    ++held_;
    return held;
}

/// Hand frames to the engine. False: it takes none now, and has none of them.
template <typename Fn>
bool Context::give(Call &call, std::vector<std::unique_ptr<Held>> held, const Fn &fn)
{
    const int status = call.run(fn);
    for (std::unique_ptr<Held> &one : held) {
        Held *frame = one.release();
        if (status != 0)
            on_release(frame);
    }
    if (status != 0 && status != -EAGAIN)
        call.check_status(status);
    return status == 0;
}

bool Context::push(int input, const nb::tuple &picture, const nb::object &time, bool is_damaged)
{
    VmafGpuPicture described;
    describe(picture, described);
    const int64_t at = time.is_none() ? VMAFGPU_NO_TIME : nb::cast<int64_t>(time);
    Call call(*this);
    std::vector<std::unique_ptr<Held>> held;
    held.push_back(hold(picture, described));
    return give(call, std::move(held), [&](VmafGpuContext *context) {
        return vmafgpu_push(context, input, &described, at, is_damaged ? VMAFGPU_PUSH_DAMAGED : 0,
                            0);
    });
}

void Context::push_end(int input)
{
    Call(*this).check(
        [input](VmafGpuContext *context) { return vmafgpu_push_end(context, input); });
}

nb::object Context::next()
{
    Call call(*this);
    VmafGpuMatch match = {};
    const int status =
        call.run([&match](VmafGpuContext *context) { return vmafgpu_next(context, &match, 1); });
    if (status == -EAGAIN)
        return nb::int_(match.needs);
    if (status == -ENODATA)
        return nb::none();
    call.check_status(status);
    const auto or_none = [](int64_t value, bool is_known) {
        return is_known ? nb::object(nb::int_(value)) : nb::none();
    };
    return nb::make_tuple(
        match.number[VMAFGPU_MAIN],
        or_none(match.number[VMAFGPU_REFERENCE], match.number[VMAFGPU_REFERENCE] >= 0),
        or_none(match.time, match.time != VMAFGPU_NO_TIME), match.kind == VMAFGPU_MATCH_PAIR);
}

nb::tuple Context::finish()
{
    Call call(*this);
    call.check([](VmafGpuContext *context) { return vmafgpu_finish(context, VMAFGPU_FINISH_END); });
    VmafGpuPairing pairing = {};
    call.check_status(vmafgpu_pairing(context_, &pairing));
    return nb::make_tuple(dict_of(pairing), vmafgpu_pairing_fault(context_));
}

bool Context::submit(const nb::tuple &reference, const nb::tuple &distorted)
{
    VmafGpuPicture pictures[2];
    describe(reference, pictures[0]);
    describe(distorted, pictures[1]);
    Call call(*this);
    std::vector<std::unique_ptr<Held>> held;
    held.push_back(hold(reference, pictures[0]));
    held.push_back(hold(distorted, pictures[1]));
    return give(call, std::move(held), [&pictures](VmafGpuContext *context) {
        return vmafgpu_submit(context, &pictures[0], &pictures[1], 0);
    });
}

nb::object Context::collect(bool wait)
{
    Call call(*this);
    VmafGpuResult result = {};
    const int status = call.run([&result, wait](VmafGpuContext *context) {
        return vmafgpu_collect(context, &result, wait ? 1 : 0);
    });
    if (status == -EAGAIN)
        return nb::none();
    if (status == -ENODATA)
        return nb::bool_(false);
    call.check_status(status);
    if (result.scored == 0)
        return nb::make_tuple(result.index, nb::none());
    nb::list scores;
    for (int i = 0; i < result.score_count; ++i)
        scores.append(result.scores[i]);
    return nb::make_tuple(result.index, scores);
}

void Context::set_inputs(const std::string &main, const std::string &reference, bool is_as_is)
{
    VmafGpuInputs inputs = inputs_of(main, reference, is_as_is);
    VmafGpuError error = {};
    throw_if(vmafgpu_inputs_plan(&inputs), "");
    Call call(*this);
    const int status = call.run(
        [&](VmafGpuContext *context) { return vmafgpu_set_inputs(context, &inputs, &error); });
    throw_if(status, error.text);
}

void Context::flush()
{
    Call(*this).check(vmafgpu_flush);
}

void Context::reset()
{
    Call(*this).check(vmafgpu_reset);
}

nb::dict Context::facts()
{
    const Call call(*this);
    VmafGpuDevice device = {};
    int64_t before = 0;
    int64_t after = 0;
    throw_if(vmafgpu_device_info(context_, &device), "");
    throw_if(vmafgpu_history(context_, &before, &after), "");
    nb::list names;
    nb::list models;
    for (int i = 0; i < vmafgpu_score_count(context_); ++i)
        names.append(vmafgpu_score_name(context_, i));
    for (int i = 0, score = 0; (score = vmafgpu_model_score(context_, i)) >= 0; ++i)
        models.append(vmafgpu_score_name(context_, score));
    nb::dict facts;
    facts["names"] = nb::tuple(names);
    facts["model_names"] = nb::tuple(models);
    facts["device"] = dict_of(device);
    facts["history"] = nb::make_tuple(before, after);
    facts["needs_chroma"] = vmafgpu_needs_chroma(context_) == 1;
    return facts;
}

nb::dict Context::aggregates()
{
    Call call(*this);
    nb::dict all;
    for (int i = 0; i < vmafgpu_aggregate_count(context_); ++i) {
        double value = 0;
        const int status = vmafgpu_aggregate(context_, i, &value);
        if (status == -ENODATA)
            continue;
        call.check_status(status);
        all[vmafgpu_aggregate_name(context_, i)] = value;
    }
    return all;
}

nb::object Context::pooled(int score, const std::string &method)
{
    Call call(*this);
    double value = 0;
    const int status =
        vmafgpu_pooled(context_, score, vmafgpu_pool_by_name(method.c_str()), &value);
    if (status == -ENODATA)
        return nb::none();
    call.check_status(status);
    return nb::float_(value);
}

void Context::write_log(const nb::dict &log)
{
    Call call(*this);
    LogSettings wanted(log);
    VmafGpuPairing pairing = {};
    if (vmafgpu_pairing(context_, &pairing) == 0)
        wanted.add(pairing);
    call.check(
        [&wanted](VmafGpuContext *context) { return vmafgpu_write_log(context, &wanted.get()); });
}

namespace {

/// A method as Python calls it.
template <typename Result, typename... Args> auto call_of(Result (Context::*method)(Args...))
{
    return [method](Context &self, Args... args) -> Result {
        try {
            if constexpr (std::is_void_v<Result>) {
                (self.*method)(args...);
                self.raise_interrupt();
            } else {
                Result result = (self.*method)(args...);
                self.raise_interrupt();
                return result;
            }
        } catch (const CallError &) {
            self.raise_interrupt();
            throw;
        }
    };
}

} // namespace

void bind_context(nb::module_ &module)
{
    nb::class_<Model>(module, "Model")
        .def(nb::init<nb::handle>())
        .def("set_option", &Model::set_option);
    nb::class_<Context>(module, "Context", nb::is_weak_referenceable())
        .def(nb::init<const nb::dict &, nb::object, bool>(), nb::arg(), nb::arg().none(), nb::arg())
        .def("submit", call_of(&Context::submit))
        .def("push", call_of(&Context::push), nb::arg(), nb::arg(), nb::arg().none(), nb::arg())
        .def("push_end", call_of(&Context::push_end))
        .def("next", call_of(&Context::next))
        .def("finish", call_of(&Context::finish))
        .def("collect", call_of(&Context::collect))
        .def("set_inputs", call_of(&Context::set_inputs))
        .def("flush", call_of(&Context::flush))
        .def("reset", call_of(&Context::reset))
        .def("close", call_of(&Context::close))
        .def("facts", call_of(&Context::facts))
        .def("aggregates", call_of(&Context::aggregates))
        .def("pooled", call_of(&Context::pooled))
        .def("write_log", call_of(&Context::write_log))
        .def_prop_ro("held", &Context::held);
}

} // namespace vmafgpu_python
