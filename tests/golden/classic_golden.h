// SPDX-License-Identifier: BSD-2-Clause-Patent
// Scores of libvmaf's older metrics (f85a8536, scalar C code) for the clips of classic_clips.h, to
// 17 digits. Used by test_classic_golden.cpp.
#pragma once

#include <limits>
#include <vector>

namespace vmafgpu {

/// Series of one frame, in the order of the feature's outputs.
struct ClassicVector {
    const char *feature, *clip;
    int frame;
    std::vector<double> scores;
};

inline const std::vector<ClassicVector> &classic_vectors()
{
    [[maybe_unused]] constexpr double kInfinity = std::numeric_limits<double>::infinity();
    static const std::vector<ClassicVector> vectors = {
        {"float_psnr", "V1", 0, {35.920687807715048}},
        {"float_psnr", "V1", 1, {35.904271303896905}},
        {"float_psnr", "V2", 0, {34.507877009605401}},
        {"float_psnr", "V3", 0, {22.172523417127941}},
        {"float_psnr", "V4", 0, {7.7844859198871132}},
        {"float_psnr", "V5", 0, {8.7968668394844833}},
        {"float_psnr", "V6", 0, {35.914724123544573}},
        {"float_psnr", "identical", 0, {60}},
        {"float_psnr", "one", 0, {58.696279152019983}},
        {"float_moment",
         "V1",
         0,
         {126.85696909293553, 126.83292073902606, 18399.403811942731, 18409.675438314473}},
        {"float_moment",
         "V1",
         1,
         {125.62083654835391, 125.57438485939643, 18103.38421103395, 18108.910033007545}},
        {"float_moment",
         "V2",
         0,
         {126.32182365216687, 126.32097878720343, 18278.196805670927, 18301.314203912312}},
        {"float_moment",
         "V3",
         0,
         {125.06677599753462, 122.83914748442224, 17946.763071873804, 17782.40156573346}},
        {"float_moment",
         "V4",
         0,
         {127.97224567221222, 127.98684286945443, 21849.046074851787, 21828.583762395298}},
        {"float_moment",
         "V5",
         0,
         {130.95970446654042, 124.0402955334596, 19283.012340198864, 17518.563062263256}},
        {"float_moment",
         "V6",
         0,
         {125.65861641589507, 125.62524112654322, 18053.873051215276, 18061.395950038579}},
        {"float_moment",
         "identical",
         0,
         {126.85696909293553, 126.85696909293553, 18399.403811942731, 18399.403811942731}},
        {"float_moment",
         "one",
         0,
         {126.85696909293553, 126.85628322187928, 18399.403811942731, 18399.300931284295}},
        {"float_psnr", "mixed", 0, {0.55454245546170133}},
        {"float_moment",
         "mixed",
         0,
         {236.4876138128553, 3.8722446400778634, 59537.874947357457, 20.308082801438868}},
    };
    return vectors;
}

} // namespace vmafgpu
