// SPDX-License-Identifier: BSD-2-Clause-Patent
// What only the CUDA backend has, over the stand-in driver: compute capabilities, primary
// contexts, contexts and streams of the application. What it shares with HIP:
// tests/device. On a real GPU: test_cuda_device.cpp.
#include "driver_fixture.h"

#include <cerrno>
#include <cstdlib>

#include "cuda/cuda_device.h"
#include "cuda/cuda_image.h"
#include "cuda/cuda_policy.h"

namespace vmafgpu {

extern const KernelLibrary kCudaKernels;

namespace {

using CudaStandinTest = DriverTest;

const CudaApi &api()
{
    return CudaDriver::get().api;
}

CudaContextHandle current_context()
{
    static auto *const get =
        Standin::get().symbol<CudaResult(CudaContextHandle *)>("cuCtxGetCurrent");
    CudaContextHandle handle = nullptr;
    EXPECT_EQ(kCudaSuccess, get(&handle));
    return handle;
}

/// A context as an application makes it. Current while it is being used only.
class OwnContext {
public:
    explicit OwnContext(int ordinal)
    {
        auto *create =
            Standin::get().symbol<CudaResult(CudaContextHandle *, unsigned, int)>("cuCtxCreate_v2");
        CudaDeviceId id = 0;
        EXPECT_EQ(kCudaSuccess, api().device_get(&id, ordinal));
        EXPECT_EQ(kCudaSuccess, create(&handle_, 0, id));
        leave();
    }
    ~OwnContext()
    {
        auto *destroy = Standin::get().symbol<CudaResult(CudaContextHandle)>("cuCtxDestroy_v2");
        EXPECT_EQ(kCudaSuccess, destroy(handle_)) << "the context is its owner's to destroy";
    }
    OwnContext(const OwnContext &) = delete;
    OwnContext &operator=(const OwnContext &) = delete;

    CudaContextHandle handle() const { return handle_; }
    void enter() { EXPECT_EQ(kCudaSuccess, api().context_push(handle_)); }
    void leave()
    {
        CudaContextHandle popped = nullptr;
        EXPECT_EQ(kCudaSuccess, api().context_pop(&popped));
        EXPECT_EQ(handle_, popped);
    }

private:
    CudaContextHandle handle_ = nullptr;
};

bool was_called(const std::string &name)
{
    for (int i = 1; i <= Standin::get().calls(); ++i)
        if (Standin::get().call(i) == name)
            return true;
    return false;
}

TEST_F(CudaStandinTest, InfoIsFilledIn)
{
    const VmafGpuDevice &info = device_->info();
    EXPECT_STREQ("cuda", info.backend);
    EXPECT_STREQ("cuda:0", info.selector);
    EXPECT_STREQ("stand-in 0 on the emulator", info.name);
    EXPECT_STREQ("0000:03:00.0", info.pci_id);
    EXPECT_EQ(32, info.wave_size);
    EXPECT_EQ(uint64_t(16) << 30, info.memory_bytes);
    EXPECT_EQ(32, queue_->traits().matrix_lanes);
    EXPECT_EQ(2, queue_->traits().multiprocessors);
}

TEST_F(CudaStandinTest, NoImageForThisGpuListsThoseThereAre)
{
    setenv("VMAFGPU_STANDIN_CAPABILITY", "52", 1);
    std::string why;
    EXPECT_TRUE(cuda_devices(&why).empty());
    for (const std::string &text : {why, error_text(ENODEV, [] { open_cuda(request_for("0")); })})
        EXPECT_TRUE(contains(text, "compute capability 5.2") &&
                    contains(text, kCudaKernels.images) && contains(text, kCudaKernels.tool) &&
                    contains(text, "the least supported is 6.1"))
            << text;
    // Devices that are newer than the build run its PTX.
    setenv("VMAFGPU_STANDIN_CAPABILITY", "130", 1);
    EXPECT_EQ(2u, cuda_devices(&why).size());
    unsetenv("VMAFGPU_STANDIN_CAPABILITY");
}

/// The stand-in refuses code that is for later capabilities.
TEST_F(CudaStandinTest, EveryCapabilityScoresWithItsKernels)
{
    const std::vector<Row> expected = run_all(small_settings("cpu"), 2);
    for (int capability : {61, 70, 75, 80, 86, 90, 120}) {
        setenv("VMAFGPU_STANDIN_CAPABILITY", std::to_string(capability).c_str(), 1);
        if (!cuda_images_cover(kCudaKernels.images, capability)) {
            const std::string text = error_text(ENODEV, [] { open_cuda(request_for("0")); });
            EXPECT_TRUE(contains(text, "-Dnvidia_compiler=clang has kernels from 6.1 on")) << text;
            continue;
        }
        EXPECT_EQ(capability >= 75 ? 32 : 0,
                  open_cuda(request_for("0"))->make_queue()->traits().matrix_lanes)
            << capability;
        const Outcome outcome = attempt(small_settings("cuda"), 2);
        EXPECT_EQ("", outcome.step) << capability << ": " << outcome.text;
        EXPECT_EQ(expected, outcome.rows) << capability;
    }
    unsetenv("VMAFGPU_STANDIN_CAPABILITY");
}

TEST_F(CudaStandinTest, RejectedKernelsAreNamed)
{
    Standin::get().fail("cuModuleLoadData#2=209");
    const std::string text = error_text(ENODEV, [] { open_cuda(request_for("0")); });
    EXPECT_TRUE(contains(text, "the driver rejects the kernels of ") &&
                contains(text, "_kernels") && contains(text, ": cuModuleLoadData") &&
                contains(text, kCudaKernels.images))
        << text;
    Standin::get().fail("");
}

TEST_F(CudaStandinTest, AFailingQueryDoesNotReplaceTheError)
{
    // Two devices are described by five values; then the capability, the multiprocessors and the
    // time of doubles are asked for.
    Standin::get().fail("cuModuleLoadData#1=209,cuDeviceGetAttribute#15=1");
    const std::string text = error_text(ENODEV, [] { open_cuda(request_for("0")); });
    EXPECT_TRUE(contains(text, "the driver rejects the kernels of ") &&
                contains(text, "an unknown compute capability"))
        << text;
    Standin::get().fail("");
}

/// Codes of drivers that export the call but cannot answer it.
TEST_F(CudaStandinTest, SizesOfArgumentsMayBeUnknown)
{
    for (const char *code : {"36", "801", "804"}) {
        Standin::get().fail(std::string("cuFuncGetParamInfo#*=") + code);
        const Outcome outcome = attempt(small_settings("cuda"), 2);
        EXPECT_EQ("", outcome.step) << code << ": " << outcome.text;
        EXPECT_EQ(run_all(small_settings("cpu"), 2), outcome.rows) << code;
    }
    Standin::get().fail("");
}

// Each group has a stream of its own, beside those for uploads, images and results.
TEST_F(CudaStandinTest, AContextMakesAStreamForEachGroup)
{
    queue_.reset();          // a stream of the test
    Standin::get().fail(""); // counts anew
    const TestContext context(small_settings("cuda"));
    EXPECT_EQ(0, context.status) << context.error.text;
    EXPECT_EQ(6, Standin::get().streams());
    EXPECT_EQ(2, Standin::get().urgent_streams()) << "those for uploads and images";
}

TEST_F(CudaStandinTest, PrimaryContextsAreSharedAndCounted)
{
    EXPECT_EQ(nullptr, current_context()) << "a context was left current";
    void *memory = device_->alloc(64);
    auto second = open_cuda(request_for("0"));
    const auto other = second->make_queue();
    other->fill(memory, 7, 64); // both devices share an address space
    const auto done = second->make_event();
    other->record(*done);
    done->sync();
    EXPECT_EQ(std::vector<unsigned char>(64, 7), fetch(memory, 64));
    device_->free(memory);
    EXPECT_EQ(nullptr, current_context());
}

TEST_F(CudaStandinTest, AdoptsAnExistingContext)
{
    OwnContext own(1);
    Standin::get().fail("");
    DeviceRequest request;
    request.native_context = own.handle();
    {
        const auto adopted = open_cuda(request);
        EXPECT_STREQ("cuda:1", adopted->info().selector);
        const auto queue = adopted->make_queue();
        const auto event = adopted->make_event();
        void *memory = adopted->alloc(1000);
        queue->fill(memory, 1, 1000);
        queue->record(*event);
        event->sync();
        adopted->free(memory);
        EXPECT_EQ(nullptr, current_context()) << "a context was left current";
        own.enter(); // as in a callback of the application
        void *other = adopted->alloc(1);
        adopted->free(other);
        EXPECT_EQ(own.handle(), current_context());
        own.leave();
    }
    EXPECT_FALSE(was_called("cuDevicePrimaryCtxRetain"));
    request.selector = "1";
    EXPECT_STREQ("cuda:1", open_cuda(request)->info().selector);
    request.selector = "0";
    const std::string text = error_text(EINVAL, [&] { open_cuda(request); });
    EXPECT_TRUE(contains(text, "device cuda:0 was asked for") && contains(text, "cuda:1")) << text;
    request.selector = "7";
    error_text(ENODEV, [&] { open_cuda(request); });
    EXPECT_EQ(nullptr, current_context());
}

TEST_F(CudaStandinTest, WaitsForStreamsOfOthers)
{
    OwnContext own(0);
    DeviceRequest request;
    request.native_context = own.handle();
    const auto adopted = open_cuda(request);
    const auto queue = adopted->make_queue();
    CudaStreamHandle native = nullptr;
    own.enter();
    ASSERT_EQ(kCudaSuccess, api().stream_create(&native, kCudaStreamNonBlocking, 0));
    own.leave();
    queue->wait_native(native);
    queue->wait_native(nullptr); // the context's default stream
    own.enter();
    EXPECT_EQ(kCudaSuccess, api().stream_destroy(native));
    own.leave();
}

TEST_F(CudaStandinTest, ImportsNoDmaBufs)
{
    const std::string text = error_text(ENOTSUP, [&] { device_->import_memory(0, 4096); });
    EXPECT_TRUE(contains(text, "backend cuda cannot import")) << text;
}

/// An application: pictures in device memory of its own context, made on its own stream.
class Application {
public:
    Application() : own_(1), run(make_run(small_settings("cuda"), 3))
    {
        own_.enter();
        EXPECT_EQ(kCudaSuccess, api().stream_create(&stream_, kCudaStreamNonBlocking, 0));
        for (const auto *list : {&run.reference, &run.distorted})
            for (const auto &stored : *list)
                to_device(stored->picture);
        EXPECT_EQ(kCudaSuccess, api().stream_sync(stream_));
        own_.leave();
    }
    ~Application()
    {
        own_.enter();
        for (const CudaPointer memory : memory_)
            EXPECT_EQ(kCudaSuccess, api().mem_free(memory));
        EXPECT_EQ(kCudaSuccess, api().stream_destroy(stream_));
        own_.leave();
    }
    Application(const Application &) = delete;
    Application &operator=(const Application &) = delete;

    TestSettings settings() const
    {
        TestSettings settings = small_settings("cuda");
        settings.native_context = own_.handle();
        settings.native_stream = stream_;
        return settings;
    }

private:
    void to_device(VmafGpuPicture &picture)
    {
        VmafGpuPlane &plane = picture.plane[0];
        const size_t bytes = static_cast<size_t>(plane.pitch) * static_cast<size_t>(picture.height);
        memory_.push_back(0);
        EXPECT_EQ(kCudaSuccess, api().mem_alloc(&memory_.back(), bytes));
        EXPECT_EQ(kCudaSuccess, api().upload(memory_.back(), plane.data, bytes, stream_));
        plane.data = CudaPolicy::memory(memory_.back());
        picture.memory = VMAFGPU_MEMORY_DEVICE;
    }

    OwnContext own_;
    CudaStreamHandle stream_ = nullptr;
    std::vector<CudaPointer> memory_;

public:
    TestRun run;
};

class CudaFrames : public testing::Test {
protected:
    void SetUp() override { Standin::get().fail(""); }
    void TearDown() override
    {
        EXPECT_EQ(nullptr, current_context());
        EXPECT_EQ(0, Standin::get().alive());
        EXPECT_EQ(0, Standin::get().misuses());
    }
};

TEST_F(CudaFrames, ScoresAreThoseOfTheCpu)
{
    const std::vector<Row> expected = run_all(small_settings("cpu"), 3);
    {
        Application application;
        Standin::get().fail("");
        const Outcome outcome = attempt(application.settings(), application.run);
        EXPECT_EQ("", outcome.step) << outcome.text;
        EXPECT_EQ(expected, outcome.rows);
        EXPECT_EQ("", outcome.log);
        EXPECT_FALSE(was_called("cuDevicePrimaryCtxRetain"));
    }
    EXPECT_EQ(0, Standin::get().left());
}

TEST_F(CudaFrames, EveryThirdCallFails)
{
    int calls = 0;
    {
        Application application;
        Standin::get().fail("");
        attempt(application.settings(), application.run);
        calls = Standin::get().calls();
    }
    ASSERT_GT(calls, 100);
    int failed = 0;
    for (int number = 1; number <= calls; number += 3) {
        Application application;
        const int before = Standin::get().alive();
        Standin::get().fail(std::to_string(number) + "=719");
        const Outcome outcome = attempt(application.settings(), application.run);
        const std::string call = Standin::get().call(number);
        EXPECT_TRUE(contains(outcome.text + outcome.log, call)) << number << " " << call;
        // A failing push kept these from being freed. They go with the application's context.
        if (call != "cuCtxPushCurrent") {
            EXPECT_EQ(before, Standin::get().alive()) << number << " " << call;
        }
        failed += outcome.step.empty() ? 0 : 1;
    }
    EXPECT_GT(failed, calls / 6);
}

} // namespace
} // namespace vmafgpu
