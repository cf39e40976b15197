// SPDX-License-Identifier: BSD-2-Clause-Patent
// A score of -0 in a part: merged chunks pool to the doubles of the whole run. test_chunks.cpp has
// all else about chunks.
#include <cmath>
#include <fstream>

#include "fixture.h"
#include "model_fixtures.h"
#include "report_fixtures.h"

namespace vmafgpu::chunk_zero_test {
namespace {

/// A model whose score is always -0.
std::string negative_zero_model(const TemporaryFolder &folder)
{
    nlohmann::json model = constant_model("0");
    model["model_dict"]["norm_type"] = "linear_rescale";
    model["model_dict"]["slopes"] = {-1, 1};
    model["model_dict"]["intercepts"] = {0, 0};
    const std::string path = folder / std::string("zero.json");
    std::ofstream(path) << model;
    return path;
}

TEST(ChunkZero, KeepsItsSign)
{
    const TemporaryFolder folder;
    const VmafGpuChunk chunk = {0, 0, 1, 1};
    TestSettings settings;
    settings.models = {negative_zero_model(folder)};
    settings.chunk = &chunk;
    TestContext context(settings);
    const StoredPicture picture(
        make_image(settings.width, settings.height, settings.depth, 0, false));
    VmafGpuResult result;
    ASSERT_EQ(0, vmafgpu_submit(context.get(), &picture.picture, &picture.picture, 0));
    ASSERT_EQ(0, vmafgpu_flush(context.get()));
    while (vmafgpu_collect(context.get(), &result, 1) == 0)
        ;
    const std::string path = folder / std::string("one.part");
    VmafGpuLog log = {};
    log.path = path.c_str();
    log.format = "part";
    ASSERT_EQ(0, vmafgpu_write_log(context.get(), &log)) << vmafgpu_error_text(context.get());
    VmafGpuMerge *merge = nullptr;
    VmafGpuError error = {};
    const char *part = path.c_str();
    ASSERT_EQ(0, vmafgpu_merge_open(&merge, &part, 1, &error)) << error.text;
    const int column = vmafgpu_model_score(context.get(), 0);
    for (const VmafGpuPool pool : {VMAFGPU_POOL_MIN, VMAFGPU_POOL_MAX, VMAFGPU_POOL_PERC1}) {
        double whole = 1, merged = 1;
        EXPECT_EQ(0, vmafgpu_pooled(context.get(), column, pool, &whole));
        EXPECT_EQ(0, vmafgpu_merge_pooled(merge, column, pool, &merged));
        EXPECT_TRUE(whole == 0 && std::signbit(whole));
        EXPECT_TRUE(merged == 0 && std::signbit(merged)) << "pool " << pool;
    }
    vmafgpu_merge_free(&merge);
}

} // namespace
} // namespace vmafgpu::chunk_zero_test
