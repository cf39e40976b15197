// SPDX-License-Identifier: BSD-2-Clause-Patent
// What is on the disk when a file is complete, and what a disk says too late: fsync() of this
// program notes what it is called for and can fail. A quota over the network, for instance, is
// often exceeded only there. Full disks at write() are in test_report_file.cpp.
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>

#include "output/report_file.h"
#include "report_fixtures.h"

namespace {

/// Set by a test: the errno for a descriptor, 0 to go on.
std::function<int(int)> on_fsync;

} // namespace

/// Takes the place of the C library's.
extern "C" int fsync(int descriptor)
{
    if (on_fsync)
        if (const int code = on_fsync(descriptor)) {
            errno = code;
            return -1;
        }
    return static_cast<int>(syscall(SYS_fsync, descriptor));
}

namespace {

bool knows_flags = true;
/// Gets the temporary's path.
std::function<void(const std::string &)> on_rename;

int rename_file(const char *from, const char *name, unsigned flags)
{
    if (on_rename)
        on_rename(from);
    return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, name, flags));
}

} // namespace

extern "C" int renameat2(int, const char *from, int, const char *name, unsigned flags) noexcept
{
    errno = EINVAL;
    return knows_flags || flags == 0 ? rename_file(from, name, flags) : -1;
}

extern "C" int rename(const char *from, const char *name) noexcept
{
    return rename_file(from, name, 0);
}

namespace vmafgpu::report_disk_test {
namespace {

struct stat info_of(int descriptor)
{
    struct stat info = {};
    EXPECT_EQ(fstat(descriptor, &info), 0);
    return info;
}

std::string write_file(const std::string &path, const FileOptions &options = {})
{
    return error_of([&] {
        ReportFile file(path, options);
        file.write("Frame,new");
        file.commit();
    });
}

size_t files_in(const std::string &folder)
{
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                             std::filesystem::directory_iterator()));
}

class ReportDisk : public ::testing::Test {
protected:
    ~ReportDisk() override { on_fsync = nullptr; }
    void put_old() { std::ofstream(path_) << "Frame,old"; }

    const TemporaryFolder folder_;
    const std::string path_ = folder_ / "log";
};

/// The content before the name, the name before the end.
TEST_F(ReportDisk, FileThenFolder)
{
    std::vector<std::string> order;
    on_fsync = [&](int descriptor) {
        const struct stat info = info_of(descriptor);
        if (S_ISDIR(info.st_mode))
            order.push_back("folder with " + read_text(path_));
        else
            order.push_back("file of " + std::to_string(info.st_size) + " bytes, name " +
                            read_text(path_));
        return 0;
    };
    put_old();
    EXPECT_EQ(write_file(path_), "");
    EXPECT_EQ(order, (std::vector<std::string>{"file of 9 bytes, name Frame,old",
                                               "folder with Frame,new"}));
}

TEST_F(ReportDisk, InPlace)
{
    put_old();
    std::filesystem::create_hard_link(path_, folder_ / "link");
    struct stat target = {};
    ASSERT_EQ(stat(path_.c_str(), &target), 0);
    bool is_synchronised = false;
    on_fsync = [&](int descriptor) {
        if (info_of(descriptor).st_ino == target.st_ino)
            is_synchronised = read_text(path_) == "Frame,new";
        return 0;
    };
    EXPECT_EQ(write_file(path_), "");
    EXPECT_TRUE(is_synchronised);
}

TEST_F(ReportDisk, Live)
{
    int calls = 0;
    on_fsync = [&](int /*descriptor*/) {
        ++calls;
        return 0;
    };
    FileOptions options;
    options.is_live = true;
    EXPECT_EQ(write_file(path_, options), "");
    EXPECT_EQ(calls, 1);
}

TEST_F(ReportDisk, TooLate)
{
    for (const int code : {EDQUOT, ENOSPC, EIO}) {
        put_old();
        on_fsync = [code](int descriptor) {
            return S_ISDIR(info_of(descriptor).st_mode) ? 0 : code;
        };
        expect_error(write_file(path_), code, "'" + path_ + "'");
        EXPECT_EQ(read_text(path_), "Frame,old");
        EXPECT_EQ(files_in(folder_ / ""), 1U);
    }
}

TEST_F(ReportDisk, FolderFails)
{
    on_fsync = [](int descriptor) {
        return S_ISDIR(info_of(descriptor).st_mode) ? EIO : 0;
    };
    expect_error(write_file(path_), EIO, "'" + path_ + "'");
}

/// The temporary file is locked until it has its name: another process would take it for its own.
/// Some file systems cannot rename without replacing.
TEST_F(ReportDisk, TemporaryFilesAreLocked)
{
    for (const bool knows : {true, false})
        for (const bool has_old : {false, true}) {
            std::filesystem::remove(path_);
            if (has_old)
                put_old();
            knows_flags = knows;
            int renamed = 0;
            on_rename = [&](const std::string &path) {
                const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
                EXPECT_GE(file, 0) << path;
                EXPECT_EQ(flock(file, LOCK_EX | LOCK_NB), -1);
                close(file);
                ++renamed;
            };
            EXPECT_EQ(write_file(path_), "");
            knows_flags = true;
            on_rename = nullptr;
            EXPECT_EQ(renamed, 1);
            EXPECT_EQ(read_text(path_), "Frame,new");
            EXPECT_EQ(files_in(folder_ / ""), 1U);
        }
}

/// Behind the last look at the name.
TEST_F(ReportDisk, AFileThatComesAtTheLastMoment)
{
    on_rename = [&](const std::string &) {
        on_rename = nullptr;
        std::ofstream(path_) << "of the user";
    };
    FileOptions options;
    options.may_number = true;
    EXPECT_EQ(write_file(path_, options), "");
    EXPECT_EQ(read_text(path_), "of the user");
    EXPECT_EQ(read_text(path_ + ".1"), "Frame,new");
    EXPECT_EQ(files_in(folder_ / ""), 2U);
}

/// Some file systems cannot do it.
TEST_F(ReportDisk, NotSupported)
{
    for (const int code : {EINVAL, EROFS, ENOSYS}) {
        on_fsync = [code](int /*descriptor*/) {
            return code;
        };
        EXPECT_EQ(write_file(path_), "");
        EXPECT_EQ(read_text(path_), "Frame,new");
    }
}

} // namespace
} // namespace vmafgpu::report_disk_test
