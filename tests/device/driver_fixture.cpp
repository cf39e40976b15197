// SPDX-License-Identifier: BSD-2-Clause-Patent
// See driver_fixture.h.
#include "driver_fixture.h"

#include <cerrno>

#include <fcntl.h>

namespace vmafgpu {

namespace {

template <typename Function> void find(void *library, const char *name, Function *&out)
{
    out = reinterpret_cast<Function *>(dlsym(library, name));
    if (!out)
        throw Error(ENODEV, std::string("the driver is no stand-in: no ") + name);
}

} // namespace

Standin::Standin() : library_(dlopen(vendor().library().c_str(), RTLD_NOW | RTLD_NOLOAD))
{
    find(library_, "vmafgpu_standin_set", set_);
    find(library_, "vmafgpu_standin_calls", calls_);
    find(library_, "vmafgpu_standin_call", call_);
    find(library_, "vmafgpu_standin_alive", alive_);
    find(library_, "vmafgpu_standin_left", left_);
    find(library_, "vmafgpu_standin_misuses", misuses_);
    find(library_, "vmafgpu_standin_streams", streams_);
    find(library_, "vmafgpu_standin_urgent_streams", urgent_streams_);
}

Standin &Standin::get()
{
    static Standin standin;
    return standin;
}

TestSettings small_settings(const std::string &device)
{
    TestSettings settings;
    settings.width = 34;
    settings.height = 34; // ADM warns up to 32
    settings.ring = 2;
    settings.device = device;
    return settings;
}

Outcome attempt(const TestSettings &settings, int frames)
{
    TestRun run = make_run(settings, frames);
    return attempt(settings, run);
}

Outcome attempt(const TestSettings &settings, TestRun &run)
{
    Outcome outcome;
    TestContext context(settings);
    const auto failed = [&](const char *step, int code) {
        outcome.step = step;
        outcome.code = code;
        outcome.text =
            std::string(step) == "open" ? context.error.text : vmafgpu_error_text(context.get());
    };
    const auto collect = [&](int wait) {
        VmafGpuResult result = {};
        int code = 0;
        while ((code = vmafgpu_collect(context.get(), &result, wait)) == 0)
            outcome.rows.push_back(row_of(result));
        return code;
    };
    if (context.status != 0)
        failed("open", context.status);
    for (size_t i = 0; outcome.step.empty() && i < run.reference.size();) {
        const int code = vmafgpu_submit(context.get(), &run.reference[i]->picture,
                                        &run.distorted[i]->picture, 100 + i);
        if (code == 0)
            ++i;
        else if (code != -EAGAIN)
            failed("submit", code);
        else if (const int status = collect(1); status != -EAGAIN)
            failed("collect", status);
    }
    if (outcome.step.empty())
        if (const int code = vmafgpu_flush(context.get()); code != 0)
            failed("flush", code);
    if (outcome.step.empty())
        if (const int code = collect(1); code != -ENODATA)
            failed("collect", code);
    outcome.calls_before_close = Standin::get().calls();
    context.close();
    for (const LogLine &line : context.log)
        if (line.level <= VMAFGPU_LOG_WARNING)
            outcome.log += line.text + "\n";
    return outcome;
}

void DriverTest::SetUp()
{
    Standin::get().fail("");
    device_ = vendor().open(request_for("0"));
    queue_ = device_->make_queue();
}

void DriverTest::TearDown()
{
    queue_.reset();
    device_.reset();
    EXPECT_EQ(0, Standin::get().alive());
    EXPECT_EQ(0, Standin::get().left());
    EXPECT_EQ(0, Standin::get().misuses());
}

void DriverTest::finish()
{
    const auto event = device_->make_event();
    EXPECT_TRUE(event->done()) << "never recorded";
    queue_->record(*event);
    event->sync();
    EXPECT_TRUE(event->done());
}

std::vector<unsigned char> DriverTest::fetch(const void *memory, size_t bytes)
{
    void *host = device_->alloc_host(bytes);
    queue_->download(host, memory, bytes);
    finish();
    const auto *first = static_cast<unsigned char *>(host);
    std::vector<unsigned char> copy(first, first + bytes);
    device_->free_host(host);
    return copy;
}

int open_descriptors()
{
    int count = 0;
    for (int fd = 0; fd < 256; ++fd)
        count += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    return count;
}

} // namespace vmafgpu
