// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which name an output of the C API gets: names that this process uses, files of the user that
// must not be replaced, pipes. Where its content goes is in test_report_place.cpp.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <thread>

#include "output/report_file.h"
#include "report_fixtures.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu::report_names_test {
namespace {

using namespace std::string_literals;

/// An output of the C API.
class Output {
public:
    explicit Output(const std::string &path, int flags = 0)
    {
        code = vmafgpu_output_open(&output_, path.c_str(), "log", flags, &error);
    }
    ~Output() { vmafgpu_output_close(&output_); }
    Output(const Output &) = delete;
    Output &operator=(const Output &) = delete;

    std::string name() const
    {
        return output_ == nullptr ? ""
                                  : std::filesystem::path(vmafgpu_output_path(output_)).filename();
    }
    int write(const std::string &text)
    {
        return vmafgpu_output_write(output_, text.data(), text.size(), &error);
    }
    int finish(bool is_complete = true)
    {
        const int result = vmafgpu_output_finish(output_, is_complete ? 1 : 0, &error);
        finished_name = name();
        vmafgpu_output_close(&output_);
        return result;
    }

    int code;
    VmafGpuError error;
    std::string finished_name;

private:
    VmafGpuOutput *output_ = nullptr;
};

int run_job(const std::string &path, const std::string &text, std::string *name,
            bool is_complete = true)
{
    Output output(path);
    if (output.code < 0)
        return output.code;
    *name = output.name();
    const int code = output.write(text);
    return code < 0 ? code : output.finish(is_complete);
}

TEST(ReportNames, ModelFilesAreKept)
{
    const TemporaryFolder folder;
    const std::string path = folder / "model.json";
    put(path, builtin_json("vmaf_v0.6.1").dump());
    const Output no_log(path);
    EXPECT_EQ(-EEXIST, no_log.code);
    EXPECT_NE(std::string::npos, std::string(no_log.error.text).find("it is no log"));
    EXPECT_EQ(0, Output(path, VMAFGPU_OUTPUT_OVERWRITE).code);
}

TEST(ReportNames, ACompleteLogIsReplaced)
{
    const TemporaryFolder folder;
    std::string name;
    for (const char *text : {"Frame,first", "Frame,second", "Frame,third"}) {
        ASSERT_EQ(run_job(folder / "log.csv", text, &name), 0);
        EXPECT_EQ(name, "log.csv");
        EXPECT_EQ(read_text(folder / "log.csv"), text);
    }
    EXPECT_EQ(folder.list().size(), 1U);
}

TEST(ReportNames, AStoppedLogIsNot)
{
    const TemporaryFolder folder;
    std::string name;
    ASSERT_EQ(run_job(folder / "log.csv", "Frame,first", &name, false), 0);
    for (const char *wanted : {"log.1.csv", "log.1.csv"}) {
        ASSERT_EQ(run_job(folder / "log.csv", "Frame,later", &name), 0);
        EXPECT_EQ(name, wanted);
    }
    EXPECT_EQ(read_text(folder / "log.csv"), "Frame,first");
    EXPECT_EQ(read_text(folder / "log.1.csv"), "Frame,later");
}

TEST(ReportNames, OneFileHasManyNames)
{
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "logs");
    std::filesystem::create_symlink("logs/log.csv", folder / "link.csv");
    const std::filesystem::path here = std::filesystem::current_path();
    std::filesystem::current_path(folder / "");
    Output first("logs/log.csv");
    Output second("./logs/../logs//log.csv");
    Output third("link.csv");
    Output fourth(folder / "logs/log.csv");
    std::filesystem::current_path(here);
    EXPECT_EQ(first.name(), "log.csv");
    EXPECT_EQ(second.name(), "log.1.csv");
    EXPECT_EQ(third.name(), "link.1.csv");
    EXPECT_EQ(fourth.name(), "log.2.csv");
}

/// A user who may not open what another user's run left has to learn of it.
TEST(ReportNames, TemporaryFileOfAnotherRun)
{
    const TemporaryFolder folder;
    const std::string left = folder / ".vmaf_gpu_log.log.csv";
    std::filesystem::create_symlink("nothing", left);
    const Output output(folder / "log.csv");
    EXPECT_EQ(output.error.text, "cannot write log '" + folder / "log.csv" + "': '" + left +
                                     "', left by another run, is in its way: Too many levels of "
                                     "symbolic links");
    EXPECT_TRUE(std::filesystem::is_symlink(left));
}

TEST(ReportNames, LongNames)
{
    const TemporaryFolder folder;
    for (const size_t length : {250, 255}) {
        const std::string name = std::string(length - 4, 'n') + ".csv";
        Output first(folder / name);
        Output second(folder / name);
        EXPECT_EQ(first.name(), name);
        if (length == 250)
            EXPECT_EQ(second.name(), std::string(length - 4, 'n') + ".1.csv");
        else // no longer name is allowed
            EXPECT_EQ(second.code, -ENAMETOOLONG);
        EXPECT_EQ(first.finish(), 0);
    }
    EXPECT_EQ(Output(folder / std::string(256, 'n')).code, -ENAMETOOLONG);
}

TEST(ReportNames, ManyJobsAtOnce)
{
    const TemporaryFolder folder;
    std::vector<std::thread> threads;
    std::atomic<int> failures{0};
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            for (int j = 0; j < 75; ++j) {
                std::string name;
                failures += run_job(folder / "log", "Frame,text", &name) < 0 ? 1 : 0;
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(failures, 0);
    for (const std::string &name : folder.list())
        EXPECT_EQ(read_text(folder / name), "Frame,text") << name;
    EXPECT_LE(folder.list().size(), 8U);
}

TEST(ReportNames, AnInputIsRefused)
{
    const TemporaryFolder folder;
    put(folder / "input", "raw samples");
    const int input = open((folder / "input").c_str(), O_RDONLY | O_CLOEXEC);
    for (const int flags : {0, static_cast<int>(VMAFGPU_OUTPUT_LIVE)}) {
        Output output(folder / "input", flags);
        EXPECT_EQ(output.code, -EEXIST);
        EXPECT_EQ(output.error.text, "cannot write log '" + folder / "input" +
                                         "': this process has the file open, as input or output; "
                                         "to replace it, set overwrite=1 (--overwrite)");
        EXPECT_EQ(read_text(folder / "input"), "raw samples");
    }
    Output forced(folder / "input", VMAFGPU_OUTPUT_OVERWRITE);
    EXPECT_EQ(forced.write("log"), 0);
    EXPECT_EQ(forced.finish(), 0);
    EXPECT_EQ(read_text(folder / "input"), "log");
    close(input);
}

TEST(ReportNames, VideosAreRefused)
{
    const std::string packet = "\x47" + std::string(187, 'x');
    const std::vector<std::string> videos = {
        "\0\0\0\x20"s + "ftypisom",
        "\x1a\x45\xdf\xa3 matroska",
        "RIFF\x10\0\0\0AVI "s,
        "YUV4MPEG2 W16 H16\n",
        "\0\0\0\x01\x67"s,
        packet + packet + packet,
        "\x89PNG\r\n",
    };
    const TemporaryFolder folder;
    for (const std::string &video : videos) {
        put(folder / "file", video);
        for (const int flags : {0, static_cast<int>(VMAFGPU_OUTPUT_LIVE)}) {
            Output output(folder / "file", flags);
            EXPECT_EQ(output.code, -EEXIST) << video.substr(0, 12);
            EXPECT_NE(std::string(output.error.text).find("it is no log"), std::string::npos);
        }
        VmafGpuLog log = default_log();
        EXPECT_NE(error_of([&] { write_to(folder / "file", ScoreTable({"a"}), "csv", log); }), "");
        EXPECT_EQ(read_text(folder / "file"), video);
        log.overwrite = 1;
        EXPECT_EQ(error_of([&] { write_to(folder / "file", ScoreTable({"a"}), "csv", log); }), "");
    }
    for (const char *format : {"xml", "json", "csv", "sub", "html"}) {
        put(folder / "file", report_text(ScoreTable({"vmaf"}), format));
        EXPECT_EQ(Output(folder / "file").code, 0) << format;
    }
}

TEST(ReportNames, FilesThatAreNoLogsAreRefused)
{
    const TemporaryFolder folder;
    for (const auto &[text, begin] : std::vector<std::pair<std::string, std::string>>{
             {"#!/bin/sh\nrm -rf x\n", "#!/bin/sh"},
             {"{\"version\": \"2.0.0\", \"tasks\": []}", "{\"version\": \"2.0.0\", \"ta"},
             {"\x7f\x45LF\x02\x01"s, "?ELF??"},
             {"\n", ""},
             {builtin_json("vmaf_v0.6.1").dump(), "{\"model_dict\":{\"feature_"},
             {"<!DOCTYPE html>\n<html><body>of the user</body></html>", "<!DOCTYPE html>"},
         }) {
        put(folder / "file", text);
        for (const int flags : {0, static_cast<int>(VMAFGPU_OUTPUT_LIVE)}) {
            Output output(folder / "file", flags);
            EXPECT_EQ(output.code, -EEXIST) << begin;
            EXPECT_EQ(output.error.text, "cannot write log '" + folder / "file" +
                                             "': it is no log, but a file that begins with '" +
                                             begin +
                                             "'; to replace it, set overwrite=1 (--overwrite)");
        }
        EXPECT_EQ(read_text(folder / "file"), text);
        EXPECT_EQ(Output(folder / "file", VMAFGPU_OUTPUT_OVERWRITE).code, 0);
    }
}

/// Users run the same command with another filter or tool before. libvmaf's JSON is ours.
TEST(ReportNames, LogsOfLibvmafAndPartsAreReplaced)
{
    const TemporaryFolder folder;
    for (const char *text : {
             "<VMAF version=\"3.0.0\">\n  <params qualityWidth=\"576\"",
             "{\n  \"version\": \"3.0.0\",\n  \"fps\": 0.00,\n  \"frames\": [\n",
             "{\r\n  \"version\": \"2.3.1\",\r\n  \"fps\": 25.12,\r\n",
             "{\n  \"schema\": \"vmaf_gpu.part/4\",\n  \"numerics\": 3",
             "Frame,integer_adm2,vmaf,\n",
             "{0}{1}frame: 0|vmaf: 97.4|\n",
             "{0}{1}incomplete: no memory\n",
             "n:1 pts:0 ref_pts:0 vmaf:97.4\n",
             "",
         }) {
        put(folder / "file", text);
        EXPECT_EQ(Output(folder / "file").code, 0) << text;
        EXPECT_EQ(read_text(folder / "file"), text);
    }
}

/// A video that comes to the name during the run: the log gets a numbered name.
TEST(ReportNames, AVideoThatComesLater)
{
    const TemporaryFolder folder;
    Output output(folder / "log.csv");
    EXPECT_EQ(output.write("Frame,text"), 0);
    put(folder / "log.csv", "YUV4MPEG2 W16 H16\n");
    EXPECT_EQ(output.finish(), 0);
    EXPECT_EQ(output.finished_name, "log.1.csv");
    EXPECT_EQ(read_text(folder / "log.csv"), "YUV4MPEG2 W16 H16\n");
    EXPECT_EQ(read_text(folder / "log.1.csv"), "Frame,text");
}

/// A video comes later to several jobs, one of them through a link: no job replaces another one's
/// log.
TEST(ReportNames, AVideoThatComesLaterToManyJobs)
{
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "logs");
    std::filesystem::create_symlink("logs/log.csv", folder / "link");
    Output first(folder / "link");
    Output second(folder / "logs/log.csv");
    Output third(folder / "logs/log.csv");
    EXPECT_EQ(second.name(), "log.1.csv");
    EXPECT_EQ(third.name(), "log.2.csv");
    EXPECT_EQ(
        first.write("Frame,first") + second.write("Frame,second") + third.write("Frame,third"), 0);
    put(folder / "logs/log.csv", "YUV4MPEG2 W16 H16\n");
    put(folder / "logs/log.1.csv", "YUV4MPEG2 W16 H16\n");
    EXPECT_EQ(first.finish(false), 0);
    EXPECT_EQ(first.finished_name, "log.2.csv");
    EXPECT_EQ(second.finish(), 0);
    EXPECT_EQ(second.finished_name, "log.1.1.csv");
    EXPECT_EQ(third.finish(), 0);
    EXPECT_EQ(third.finished_name, "log.2.1.csv");
    EXPECT_EQ(read_text(folder / "logs/log.2.csv"), "Frame,first");
    EXPECT_EQ(read_text(folder / "logs/log.1.1.csv"), "Frame,second");
    EXPECT_EQ(read_text(folder / "logs/log.2.1.csv"), "Frame,third");
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    // The first one was stopped, so its name stays its own.
    EXPECT_EQ(Output(folder / "logs/log.2.csv").name(), "log.2.1.csv");
}

/// A video comes later to a log that is written in place.
TEST(ReportNames, AVideoThatComesLaterInPlace)
{
    const TemporaryFolder folder;
    put(folder / "log.csv", "Frame,old");
    std::filesystem::create_hard_link(folder / "log.csv", folder / "other");
    Output output(folder / "log.csv");
    EXPECT_EQ(output.write("Frame,text"), 0);
    std::filesystem::remove(folder / "log.csv");
    put(folder / "log.csv", "YUV4MPEG2 W16 H16\n");
    EXPECT_EQ(output.finish(), 0);
    EXPECT_EQ(output.finished_name, "log.1.csv");
    EXPECT_EQ(read_text(folder / "log.csv"), "YUV4MPEG2 W16 H16\n");
    EXPECT_EQ(read_text(folder / "other"), "Frame,old");
    EXPECT_EQ(read_text(folder / "log.1.csv"), "Frame,text");
}

/// Any file that comes to a new name stays; where a log was, any that is no log.
TEST(ReportNames, AFileThatComesLater)
{
    const TemporaryFolder folder;
    Output fresh(folder / "log.csv");
    EXPECT_EQ(fresh.write("Frame,text"), 0);
    put(folder / "log.csv", "Frame,notes");
    EXPECT_EQ(fresh.finish(), 0);
    EXPECT_EQ(fresh.finished_name, "log.1.csv");
    Output over(folder / "log.csv");
    std::filesystem::remove(folder / "log.csv");
    put(folder / "log.csv", "more notes");
    EXPECT_EQ(over.finish(), 0);
    EXPECT_EQ(over.finished_name, "log.2.csv");
    EXPECT_EQ(read_text(folder / "log.csv"), "more notes");
    Output forced(folder / "log.csv", VMAFGPU_OUTPUT_OVERWRITE);
    EXPECT_EQ(forced.write("Frame,forced"), 0);
    std::filesystem::remove(folder / "log.csv");
    put(folder / "log.csv", "notes");
    EXPECT_EQ(forced.finish(), 0);
    EXPECT_EQ(forced.finished_name, "log.csv");
    EXPECT_EQ(read_text(folder / "log.csv"), "Frame,forced");
}

/// It is an error if the output may not take another name.
TEST(ReportNames, AFileThatComesToAPathOfItsOwn)
{
    const TemporaryFolder folder;
    ReportFile file(folder / "log.csv");
    put(folder / "log.csv", "notes");
    expect_error(error_of([&] { file.commit(); }), EEXIST, "log.csv': File exists");
    EXPECT_EQ(read_text(folder / "log.csv"), "notes");
}

TEST(ReportNames, LogAndStatisticsOfOneName)
{
    for (const bool is_there : {false, true})
        for (const int first_flags : {0, static_cast<int>(VMAFGPU_OUTPUT_LIVE)}) {
            const TemporaryFolder folder;
            if (is_there)
                put(folder / "x", "Frame,old");
            Output first(folder / "x", first_flags);
            Output second(folder / "x", VMAFGPU_OUTPUT_LIVE - first_flags);
            EXPECT_EQ(first.name(), "x");
            EXPECT_EQ(second.name(), "x.1");
            EXPECT_EQ(first.write("Frame,first") + second.write("Frame,second"), 0);
            EXPECT_EQ(first.finish() + second.finish(), 0);
            EXPECT_EQ(read_text(folder / "x"), "Frame,first");
            EXPECT_EQ(read_text(folder / "x.1"), "Frame,second");
            EXPECT_EQ(folder.list().size(), 2U);
        }
}

/// A link that comes to the name leads to a file that nobody looked at.
TEST(ReportNames, ALinkThatComesLater)
{
    const TemporaryFolder folder;
    put(folder / "log.csv", "Frame,old");
    put(folder / "notes", "of the user");
    std::filesystem::create_hard_link(folder / "log.csv", folder / "other");
    Output output(folder / "log.csv");
    EXPECT_EQ(output.write("Frame,text"), 0);
    std::filesystem::remove(folder / "log.csv");
    std::filesystem::create_symlink("notes", folder / "log.csv");
    EXPECT_EQ(output.finish(), 0);
    EXPECT_EQ(output.finished_name, "log.1.csv");
    EXPECT_EQ(read_text(folder / "log.1.csv"), "Frame,text");
    EXPECT_EQ(read_text(folder / "notes"), "of the user");
}

TEST(ReportNames, SocketsAreRefused)
{
    const TemporaryFolder folder;
    const std::string path = folder / "socket";
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    ASSERT_LT(path.size(), sizeof(address.sun_path));
    path.copy(address.sun_path, path.size());
    const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(bind(file, reinterpret_cast<const sockaddr *>(&address), sizeof(address)), 0);
    EXPECT_EQ(Output(path).code, -ENXIO);
    close(file);
}

/// A pipe that must not wait: the writer waits for its reader itself.
TEST(ReportNames, PipesThatDoNotBlock)
{
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    ASSERT_EQ(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    const std::string text(1 << 20, 'x');
    std::string got;
    std::thread reader([&] {
        char bytes[65536];
        usleep(100000);
        for (ssize_t size; (size = read(ends[0], bytes, sizeof(bytes))) > 0;)
            got.append(bytes, static_cast<size_t>(size));
    });
    {
        Output output("/proc/self/fd/" + std::to_string(ends[1]));
        EXPECT_EQ(output.write(text), 0);
        EXPECT_EQ(output.write(text), 0);
        EXPECT_EQ(output.finish(), 0) << output.error.text;
    }
    close(ends[1]);
    reader.join();
    close(ends[0]);
    EXPECT_TRUE(got == text + text) << got.size();
}

TEST(ReportNames, Pipes)
{
    const TemporaryFolder folder;
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    std::string got;
    std::thread reader([&] {
        usleep(100000); // the output waits for it
        got = read_text(folder / "pipe");
    });
    Output output(folder / "pipe");
    EXPECT_EQ(output.write("Frame,text"), 0);
    EXPECT_EQ(output.finish(), 0);
    reader.join();
    EXPECT_EQ(got, "Frame,text");
    // A reader that waits must see the end also if nothing is written.
    std::thread waiting([&] { got = read_text(folder / "pipe"); });
    EXPECT_EQ(Output(folder / "pipe").code, 0);
    waiting.join();
    EXPECT_EQ(got, "");
}

TEST(ReportNames, LiveOutputIsVisibleAtOnce)
{
    const TemporaryFolder folder;
    put(folder / "stats", "n:1 pts:0 of an older run");
    Output output(folder / "stats", VMAFGPU_OUTPUT_LIVE);
    EXPECT_EQ(read_text(folder / "stats"), "");
    EXPECT_EQ(output.write("n:1\n"), 0);
    EXPECT_EQ(read_text(folder / "stats"), "n:1\n");
    EXPECT_EQ(Output(folder / "stats", VMAFGPU_OUTPUT_LIVE).name(), "stats.1");
    EXPECT_EQ(output.finish(), 0);
}

TEST(ReportNames, DescriptorsKeepTheirPosition)
{
    const TemporaryFolder folder;
    const int file = open((folder / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(::write(file, "one ", 4), 4);
    Output output("/proc/self/fd/" + std::to_string(file));
    EXPECT_EQ(output.write("two "), 0);
    EXPECT_EQ(output.finish(), 0);
    ASSERT_EQ(::write(file, "three", 5), 5);
    EXPECT_EQ(read_text(folder / "file"), "one two three");
    close(file);
}

} // namespace
} // namespace vmafgpu::report_names_test
