// SPDX-License-Identifier: BSD-2-Clause-Patent
// The files of cambi's heatmaps: which names they get, which files they may replace, what happens
// to pairs that are forgotten. Whether their bytes are libvmaf's is the question of
// tests/golden/heatmaps.py.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <mutex>
#include <set>
#include <thread>

#include "features/cambi/cambi.h"
#include "fixture.h"
#include "output/report_file.h"
#include "report_fixtures.h"

namespace vmafgpu::heatmaps_test {
namespace {

using Names = std::vector<std::string>;

constexpr int kWidth = 240, kHeight = 216;
constexpr size_t kPicture = size_t{kWidth} * kHeight * 2; ///< bytes of scale 0
const char *const kFirst = "cambi_heatmap_scale_0_240x216_16b.gray";

TestSettings settings_of(const std::string &options, int subsample = 1)
{
    TestSettings settings;
    settings.width = kWidth;
    settings.height = kHeight;
    settings.models.clear();
    settings.features = {{"cambi", options.c_str()}};
    settings.subsample = subsample;
    return settings;
}

/// The files or the error that open_picture_files() gives.
struct Opened {
    PictureFiles files;
    std::string error;
};

Opened open_files(const std::string &folder, const Names &names)
{
    Opened opened;
    try {
        opened.files = open_picture_files(folder, names);
    } catch (const Error &error) {
        opened.error = error.what();
    }
    return opened;
}

Names warnings_of(const TestContext &context)
{
    Names warnings;
    for (const LogLine &line : context.log)
        if (line.level <= VMAFGPU_LOG_WARNING)
            warnings.push_back(line.text);
    return warnings;
}

TEST(heatmaps, are_written_by_the_pairs_numbers)
{
    const TemporaryFolder folder;
    const std::string path = folder / "new/one";
    const std::string options = "heatmaps_path=" + path;
    EXPECT_EQ(run_all(settings_of(options), 4), run_all(settings_of(""), 4));
    const std::string all = read_text(path + "/" + kFirst);
    ASSERT_EQ(all.size(), 4 * kPicture);
    EXPECT_EQ(run_all(settings_of(options, 2), 4).size(), 4U);
    const std::string second = read_text(path + "/" + kFirst);
    ASSERT_EQ(second.size(), 3 * kPicture); // 0 and 2
    EXPECT_EQ(second.substr(0, kPicture), all.substr(0, kPicture));
    EXPECT_EQ(second.substr(kPicture, kPicture), std::string(kPicture, '\0'));
    EXPECT_EQ(second.substr(2 * kPicture), all.substr(2 * kPicture, kPicture));
    struct stat info = {};
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    const mode_t mask = umask(0);
    umask(mask);
    EXPECT_EQ(info.st_mode & 0777, 0777U & ~mask);
}

TEST(heatmaps, escapes_and_empty_names)
{
    const TemporaryFolder folder;
    const std::string options = "heatmaps_path=" + (folder / "a\\:b \\\\c=d") + ":window_size=60";
    run_all(settings_of(options), 1);
    EXPECT_EQ(folder.list(), Names{"a:b \\c=d"});
    const std::string none = "heatmaps_path=";
    const TestContext context(settings_of(none));
    expect_one_line(context.error, -EINVAL);
    EXPECT_NE(std::string(context.error.text).find("heatmaps_path"), std::string::npos);
}

TEST(heatmaps, forgotten_pairs_leave_the_files)
{
    for (const int subsample : {1, 2}) {
        const TemporaryFolder folder;
        const std::string options = "heatmaps_path=" + (folder / "maps");
        const std::string file = folder / "maps/" + kFirst;
        const TestSettings settings = settings_of(options, subsample);
        TestContext context(settings);
        TestRun run = make_run(settings, 4);
        for (size_t i = 0; i < 4; ++i)
            ASSERT_EQ(0, vmafgpu_submit(context.get(), &run.reference[i]->picture,
                                        &run.distorted[i]->picture, i));
        VmafGpuResult result;
        for (int i = 0; i < 2; ++i)
            ASSERT_EQ(0, vmafgpu_collect(context.get(), &result, 1));
        ASSERT_EQ(0, vmafgpu_cut(context.get())); // 0 and 1 are left
        EXPECT_EQ(read_text(file).size(), (subsample == 1 ? 2 : 1) * kPicture);
        ASSERT_EQ(0, vmafgpu_reset(context.get()));
        EXPECT_EQ(read_text(file), "");
        TestRun again = make_run(settings, 1);
        run_all(context, again);
        EXPECT_EQ(read_text(file).size(), kPicture);
    }
}

TEST(heatmaps, two_contexts_do_not_share_files)
{
    const TemporaryFolder folder;
    const std::string options = "heatmaps_path=" + (folder / "maps");
    const TestSettings settings = settings_of(options);
    TestContext first(settings);
    TestRun run = make_run(settings, 2);
    run_all(first, run);
    const TestContext second(settings);
    expect_one_line(second.error, -EBUSY);
    EXPECT_NE(std::string(second.error.text).find(kFirst), std::string::npos);
    EXPECT_EQ(read_text(folder / "maps/" + kFirst).size(), 2 * kPicture);
    first.close(); // its names are free again
    const TestContext third(settings);
    EXPECT_EQ(third.status, 0) << third.error.text;
    EXPECT_EQ(read_text(folder / "maps/" + kFirst), "");
}

/// Files are refused even if only some of them are in use.
TEST(heatmaps, files_in_use_are_refused)
{
    const TemporaryFolder folder;
    const Opened first = open_files(folder / "", {"a.gray", "b.gray"});
    const Opened second = open_files(folder / "", {"c.gray", "b.gray"});
    EXPECT_EQ(first.error, "");
    EXPECT_EQ(second.error,
              "cannot write heatmap '" + folder / "/b.gray" + "': another output has this name");
    EXPECT_EQ(open_files(folder / "", {"c.gray"}).error, "");
}

/// A job's name is free when its file is closed, not before: the next one must not find it open.
TEST(heatmaps, many_jobs_at_once)
{
    const TemporaryFolder folder;
    std::vector<std::thread> threads;
    std::mutex mutex;
    std::set<std::string> errors;
    for (int i = 0; i < 64; ++i)
        threads.emplace_back([&, name = std::to_string(i)] {
            for (int j = 0; j < 100; ++j) {
                const Opened opened = open_files(folder / "", {name});
                for (const auto &file : opened.files)
                    file->close();
                const std::lock_guard<std::mutex> lock(mutex);
                errors.insert(opened.error);
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(errors, std::set<std::string>{""});
}

TEST(heatmaps, files_of_others_are_kept)
{
    const TemporaryFolder folder;
    put(folder / "a.gray", "old");
    put(folder / "b.gray", "an input");
    ASSERT_EQ(symlink("b.gray", (folder / "link.gray").c_str()), 0);
    const int own = open((folder / "b.gray").c_str(), O_RDONLY);
    for (const char *name : {"b.gray", "link.gray"})
        EXPECT_NE(open_files(folder / "", {"a.gray", name}).error.find("has the file open"),
                  std::string::npos);
    EXPECT_EQ(read_text(folder / "b.gray"), "an input");
    EXPECT_EQ(read_text(folder / "a.gray"), "old"); // nothing is emptied before all are looked at
    close(own);
    ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
    EXPECT_NE(open_files(folder / "", {"fifo"}).error, "");
    EXPECT_EQ(open_files(folder / "", {"a.gray"}).error, "");
    EXPECT_EQ(read_text(folder / "a.gray"), "");
}

TEST(heatmaps, the_folder_must_be_one)
{
    const TemporaryFolder folder;
    put(folder / "file", "text");
    EXPECT_NE(open_files(folder / "file", {"a"}).error.find("Not a directory"), std::string::npos);
    EXPECT_NE(open_files(folder / "file/below", {"a"}).error.find("Not a directory"),
              std::string::npos);
    EXPECT_EQ(read_text(folder / "file"), "text");
    EXPECT_EQ(open_files(folder / "x//y/", {"a"}).error, "");
    EXPECT_EQ(read_text(folder / "x/y/a"), "");
}

/// Runs action() while another process writes a file.
template <typename Action> void with_another_writer(const std::string &path, const Action &action)
{
    int ready[2], end[2];
    ASSERT_EQ(pipe(ready) + pipe(end), 0);
    const pid_t child = fork();
    if (child == 0) {
        const size_t name = path.rfind('/') + 1;
        const PictureFiles files = open_picture_files(path.substr(0, name), {path.substr(name)});
        char byte = files.size() == 1 ? 'y' : 'n';
        close(end[1]);
        if (write(ready[1], &byte, 1) == 1 && read(end[0], &byte, 1) == 0)
            _exit(0);
        _exit(1);
    }
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
    action();
    for (const int descriptor : {ready[0], ready[1], end[0], end[1]})
        close(descriptor);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST(heatmaps, two_processes_do_not_share_files)
{
    const TemporaryFolder folder;
    const std::string path = folder / "a.gray";
    with_another_writer(path, [&] {
        EXPECT_NE(open_files(folder / "", {"a.gray"}).error.find("another output"),
                  std::string::npos);
    });
    EXPECT_EQ(open_files(folder / "", {"a.gray"}).error, "");
}

/// A full disk: the run fails, and says which file it was.
TEST(heatmaps, a_failed_write_is_an_error)
{
    const TemporaryFolder folder;
    const std::string options = "heatmaps_path=" + (folder / "maps");
    const TestSettings settings = settings_of(options);
    TestContext context(settings);
    TestRun run = make_run(settings, 1);
    rlimit before = {};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small = {kPicture / 2, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT_EQ(0, vmafgpu_submit(context.get(), &run.reference[0]->picture,
                                &run.distorted[0]->picture, 0));
    EXPECT_EQ(0, vmafgpu_flush(context.get()));
    VmafGpuResult result;
    const int code = vmafgpu_collect(context.get(), &result, 1);
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(code, -EFBIG);
    EXPECT_NE(std::string(vmafgpu_error_text(context.get())).find(kFirst), std::string::npos)
        << vmafgpu_error_text(context.get());
}

/// A request adds heatmaps to what a model computes already; of two folders the first one counts.
TEST(heatmaps, requests_and_models_share_them)
{
    const TemporaryFolder folder;
    const std::string v1 =
        "cambi_high_res_speedup=1080:cambi_vis_lum_threshold=0.06:cambi_max_val=17";
    const std::string options = v1 + ":heatmaps_path=" + (folder / "one");
    const std::string other = v1 + ":heatmaps_path=" + (folder / "two");
    TestSettings settings = settings_of(options);
    settings.models = {"vmaf_v1.0.16_3d0h"};
    settings.features.push_back({"cambi", other.c_str()});
    TestContext context(settings);
    ASSERT_EQ(context.status, 0) << context.error.text;
    const Names warnings = warnings_of(context);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("another heatmaps_path"), std::string::npos) << warnings[0];
    EXPECT_EQ(folder.list(), Names{"one"});
}

/// Other options give the same names of files, but these belong to a window of their own.
TEST(heatmaps, other_features_need_another_folder)
{
    const TemporaryFolder folder;
    const std::string options = "heatmaps_path=" + (folder / "maps");
    const std::string other = options + ":window_size=120";
    TestSettings settings = settings_of(options);
    settings.features.push_back({"cambi", other.c_str()});
    const TestContext context(settings);
    expect_one_line(context.error, -EBUSY);
}

class MemoryFile final : public PictureFile {
public:
    explicit MemoryFile(std::vector<uint16_t> &samples) : samples_(samples) {}

    void write(int64_t offset, const void *data, size_t size) override
    {
        const size_t first = static_cast<size_t>(offset) / 2;
        samples_.resize(std::max(samples_.size(), first + size / 2));
        std::memcpy(samples_.data() + first, data, size);
    }
    void cut(int64_t size) override { samples_.resize(static_cast<size_t>(size) / 2); }
    void close() override {}

private:
    std::vector<uint16_t> &samples_;
};

/// The largest c can be above the integer that libvmaf takes for it. There its value is undefined.
TEST(heatmaps, values_end_at_65535)
{
    cambi::Options options;
    options.max_log_contrast = 0; // weight 1: 49 / 4 is rounded down to 12
    const cambi::Config config = cambi::config_of({320, 240, 8, Chroma::k400}, options);
    ASSERT_EQ(config.target[0].window, 7);
    cambi::Heatmaps maps(config, "folder");
    std::vector<uint16_t> samples;
    maps.open([&](const std::string &folder, const Names &names) {
        EXPECT_EQ(folder, "folder");
        PictureFiles files;
        for (size_t i = 0; i < names.size(); ++i)
            files.push_back(std::make_unique<MemoryFile>(samples));
        return files;
    });
    std::vector<float> c(320, 0.0F);
    c[1] = 0.5F;
    c[2] = 12.0F;
    c[3] = 600.0F / 49; // a c of 24 and 25 pixels
    maps.write(0, 0, 0, 1, c.data());
    ASSERT_EQ(samples.size(), 320U);
    EXPECT_EQ(std::vector<uint16_t>(samples.begin(), samples.begin() + 5),
              (std::vector<uint16_t>{0, 2730, 65535, 65535, 0}));
}

/// 1,100 pictures of 1080p: libvmaf's place in the file is an int, which overflows.
TEST(heatmaps, places_have_64_bits)
{
    const cambi::Config config = cambi::config_of({1920, 1080, 8, Chroma::k400}, {});
    cambi::Heatmaps maps(config, "folder");
    int64_t place = 0;
    struct Place final : PictureFile {
        explicit Place(int64_t &offset) : last(offset) {}
        void write(int64_t offset, const void * /*data*/, size_t /*size*/) override
        {
            last = offset;
        }
        void cut(int64_t size) override { last = size; }
        void close() override {}
        int64_t &last;
    };
    maps.open([&](const std::string &, const Names &names) {
        PictureFiles files;
        for (size_t i = 0; i < names.size(); ++i)
            files.push_back(std::make_unique<Place>(place));
        return files;
    });
    const std::vector<float> c(size_t{1920} * 1080);
    maps.write(1100, 0, 1079, 1080, c.data());
    EXPECT_EQ(place, (INT64_C(1100) * 1080 + 1079) * 1920 * 2);
}

} // namespace
} // namespace vmafgpu::heatmaps_test
