// SPDX-License-Identifier: BSD-2-Clause-Patent
// Any bytes as a model: parsed or refused by an Error of one line; what was
// parsed predicts without a fault, whatever the features are.
#include <limits>

#include "bytes.h"
#include "error.h"
#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    using namespace vmafgpu;
    try {
        const auto model =
            Model::parse(std::string(reinterpret_cast<const char *>(data), size), "fuzz.json");
        const auto names = model->score_names();
        VMAFGPU_FUZZ_REQUIRE(!names.empty());
        std::vector<double> out(names.size());
        const double values[] = {0, 1, -1e300, std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity()};
        for (const double value : values) {
            const std::vector<double> features(model->features().size(), value);
            model->predict(features.data(), out.data());
        }
    } catch (const Error &error) {
        const std::string text = error.what();
        VMAFGPU_FUZZ_REQUIRE(!text.empty() && text.find('\n') == std::string::npos);
        VMAFGPU_FUZZ_REQUIRE(error.code() > 0);
    }
    return 0;
}
