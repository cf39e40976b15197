// SPDX-License-Identifier: BSD-2-Clause-Patent
// A VmafGpuContext and the Python objects whose memory it reads. Frames are described in
// vmaf_gpu/_frames.py, the user's interface is in vmaf_gpu/_scorer.py.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "error.h"

namespace vmafgpu_python {

class Model {
public:
    explicit Model(nanobind::handle name_or_path);
    ~Model() { vmafgpu_model_free(&model_); }
    Model(const Model &) = delete;
    Model &operator=(const Model &) = delete;

    void set_option(const std::string &key, const std::string &value);
    VmafGpuModel *get() const { return model_; }

private:
    VmafGpuModel *model_ = nullptr;
};

/// One call at a time, by any thread of the process that has opened it: Scorer sees to that.
/// Callbacks of the engine only take notes, while no thread of Python waits; what they ask for is
/// done when the call is over.
class Context {
public:
    /// settings: a dict by the names of VmafGpuSettings. log: called with (level, text).
    /// keeps_scores: false: no log will be written, and memory does not grow.
    Context(const nanobind::dict &settings, nanobind::object log, bool keeps_scores);
    ~Context();
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;

    /// Pictures are (depth, shift, is_device, ((address, pitch, step), ...), owner). The owner is
    /// kept until the engine has read the samples. False: collect() first.
    bool submit(const nanobind::tuple &reference, const nanobind::tuple &distorted);
    /// Where the engine pairs: a frame of input 0, main, or 1. False: next() first.
    bool push(int input, const nanobind::tuple &picture, const nanobind::object &time,
              bool is_damaged);
    void push_end(int input);
    /// (main, reference or None, time or None, whether it is a pair) of a main frame; a number:
    /// VMAFGPU_NEEDS_*, or 0 to collect() first; None: the end.
    nanobind::object next();
    /// Say what became of the frames. Returns the counts, and what a strict run fails for.
    nanobind::tuple finish();
    /// (index, scores or None); None: not final yet; False: every pair was collected.
    nanobind::object collect(bool wait);
    /// What the pictures are, in the words of vmafgpu_input_parse(); before the first pair.
    void set_inputs(const std::string &main, const std::string &reference, bool is_as_is);
    void flush();
    void reset();
    void close();

    /// What does not change: names, model_names, device, history, needs_chroma.
    nanobind::dict facts();
    nanobind::dict aggregates();
    /// None: no pair was scored.
    nanobind::object pooled(int score, const std::string &method);
    void write_log(const nanobind::dict &log);
    int held() const { return held_; }
    /// Ctrl-C and the like that came within a handler of logging: raised again when the call is
    /// over.
    void raise_interrupt();

private:
    /// What the engine holds of one picture.
    struct Held {
        Context *context;
        PyObject *owner;
        Held *next; ///< of those that were released in one call
    };
    class Call;

    static void on_release(void *opaque);
    static void on_log(void *opaque, int level, const char *text);
    void describe(const nanobind::tuple &from, VmafGpuPicture &to);
    std::unique_ptr<Held> hold(const nanobind::tuple &from, VmafGpuPicture &to);
    template <typename Fn>
    bool give(Call &call, std::vector<std::unique_ptr<Held>> held, const Fn &fn);
    void forget(Held *held);
    void pass_messages();

    VmafGpuContext *context_ = nullptr;
    nanobind::object log_;
    int width_ = 0, height_ = 0;
    int pid_;
    int held_ = 0;
    int checked_ = 0; ///< pictures whose depth was
    Held *released_ = nullptr;
    std::vector<std::pair<int, std::string>> messages_;
    std::unique_ptr<nanobind::python_error> interrupt_;
};

void bind_context(nanobind::module_ &module);

} // namespace vmafgpu_python
