// SPDX-License-Identifier: BSD-2-Clause-Patent
// Where a log ends up, and that every way to fail is an error that leaves
// nothing behind.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <thread>
#include <utility>

#include "report_fixtures.h"

namespace vmafgpu::report_file_test {
namespace {

ScoreTable small()
{
    ScoreTable history({"vmaf"});
    const double row[] = {83};
    history.add(0, row);
    return history;
}

/// Some megabytes of text: several times the buffer.
ScoreTable large()
{
    ScoreTable history({"a", "b", "c", "d"});
    const double row[] = {1.0 / 3, 2.0 / 3, 84.50786657180393, 1e-9};
    for (int64_t i = 0; i < 40000; ++i)
        history.add(i, row);
    return history;
}

const char *const kSmallText = "Frame,vmaf,\n0,83.000000,\n";

mode_t mode_of(const std::string &path)
{
    struct stat info = {};
    EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777;
}

std::string write_error(const std::string &path, const char *format = "csv",
                        const ScoreTable &history = small())
{
    return error_of([&] { write_to(path, history, format); });
}

using Names = std::vector<std::string>;

TEST(ReportFile, NewFileHasTheModeOfTheUmask)
{
    const TemporaryFolder folder;
    const mode_t old = umask(027);
    write_to(folder / "log.csv", small(), "csv");
    umask(old);
    EXPECT_EQ(read_text(folder / "log.csv"), kSmallText);
    EXPECT_EQ(mode_of(folder / "log.csv"), 0640U);
    EXPECT_EQ(folder.list(), Names{"log.csv"});
}

TEST(ReportFile, ReplacedFileKeepsItsMode)
{
    const TemporaryFolder folder;
    std::ofstream(folder / "log.csv") << "Frame," + std::string(100000, 'x');
    ASSERT_EQ(chmod((folder / "log.csv").c_str(), 0604), 0);
    write_to(folder / "log.csv", small(), "csv");
    EXPECT_EQ(read_text(folder / "log.csv"), kSmallText);
    EXPECT_EQ(mode_of(folder / "log.csv"), 0604U);
    EXPECT_EQ(folder.list(), Names{"log.csv"});
}

TEST(ReportFile, LongestNameAndCurrentFolder)
{
    const TemporaryFolder folder;
    const std::string name(255, 'n');
    write_to(folder / name, small(), "csv");
    EXPECT_EQ(read_text(folder / name), kSmallText);
    expect_error(write_error(folder / (name + "n")), ENAMETOOLONG, "File name too long");
    const std::filesystem::path here = std::filesystem::current_path();
    std::filesystem::current_path(folder / "");
    write_to("short", small(), "csv");
    std::filesystem::current_path(here);
    EXPECT_EQ(read_text(folder / "short"), kSmallText);
}

TEST(ReportFile, LinksAreFollowed)
{
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "logs");
    std::ofstream(folder / "logs/real.csv") << "Frame,old";
    std::filesystem::create_symlink("logs/real.csv", folder / "link");
    std::filesystem::create_symlink("link", folder / "link2");
    std::filesystem::create_symlink("logs/new.csv", folder / "dangling");
    write_to(folder / "link2", small(), "csv");
    EXPECT_EQ(read_text(folder / "logs/real.csv"), kSmallText);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link2"));
    write_to(folder / "dangling", small(), "csv");
    EXPECT_EQ(read_text(folder / "logs/new.csv"), kSmallText);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "dangling"));
    std::filesystem::create_symlink("loop", folder / "loop");
    expect_error(write_error(folder / "loop"), ELOOP, folder / "loop");
    std::string end = "/dev/null"; // No system follows so many links.
    for (int i = 0; i < 60; ++i) {
        const std::string link = "chain" + std::to_string(i);
        std::filesystem::create_symlink(std::exchange(end, link), folder / link);
    }
    expect_error(write_error(folder / end), ELOOP, folder / end);
}

TEST(ReportFile, Devices)
{
    for (const char *format : {"xml", "json", "csv", "sub", "html"}) {
        EXPECT_EQ(write_error("/dev/null", format), "");
        expect_error(write_error("/dev/full", format), ENOSPC,
                     "cannot write log '/dev/full': No space left on device");
        expect_error(write_error("/dev/full", format, large()), ENOSPC, "'/dev/full'");
    }
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(ReportFile, Pipe)
{
    const TemporaryFolder folder;
    const std::string path = folder / "pipe";
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    std::string got;
    std::thread reader([&] { got = read_text(path); });
    write_to(path, large(), "json");
    reader.join();
    write_to(folder / "file", large(), "json");
    EXPECT_EQ(got, read_text(folder / "file"));
    EXPECT_GT(got.size(), 1000000U);
    EXPECT_TRUE(std::filesystem::is_fifo(path));
}

/// Returns what fn() writes to standard output while that is a regular file.
template <typename Function> std::string captured(Function fn)
{
    const TemporaryFolder folder;
    const std::string path = folder / "out";
    std::fflush(stdout);
    const int saved = dup(STDOUT_FILENO);
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    EXPECT_GE(file, 0);
    EXPECT_EQ(dup2(file, STDOUT_FILENO), STDOUT_FILENO);
    std::printf("before\n");
    const std::string error = error_of(fn);
    std::printf("after\n");
    std::fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(file);
    EXPECT_EQ(error, "");
    return read_text(path);
}

TEST(ReportFile, StandardOutput)
{
    EXPECT_EQ(captured([] { write_to("-", small(), "csv"); }),
              std::string("before\n") + kSmallText + "after\n");
    // A name of the descriptor: appended to, not replaced by another file. (Not
    // /dev/stdout: as root, a broken ReportFile would replace that for everybody.)
    const TemporaryFolder folder;
    std::filesystem::create_symlink("/proc/self/fd/1", folder / "link");
    for (const std::string &path : {std::string("/proc/self/fd/1"), folder / "link"})
        EXPECT_EQ(captured([&] {
                      std::fflush(stdout);
                      write_to(path, small(), "csv");
                      lseek(STDOUT_FILENO, 0, SEEK_END);
                  }),
                  std::string("before\n") + kSmallText + "after\n");
}

TEST(ReportFile, PlacesThatCannotBeWritten)
{
    const TemporaryFolder folder;
    expect_error(write_error(folder / "no/log.csv"), ENOENT, folder / "no/log.csv");
    expect_error(write_error(folder / ""), EISDIR, "Is a directory");
    expect_error(write_error(""), ENOENT, "cannot open log ''");
    std::ofstream(folder / "file") << "x";
    expect_error(write_error(folder / "file/log.csv"), ENOTDIR, "Not a directory");
    EXPECT_EQ(folder.list(), Names{"file"});
}

TEST(ReportFile, PermissionDenied)
{
    if (geteuid() == 0)
        GTEST_SKIP() << "SKIPPED: root may write everywhere";
    const TemporaryFolder folder;
    std::ofstream(folder / "file") << "x";
    ASSERT_EQ(chmod((folder / "file").c_str(), 0444), 0);
    expect_error(write_error(folder / "file"), EACCES, "Permission denied");
    EXPECT_EQ(read_text(folder / "file"), "x");
    ASSERT_EQ(chmod((folder / "").c_str(), 0555), 0);
    expect_error(write_error(folder / "new"), EACCES, "Permission denied");
    ASSERT_EQ(chmod((folder / "").c_str(), 0755), 0);
}

TEST(ReportFile, FullDiskLeavesTheOldFile)
{
    const TemporaryFolder folder;
    std::ofstream(folder / "log.json") << "Frame,old";
    rlimit old = {};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
    const rlimit limit = {1 << 20, old.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const std::string error = write_error(folder / "log.json", "json", large());
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);
    expect_error(error, EFBIG, "cannot write log '" + folder / "log.json" + "': File too large");
    EXPECT_EQ(read_text(folder / "log.json"), "Frame,old");
    EXPECT_EQ(folder.list(), Names{"log.json"});
}

TEST(ReportFile, BadRequestsTouchNothing)
{
    const TemporaryFolder folder;
    expect_error(write_error(folder / "log", "yaml"), EINVAL,
                 "log format must be xml, json, csv, csv_strict, sub, html or part, not 'yaml'");
    VmafGpuLog log = default_log();
    log.precision = 5;
    expect_error(error_of([&] { write_to(folder / "log", small(), "csv", log); }), EINVAL,
                 "precision must be 6 to 17");
    const ScoreTable history = small();
    log = default_log();
    log.format = "csv";
    expect_error(error_of([&] {
                     write_report({history, RunFacts(), log});
                 }),
                 EINVAL, "the log's path is missing");
    log.path = "x";
    log.format = nullptr;
    expect_error(error_of([&] {
                     write_report({history, RunFacts(), log});
                 }),
                 EINVAL, "the log's format is missing");
    EXPECT_TRUE(folder.list().empty());
}

} // namespace
} // namespace vmafgpu::report_file_test
