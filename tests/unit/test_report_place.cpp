// SPDX-License-Identifier: BSD-2-Clause-Patent
// Logs at places where a new file cannot take the place of the old one, or would lose something:
// links, owners, mounts, folders of others, full disks. Each case that needs a user or a mount of
// its own runs in a child process; as root both are tested, otherwise a line says what is not.
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <functional>

#include "output/report_file.h"
#include "report_fixtures.h"

namespace vmafgpu::report_place_test {
namespace {

constexpr uid_t kUser = 12345;
using Names = std::vector<std::string>;

struct stat info_of(const std::string &path)
{
    struct stat info = {};
    EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
    return info;
}

/// Returns the error.
std::string write_file(const std::string &path, const std::string &text)
{
    return error_of([&] {
        ReportFile file(path);
        file.write(text);
        file.commit();
    });
}

/// The name that it got.
std::string write_numbered(const std::string &path)
{
    FileOptions options;
    options.may_number = true;
    ReportFile file(path, options);
    file.write("Frame,new");
    file.commit();
    return file.path();
}

/// Runs test() in a child process, for it to change user and mounts. "" or what failed.
std::string in_child(const std::function<std::string()> &test)
{
    int ends[2];
    if (pipe(ends) != 0)
        return "no pipe";
    const pid_t child = fork();
    if (child == 0) {
        const std::string text = test();
        const ssize_t size = write(ends[1], text.data(), text.size());
        _exit(size == static_cast<ssize_t>(text.size()) ? 0 : 1);
    }
    close(ends[1]);
    std::string text;
    char bytes[512];
    for (ssize_t size; (size = read(ends[0], bytes, sizeof(bytes))) > 0;)
        text.append(bytes, static_cast<size_t>(size));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return status == 0 ? text : "the child failed: " + text;
}

bool become_user()
{
    return setgid(kUser) == 0 && setuid(kUser) == 0;
}

bool own_mounts()
{
    return unshare(CLONE_NEWNS) == 0 &&
           mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

#define NEEDS_ROOT()                                                                               \
    if (geteuid() != 0)                                                                            \
    GTEST_SKIP() << "SKIPPED: needs root"

TEST(ReportPlace, HardLinksStay)
{
    const TemporaryFolder folder;
    put(folder / "a", "Frame," + std::string(1000, 'x'));
    std::filesystem::create_hard_link(folder / "a", folder / "b");
    EXPECT_EQ(write_file(folder / "a", "Frame,new"), "");
    EXPECT_EQ(read_text(folder / "b"), "Frame,new");
    EXPECT_EQ(info_of(folder / "a").st_nlink, 2U);
    EXPECT_EQ(folder.list(), (Names{"a", "b"}));
}

TEST(ReportPlace, OwnerStays)
{
    NEEDS_ROOT();
    const TemporaryFolder folder;
    put(folder / "a", "Frame,old");
    ASSERT_EQ(chown((folder / "a").c_str(), kUser, kUser + 1), 0);
    ASSERT_EQ(chmod((folder / "a").c_str(), 02640), 0);
    EXPECT_EQ(write_file(folder / "a", "Frame,new"), "");
    EXPECT_EQ(read_text(folder / "a"), "Frame,new");
    EXPECT_EQ(info_of(folder / "a").st_uid, kUser);
    EXPECT_EQ(info_of(folder / "a").st_gid, kUser + 1);
    EXPECT_EQ(info_of(folder / "a").st_mode & 07777, 02640U);
}

TEST(ReportPlace, StickyFolder)
{
    NEEDS_ROOT();
    const TemporaryFolder folder;
    put(folder / "a", "Frame,old");
    ASSERT_EQ(chmod((folder / "").c_str(), 01777), 0);
    ASSERT_EQ(chmod((folder / "a").c_str(), 0666), 0);
    EXPECT_EQ(
        in_child([&] { return become_user() ? write_file(folder / "a", "Frame,new") : "no user"; }),
        "");
    EXPECT_EQ(info_of(folder / "a").st_uid, geteuid());
    EXPECT_EQ(read_text(folder / "a"), "Frame,new");
    EXPECT_EQ(folder.list(), Names{"a"});
}

TEST(ReportPlace, FolderThatCannotBeWritten)
{
    NEEDS_ROOT();
    const TemporaryFolder folder;
    put(folder / "a", "Frame,old");
    ASSERT_EQ(chmod((folder / "").c_str(), 0755), 0);
    ASSERT_EQ(chmod((folder / "a").c_str(), 0666), 0);
    for (const auto &[file, reason] :
         {std::pair{"a", "a': no file can be made in its folder: Permission denied"},
          {"b", "b': Permission denied"}}) {
        const std::string path = folder / file;
        const std::string error =
            in_child([&] { return become_user() ? write_file(path, "Frame,new") : "no user"; });
        EXPECT_NE(error.find(reason), std::string::npos) << error;
    }
    EXPECT_EQ(read_text(folder / "a"), "Frame,old");
    EXPECT_EQ(folder.list(), Names{"a"});
}

/// Renaming fails at the end.
TEST(ReportPlace, MountedFile)
{
    NEEDS_ROOT();
    const TemporaryFolder folder;
    put(folder / "outside", "Frame,old");
    put(folder / "inside", "");
    const std::string note = in_child([&]() -> std::string {
        if (!own_mounts() || mount((folder / "outside").c_str(), (folder / "inside").c_str(),
                                   nullptr, MS_BIND, nullptr) != 0)
            return "no mounts";
        return write_file(folder / "inside", "Frame,new");
    });
    if (note == "no mounts")
        GTEST_SKIP() << "SKIPPED: no mounts here";
    EXPECT_EQ(note, "");
    EXPECT_EQ(read_text(folder / "outside"), "Frame,new");
    EXPECT_EQ(folder.list(), (Names{"inside", "outside"}));
}

TEST(ReportPlace, FullDisk)
{
    NEEDS_ROOT();
    const TemporaryFolder folder;
    const std::string result = in_child([&]() -> std::string {
        if (!own_mounts() || mount("none", (folder / "").c_str(), "tmpfs", 0, "size=256k") != 0)
            return "no mounts";
        put(folder / "a", "Frame,old");
        const std::string error = write_file(folder / "a", "Frame," + std::string(1 << 20, 'x'));
        return error.substr(error.rfind(':')) + ": " + read_text(folder / "a") + " " +
               std::to_string(folder.list().size());
    });
    if (result == "no mounts")
        GTEST_SKIP() << "SKIPPED: no mounts here";
    EXPECT_EQ(result, ": No space left on device: Frame,old 1");
}

TEST(ReportPlace, TheTemporaryFileOfAKilledProcessIsUsed)
{
    const TemporaryFolder folder;
    const std::string longest(255, 'n');
    for (const std::string &name : {std::string("a"), longest}) {
        std::string temporary; // name of a temporary file that a process leaves
        {
            const ReportFile file(folder / name);
            ASSERT_EQ(folder.list().size(), 1U);
            temporary = folder.list()[0];
        }
        EXPECT_EQ(folder.list(), Names{});
        put(folder / temporary, "left behind");
        put(folder / "notes", "of the user");
        EXPECT_EQ(write_file(folder / name, "Frame,new"), "");
        EXPECT_EQ(read_text(folder / name), "Frame,new");
        EXPECT_EQ(folder.list(), (Names{name, "notes"}));
        // The link is not followed: no process of this kind leaves a link.
        std::filesystem::remove(folder / name);
        std::filesystem::create_symlink("notes", folder / temporary);
        EXPECT_NE(write_file(folder / name, "Frame,new"), "");
        EXPECT_EQ(read_text(folder / "notes"), "of the user");
        std::filesystem::remove(folder / temporary);
        std::filesystem::create_symlink("none", folder / temporary);
        EXPECT_NE(write_file(folder / name, "Frame,new"), "");
        EXPECT_FALSE(std::filesystem::exists(folder / "none"));
        std::filesystem::remove_all(folder / "");
        std::filesystem::create_directory(folder / "");
    }
}

/// The second one of two processes with one target takes another name.
TEST(ReportPlace, TwoProcesses)
{
    const TemporaryFolder folder;
    for (const bool is_there : {false, true}) {
        if (is_there)
            put(folder / "log", "Frame,old");
        FileOptions options;
        options.may_number = true;
        ReportFile mine(folder / "log", options);
        mine.write("Frame,mine");
        EXPECT_EQ(in_child([&] { return write_numbered(folder / "log"); }), folder / "log.1");
        mine.commit();
        EXPECT_EQ(read_text(folder / "log"), "Frame,mine");
        EXPECT_EQ(read_text(folder / "log.1"), "Frame,new");
    }
    EXPECT_EQ(in_child([&] { return write_numbered(folder / "log"); }), folder / "log");
}

/// A child that lives on has what was open at its fork, but no lock of it.
TEST(ReportPlace, AForkedChildKeepsNoLock)
{
    const TemporaryFolder folder;
    int end[2];
    ASSERT_EQ(pipe(end), 0);
    pid_t child = 0;
    {
        ReportFile file(folder / "log");
        child = fork();
        if (child == 0) {
            char byte = 0;
            close(end[1]);
            _exit(read(end[0], &byte, 1) == 0 ? 0 : 1);
        }
        file.commit();
    }
    EXPECT_EQ(write_numbered(folder / "log"), folder / "log");
    close(end[0]);
    close(end[1]);
    waitpid(child, nullptr, 0);
}

/// Starts a process that writes `path` again and again, and kills it `microseconds` later, or,
/// with `after_first`, as long after its first file.
void write_and_kill(const std::string &path, const std::string &text, bool after_first,
                    int microseconds)
{
    int done[2];
    ASSERT_EQ(pipe(done), 0);
    const pid_t child = fork();
    while (child == 0) {
        write_file(path, text);
        if (write(done[1], "", 1) != 1)
            _exit(1);
    }
    char byte = 0;
    if (after_first) {
        EXPECT_EQ(read(done[0], &byte, 1), 1);
    }
    usleep(static_cast<useconds_t>(microseconds));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(done[0]);
    close(done[1]);
}

/// A process that is killed at any time leaves the old file or the new one. Every second
/// process lives to its first file, so that both occur on a slow machine, too.
TEST(ReportPlace, KilledProcessesLeaveNothing)
{
    const TemporaryFolder folder;
    const std::string old = "Frame,old";
    const std::string text = "Frame," + std::string(1 << 20, 'x');
    int replaced = 0;
    for (int i = 0; i < 60; ++i) {
        put(folder / "log", old);
        write_and_kill(folder / "log", text, i % 2 == 1, i * 150);
        const std::string now = read_text(folder / "log");
        ASSERT_TRUE(now == old || now == text) << now.size();
        replaced += now == text ? 1 : 0;
    }
    EXPECT_GE(replaced, 30);
    EXPECT_EQ(write_file(folder / "log", "last"), "");
    EXPECT_EQ(folder.list(), Names{"log"});
}

} // namespace
} // namespace vmafgpu::report_place_test
