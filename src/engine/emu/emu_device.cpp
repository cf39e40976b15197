// SPDX-License-Identifier: BSD-2-Clause-Patent
// The emulated device itself: memory, failures, settings, the two backends' entries.
// Queues and events are in emu_queue.cpp, blocks and threads in launcher.cpp and
// block_runner.cpp.
#include "emu/emu_device.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <thread>

#include "base/error.h"
#include "emu/emu_queue.h"

namespace vmafgpu {
namespace emu {

namespace {

int host_threads(const EmuSettings &settings)
{
    const int wanted = settings.threads > 0 ? settings.threads
                                            : static_cast<int>(std::thread::hardware_concurrency());
    return std::clamp(wanted, 1, 16);
}

VmafGpuDevice describe(int wave_size, uint64_t memory_bytes)
{
    VmafGpuDevice device{};
    std::snprintf(device.backend, sizeof(device.backend), "emu");
    std::snprintf(device.selector, sizeof(device.selector), "emu%d", wave_size);
    std::snprintf(device.name, sizeof(device.name), "emulated GPU, waves of %d", wave_size);
    device.wave_size = wave_size;
    device.memory_bytes = memory_bytes;
    return device;
}

class EmuDevice : public Device {
public:
    EmuDevice(const EmuSettings &settings, const Log &log)
        : state_(std::make_shared<DeviceState>(settings, log)),
          info_(describe(settings.wave_size, settings.memory_limit))
    {
    }

    ~EmuDevice() override;
    EmuDevice(const EmuDevice &) = delete;
    EmuDevice &operator=(const EmuDevice &) = delete;

    const VmafGpuDevice &info() const override { return info_; }
    void *alloc(size_t bytes) override;
    void free(void *memory) override { free_from(state_->device, memory); }
    void *alloc_host(size_t bytes) override;
    void free_host(void *memory) override { free_from(state_->host, memory); }
    void *import_memory(int fd, size_t bytes) override;
    void release_import(void *memory) override;

    std::unique_ptr<Queue> make_queue() override
    {
        state_->enter("make queue");
        return std::make_unique<EmuQueue>(state_);
    }

    std::unique_ptr<Event> make_event() override
    {
        state_->enter("make event");
        return std::make_unique<EmuEvent>(state_);
    }

private:
    void free_from(GuardedMemory &memory, void *buffer);

    std::shared_ptr<DeviceState> state_;
    VmafGpuDevice info_;
};

EmuDevice::~EmuDevice()
{
    try {
        if (state_->failure.empty()) {
            state_->finish_all();
            state_->check_guards("the last call");
        }
    } catch (const std::exception &e) {
        state_->report(e.what());
    }
    const size_t leaked = state_->device.count() + state_->host.count() + state_->imports.count();
    if (leaked > 0)
        state_->report(state_->name + ": closed with " + std::to_string(leaked) +
                       " buffers not freed");
}

void *EmuDevice::alloc(size_t bytes)
{
    state_->enter("alloc");
    const uint64_t limit = state_->settings.memory_limit;
    try {
        if (limit == 0 || (bytes <= limit && state_->device.bytes() <= limit - bytes))
            return state_->device.alloc(bytes);
    } catch (const std::bad_alloc &) {
        // A failed allocation ends as one over the limit does.
    }
    throw Error(ENOMEM, state_->name + ": no device memory for " + std::to_string(bytes) +
                            " bytes (" + std::to_string(state_->device.bytes()) + " in use)");
}

void *EmuDevice::alloc_host(size_t bytes)
{
    state_->enter("alloc_host");
    try {
        return state_->host.alloc(bytes);
    } catch (const std::bad_alloc &) {
        throw Error(ENOMEM,
                    state_->name + ": no pinned memory for " + std::to_string(bytes) + " bytes");
    }
}

// Called by destructors: frees even after a failure, and reports instead of throwing.
void EmuDevice::free_from(GuardedMemory &memory, void *buffer)
{
    if (buffer == nullptr)
        return;
    try {
        if (state_->failure.empty()) {
            state_->finish_all(); // real devices finish, too
            state_->check_guards("the last call");
        }
        if (!memory.free(buffer))
            state_->fail("free of memory that was not allocated here");
    } catch (const std::exception &e) {
        state_->report(e.what());
        memory.free(buffer);
    }
}

void *EmuDevice::import_memory(int fd, size_t bytes)
{
    state_->enter("import_memory");
    try {
        return state_->imports.import(fd, bytes);
    } catch (const Error &error) {
        throw Error(error.code(), state_->name + ": " + error.what());
    }
}

void EmuDevice::release_import(void *memory)
{
    try {
        if (state_->failure.empty())
            state_->finish_all();
        if (!state_->imports.release(memory))
            state_->fail("release of memory that was not imported here");
    } catch (const std::exception &e) {
        state_->report(e.what());
        state_->imports.release(memory);
    }
}

uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = std::getenv(name);
    if (text == nullptr || *text == '\0')
        return otherwise;
    char *end = nullptr;
    errno = 0;
    const unsigned long long value = std::strtoull(text, &end, 0);
    if (errno != 0 || *end != '\0' || *text == '-')
        throw Error(EINVAL, std::string(name) + "=" + text + ": expected a number");
    return value;
}

std::unique_ptr<Device> open(int wave_size, const DeviceRequest &request)
{
    EmuSettings settings = emu_settings_from_environment(wave_size);
    const std::string &seed = request.selector;
    if (!seed.empty()) {
        if (seed.size() > 18 || seed.find_first_not_of("0123456789") != std::string::npos) {
            throw Error(EINVAL, "emu" + std::to_string(wave_size) + ":" + seed +
                                    ": expected a seed, a number of at most 18 digits");
        }
        settings.seed = std::stoull(seed);
    }
    if (request.native_context != nullptr || request.native_stream != nullptr)
        throw Error(EINVAL, "the emulator has no native context or stream");
    return open_emu_device(settings, request.log);
}

} // namespace

DeviceState::DeviceState(const EmuSettings &device_settings, const Log &device_log)
    : settings(device_settings), log(device_log),
      name("emu" + std::to_string(device_settings.wave_size)),
      launcher(host_threads(device_settings))
{
}

void DeviceState::enter(const char *call)
{
    if (!failure.empty())
        throw Error(EIO, name + ": " + call + ": the device failed before: " + failure);
    if (++calls == settings.fail_at)
        fail(std::string(call) + ": failure asked for by VMAFGPU_EMU_FAIL_AT");
}

void DeviceState::fail(const std::string &text)
{
    failure = text;
    throw Error(EIO, name + ": " + text);
}

void DeviceState::report(const std::string &text) const
{
    log(VMAFGPU_LOG_ERROR, text);
    std::fprintf(stderr, "%s\n", text.c_str());
}

void DeviceState::check_guards(const std::string &after)
{
    std::string text = device.violation();
    if (text.empty())
        text = host.violation();
    if (!text.empty())
        fail(text + ", seen after " + after);
}

void DeviceState::finish_all()
{
    for (const std::weak_ptr<Stream> &weak : streams) {
        if (const std::shared_ptr<Stream> stream = weak.lock())
            stream->run_until(stream->submitted);
    }
    const auto is_expired = [](const std::weak_ptr<Stream> &weak) {
        return weak.expired();
    };
    streams.erase(std::remove_if(streams.begin(), streams.end(), is_expired), streams.end());
}

} // namespace emu

EmuSettings emu_settings_from_environment(int wave_size)
{
    EmuSettings settings;
    settings.wave_size = wave_size;
    settings.seed = emu::number_from("VMAFGPU_EMU_SEED", settings.seed);
    settings.threads =
        static_cast<int>(std::min<uint64_t>(emu::number_from("VMAFGPU_EMU_THREADS", 0), 16));
    settings.deferred_polls = emu::number_from("VMAFGPU_EMU_DEFERRED", 0);
    settings.is_strict = emu::number_from("VMAFGPU_EMU_STRICT", 1) != 0;
    settings.memory_limit = emu::number_from("VMAFGPU_EMU_MEMORY", 0);
    settings.fail_at = emu::number_from("VMAFGPU_EMU_FAIL_AT", 0);
    return settings;
}

std::unique_ptr<Device> open_emu_device(const EmuSettings &settings, const Log &log)
{
    if (settings.wave_size != 32 && settings.wave_size != 64)
        throw Error(EINVAL, "emulated waves of " + std::to_string(settings.wave_size) +
                                " lanes; allowed: 32 and 64");
    if (settings.threads < 0)
        throw Error(EINVAL, "emulator: fewer than 0 host threads");
    emu::require_modules();
    return std::make_unique<emu::EmuDevice>(settings, log);
}

std::vector<FoundDevice> find_emu32(std::string *)
{
    return {{emu::describe(32, 0), false, 0, ""}};
}

std::vector<FoundDevice> find_emu64(std::string *)
{
    return {{emu::describe(64, 0), false, 0, ""}};
}

std::unique_ptr<Device> open_emu32(const DeviceRequest &request)
{
    return emu::open(32, request);
}

std::unique_ptr<Device> open_emu64(const DeviceRequest &request)
{
    return emu::open(64, request);
}

} // namespace vmafgpu
