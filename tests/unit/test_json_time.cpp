// SPDX-License-Identifier: BSD-2-Clause-Patent
// JSON that others wrote takes time in proportion to its size: models and logs of many shapes,
// good or not, with 100 kB and with 1 MB. Ratios are compared, so that the speed of the machine
// does not matter: 10 is linear, 100 quadratic.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "model/model.h"
#include "model_fixtures.h"
#include "parts/log_read.h"

namespace vmafgpu::json_time_test {
namespace {

constexpr size_t kSmall = 100000;
constexpr size_t kLarge = 1000000;
constexpr double kMostRatio = 35;

/// Text around parts that are repeated until it is large enough.
struct Shape {
    std::string name, head;
    std::function<std::string(int)> part;
    std::string tail;
};

std::string digits(int value)
{
    std::string text = std::to_string(value);
    return std::string(8 - text.size(), '0') + text;
}

std::string grown(const Shape &shape, size_t size)
{
    std::string text = shape.head;
    for (int i = 0; text.size() < size; ++i)
        text.append(i == 0 ? "" : ",").append(shape.part(i));
    return text + shape.tail;
}

const std::vector<Shape> &shapes()
{
    static const std::string frames = "{\"frames\":[";
    static const std::string first = frames + "{\"frameNum\":0,\"metrics\":{\"vmaf\":1}},";
    static const auto frame = [](const std::string &rest) {
        return [rest](int i) {
            return "{\"frameNum\":" + std::to_string(i + 1) + rest;
        };
    };
    static const std::vector<Shape> all = {
        {"growing keys", "{", [](int i) { return "\"k" + digits(i) + "\":0"; }, "}"},
        {"falling keys", "{", [](int i) { return "\"k" + digits(99999999 - i) + "\":0"; }, "}"},
        {"one key", "{", [](int) { return "\"key\":0"; }, "}"},
        {"falling keys of the model", "{\"model_dict\":{",
         [](int i) { return "\"k" + digits(99999999 - i) + "\":0"; }, "}}"},
        {"numbers", "[", [](int i) { return "0." + digits(i); }, "]"},
        {"names", "{\"model_dict\":{\"feature_names\":[",
         [](int i) { return "\"VMAF_feature_" + digits(i) + "_score\""; }, "]}}"},
        {"escapes", "\"", [](int) { return "\\u00e9\\n\\\""; }, "\""},
        {"lists", "[", [](int) { return "[[[[0]]]]"; }, "]"},
        {"objects", "[", [](int) { return "{\"b\":{\"a\":0}}"; }, "]"},
        {"no end", "[", [](int) { return "{\"b\":[0,1"; }, ""},
        {"no JSON", "", [](int) { return "nan"; }, ""},
        {"frames", frames, frame(",\"metrics\":{\"vmaf\":1.5,\"a\":2},\"time\":3}"), "]}"},
        {"frames without metrics", first, frame(",\"metrics\":{}}"), "]}"},
        {"frames far apart", frames,
         [](int i) {
             return "{\"frameNum\":" + std::to_string(i * 50000LL) +
                    ",\"metrics\":{\"vmaf\":1},\"time\":1}";
         },
         "]}"},
        {"metrics", frames + "{\"frameNum\":0,\"metrics\":{",
         [](int i) { return "\"m" + digits(i) + "\":1"; }, "}}]}"},
        {"warnings",
         first + "{\"frameNum\":1,\"metrics\":{\"vmaf\":1}}],\"vmaf_gpu\":{\"warnings\":[",
         [](int i) { return "\"warning " + digits(i) + "\""; }, "]}}"},
    };
    return all;
}

/// Processor seconds, the least of three, or the first that is few enough.
double seconds(const std::function<void()> &run, double enough)
{
    double best = 1e9;
    for (int i = 0; i < 3 && best > enough; ++i) {
        const std::clock_t start = std::clock();
        run();
        best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return best;
}

void expect_linear(const std::function<void(const std::string &)> &read)
{
    for (const Shape &shape : shapes()) {
        SCOPED_TRACE(shape.name);
        const auto taken = [&](size_t size, double enough) {
            const std::string text = grown(shape, size);
            return seconds([&] { error_of([&] { read(text); }); }, enough);
        };
        const double most = kMostRatio * std::max(taken(kSmall, 0), 2e-4); // the clock has steps
        EXPECT_LT(taken(kLarge, most), most);
    }
}

TEST(JsonTime, Models)
{
    expect_linear([](const std::string &text) { Model::parse(text, "grown.json"); });
}

TEST(JsonTime, Logs)
{
    expect_linear([](const std::string &text) {
        std::istringstream stream(text);
        read_log(stream, "grown.json");
    });
}

/// A few bytes may not ask for gigabytes, nor for the whole stack.
TEST(JsonTime, LogsThatAskForMuch)
{
    const auto read = [](const std::string &text) {
        std::istringstream stream(text);
        return read_log(stream, "log.json");
    };
    const ReadLog far = read(R"({"frames":[{"frameNum":2000000000,"metrics":{"a":1},"time":4}]})");
    EXPECT_EQ(far.times, std::vector<double>{4});
    EXPECT_EQ(far.time_at(2000000000), 4);
    EXPECT_TRUE(std::isnan(far.time_at(1999999999)));
    const std::string frame =
        R"({"frames":[{"frameNum":0,"metrics":{"a":1}}],"vmaf_gpu":{"title":)";
    expect_error(
        error_of([&] { read(frame + std::string(200000, '[') + std::string(200000, ']') + "}}"); }),
        EINVAL, "nested more than 16 levels deep");
    expect_error(error_of([&] {
                     read(R"({"frames":[{"frameNum":0,"metrics":{"a":1,"b":2,"c":3,"d":4}},)"
                          R"({"frameNum":1,"metrics":{"a":1}}]})");
                 }),
                 EINVAL, "frame 1 lacks most of the first one's metrics");
}

} // namespace
} // namespace vmafgpu::json_time_test
