// SPDX-License-Identifier: BSD-2-Clause-Patent
// Memory of another driver: what imports take and refuse, that pictures in it
// score like pictures in host memory, and that neither fds nor mappings stay behind.
// A memfd stands for the dma-buf, the emulated device for the GPU.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fstream>

#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"

namespace vmafgpu::api_import_test {
namespace {

constexpr char kName[] = "vmafgpu-import-test";
constexpr size_t kOffset = 4096; ///< offset of the picture in its memory, as decoders have it

/// A picture in a memfd, which is closed unless somebody took it.
struct MemoryFile {
    MemoryFile(const Image &image, size_t pitch)
        : pitch_bytes(pitch), bytes(kOffset + pitch * static_cast<size_t>(image.height)),
          fd(memfd_create(kName, 0))
    {
        std::vector<unsigned char> content(bytes, 0xEE);
        for (int y = 0; y < image.height; ++y)
            for (int x = 0; x < image.width; ++x)
                content[kOffset + pitch * static_cast<size_t>(y) + static_cast<size_t>(x)] =
                    static_cast<unsigned char>(
                        image.samples[static_cast<size_t>(y * image.width + x)]);
        EXPECT_EQ(static_cast<ssize_t>(bytes), write(fd, content.data(), bytes));
    }
    ~MemoryFile() { close_fd(); }
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;

    void close_fd()
    {
        if (fd >= 0)
            close(fd);
        fd = -1;
    }

    size_t pitch_bytes, bytes;
    int fd;
};

int open_fds()
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    while (readdir(folder) != nullptr)
        ++count;
    closedir(folder);
    return count;
}

int mappings()
{
    std::ifstream maps("/proc/self/maps");
    std::string line;
    int count = 0;
    while (std::getline(maps, line))
        count += line.find(kName) != std::string::npos ? 1 : 0;
    return count;
}

/// Imports on an emulated device.
class Import : public testing::Test {
protected:
    void SetUp() override
    {
        settings.device = "emu64";
        if (TestContext(settings).status == -ENOSYS)
            GTEST_SKIP() << "no emulated device in this build";
    }

    TestSettings settings;
};

VmafGpuPicture picture_in(const TestSettings &settings, const void *memory, const MemoryFile &file)
{
    VmafGpuPicture picture = {};
    picture.width = settings.width;
    picture.height = settings.height;
    picture.depth = 8;
    picture.memory = VMAFGPU_MEMORY_DEVICE;
    picture.plane[0].data = static_cast<const char *>(memory) + kOffset;
    picture.plane[0].pitch = static_cast<ptrdiff_t>(file.pitch_bytes);
    return picture;
}

TEST_F(Import, pictures_in_it_score_as_those_in_host_memory)
{
    constexpr int kFrames = 3;
    const std::vector<Row> expected = run_all(settings, kFrames);
    const int fds = open_fds();
    TestContext context(settings);
    ASSERT_EQ(0, context.status) << context.error.text;
    std::vector<void *> imports;
    for (int frame = 0; frame < kFrames; ++frame) {
        VmafGpuPicture pictures[2];
        for (const bool is_distorted : {false, true}) {
            MemoryFile file(make_image(settings.width, settings.height, 8, frame, is_distorted),
                            256);
            void *memory = nullptr;
            ASSERT_EQ(0, vmafgpu_import_memory(context.get(), file.fd, file.bytes, &memory))
                << vmafgpu_error_text(context.get());
            imports.push_back(memory);
            pictures[is_distorted ? 1 : 0] = picture_in(settings, memory, file);
            // The fd is ours alone: gone before anything is read.
            file.close_fd();
        }
        ASSERT_EQ(0, vmafgpu_submit(context.get(), &pictures[0], &pictures[1],
                                    100 + static_cast<uint64_t>(frame)));
    }
    EXPECT_EQ(2 * kFrames, mappings());
    ASSERT_EQ(0, vmafgpu_flush(context.get()));
    std::vector<Row> rows;
    EXPECT_EQ(-ENODATA, collect_all(context.get(), rows));
    EXPECT_EQ(expected, rows);
    for (void *&memory : imports) {
        EXPECT_EQ(0, vmafgpu_release_import(context.get(), &memory));
        EXPECT_EQ(nullptr, memory);
    }
    EXPECT_EQ(0, mappings());
    EXPECT_EQ(fds, open_fds());
}

TEST_F(Import, close_releases_what_is_left)
{
    testing::internal::CaptureStderr(); // where the emulator reports a leak
    {
        TestContext context(settings);
        MemoryFile file(make_image(64, 48, 8, 0, false), 64);
        void *memory = nullptr;
        ASSERT_EQ(0, vmafgpu_import_memory(context.get(), file.fd, file.bytes, &memory));
        EXPECT_EQ(1, mappings());
    }
    EXPECT_EQ(0, mappings());
    EXPECT_EQ("", testing::internal::GetCapturedStderr());
}

TEST_F(Import, what_cannot_be_mapped_is_refused)
{
    TestContext context(settings);
    ASSERT_EQ(0, context.status) << context.error.text;
    MemoryFile file(make_image(64, 48, 8, 0, false), 64);
    int ends[2];
    ASSERT_EQ(0, pipe(ends));
    const int closed = dup(file.fd);
    close(closed);
    const struct {
        int fd;
        size_t bytes;
        const char *expected;
    } cases[] = {
        {-1, 1, "fd is -1"},
        {file.fd, 0, "bytes is 0"},
        {file.fd, file.bytes + 1, "has 7168 bytes, not 7169"},
        {ends[0], 1, "Illegal seek"},
        {closed, 1, "Bad file descriptor"},
    };
    for (const auto &c : cases) {
        SCOPED_TRACE(c.expected);
        void *memory = &context;
        EXPECT_EQ(-EINVAL, vmafgpu_import_memory(context.get(), c.fd, c.bytes, &memory));
        EXPECT_EQ(nullptr, memory);
        const std::string text = vmafgpu_error_text(context.get());
        EXPECT_NE(std::string::npos, text.find(c.expected)) << text;
    }
    EXPECT_EQ(-EINVAL, vmafgpu_import_memory(context.get(), file.fd, 1, nullptr));
    EXPECT_EQ(-EINVAL, vmafgpu_import_memory(nullptr, file.fd, 1, nullptr));
    close(ends[0]);
    close(ends[1]);
    // None the worse for it.
    void *memory = nullptr;
    EXPECT_EQ(0, vmafgpu_import_memory(context.get(), file.fd, file.bytes, &memory));
    void *other = &file;
    EXPECT_EQ(-EINVAL, vmafgpu_release_import(context.get(), &other));
    EXPECT_EQ(&file, other);
    EXPECT_EQ(0, vmafgpu_release_import(context.get(), &memory));
    EXPECT_EQ(0, vmafgpu_release_import(context.get(), &memory)); // NULL by now
    EXPECT_EQ(0, vmafgpu_release_import(context.get(), nullptr));
}

/// A file as llvmpipe exports it: its size, where the memory begins, then that memory.
int llvmpipe_file(const MemoryFile &content, uint64_t begin, uint64_t told_size)
{
    const int fd = memfd_create("llvmpipe memory fd", 0);
    std::vector<unsigned char> bytes(static_cast<size_t>(begin) + content.bytes, 0x11);
    const uint64_t head[2] = {told_size == 0 ? bytes.size() : told_size, begin};
    std::memcpy(bytes.data(), head, sizeof(head));
    EXPECT_EQ(static_cast<ssize_t>(content.bytes),
              pread(content.fd, bytes.data() + begin, content.bytes, 0));
    EXPECT_EQ(static_cast<ssize_t>(bytes.size()), write(fd, bytes.data(), bytes.size()));
    return fd;
}

TEST_F(Import, memory_of_llvmpipe_begins_behind_its_head)
{
    TestContext context(settings);
    ASSERT_EQ(0, context.status) << context.error.text;
    const MemoryFile file(make_image(64, 48, 8, 0, false), 256);
    const int fd = llvmpipe_file(file, 4096, 0);
    void *plain = nullptr, *memory = nullptr;
    ASSERT_EQ(0, vmafgpu_import_memory(context.get(), file.fd, file.bytes, &plain));
    ASSERT_EQ(0, vmafgpu_import_vulkan(context.get(), fd, file.bytes, &memory))
        << vmafgpu_error_text(context.get());
    EXPECT_EQ(0, std::memcmp(plain, memory, file.bytes));
    void *other = nullptr;
    EXPECT_EQ(-EINVAL, vmafgpu_import_vulkan(context.get(), fd, file.bytes + 1, &other));
    const int wrong_size = llvmpipe_file(file, 4096, 77), odd = llvmpipe_file(file, 100, 0);
    for (const int bad : {wrong_size, odd}) {
        EXPECT_EQ(-EINVAL, vmafgpu_import_vulkan(context.get(), bad, 1, &other));
        const std::string text = vmafgpu_error_text(context.get());
        EXPECT_NE(std::string::npos, text.find("of no known layout")) << text;
    }
    EXPECT_EQ(0, vmafgpu_release_import(context.get(), &memory));
    EXPECT_EQ(0, vmafgpu_release_import(context.get(), &plain));
    for (const int done : {fd, wrong_size, odd})
        close(done);
}

TEST(ImportCpu, backend_cpu_says_that_it_has_none)
{
    TestContext context(TestSettings{});
    ASSERT_EQ(0, context.status) << context.error.text;
    MemoryFile file(make_image(64, 48, 8, 0, false), 64);
    context.log.clear();
    void *memory = &context;
    EXPECT_EQ(-ENOTSUP, vmafgpu_import_memory(context.get(), file.fd, file.bytes, &memory));
    EXPECT_EQ(nullptr, memory);
    EXPECT_STREQ("backend cpu cannot import memory of another driver",
                 vmafgpu_error_text(context.get()));
    EXPECT_EQ(-ENOTSUP, vmafgpu_import_vulkan(context.get(), file.fd, file.bytes, &memory));
    for (const LogLine &line : context.log)
        EXPECT_EQ(VMAFGPU_LOG_VERBOSE, line.level) << line.text;
    EXPECT_STREQ("not supported by this backend", vmafgpu_strerror(-ENOTSUP));
    void *other = &file;
    EXPECT_EQ(-EINVAL, vmafgpu_release_import(context.get(), &other));
}

} // namespace
} // namespace vmafgpu::api_import_test
