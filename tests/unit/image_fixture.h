// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the tests of images share: pictures in host or device memory on any backend, and runs in
// which pairs of images and of pictures are mixed.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/device.h"
#include "fixture.h"
#include "image_api.h"
#include "picture/picture.h"

namespace vmafgpu {

/// "cpu" and test_devices().
std::vector<std::string> image_devices();

/// Memory on the device that a context uses; for pictures in VMAFGPU_MEMORY_DEVICE.
class PictureMemory {
public:
    explicit PictureMemory(const std::string &device); ///< none for "cpu"
    Device *device() const { return device_.get(); }
    Queue &queue() const { return *queue_; }
    void finish() const; ///< waits for what is in the queue

private:
    std::unique_ptr<Device> device_;
    std::unique_ptr<Queue> queue_;
};

/// A picture with luma and chroma, stored as the caller of the API would. Its release spoils the
/// samples. Must outlive the context.
class MadePicture {
public:
    /// `memory`: null for host memory. Its samples have `depth` bits, and are stored as the
    /// format's if `is_promoted`.
    MadePicture(const Format &format, int depth, const Layout &layout, int frame, bool is_distorted,
                const PictureMemory *memory, bool is_promoted = false);
    ~MadePicture();
    MadePicture(const MadePicture &) = delete;
    MadePicture &operator=(const MadePicture &) = delete;

    VmafGpuPicture picture = {};
    Image luma; ///< samples of the luma
    int releases = 0;
    bool was_released_elsewhere = false;

private:
    void move_to_device(const VmafGpuPlane &from, int plane);
    void spoil();

    const PictureMemory *memory_;
    std::unique_ptr<StoredPicture> planes_[3];
    struct OnDevice {
        char *data;
        size_t bytes;
    };
    std::vector<OnDevice> on_device_;
    std::thread::id thread_ = std::this_thread::get_id();
};

/// The image of a taken picture, freed at the end.
class Taken {
public:
    Taken(TestContext &context, const MadePicture &made, int flags = VMAFGPU_IMAGE_SKETCH);
    ~Taken() { free(); }
    Taken(const Taken &) = delete;
    Taken &operator=(const Taken &) = delete;
    void free() { vmafgpu_image_free(context_.get(), &image_); }
    VmafGpuImage *get() const { return image_; }

private:
    TestContext &context_;
    VmafGpuImage *image_ = nullptr;
};

/// A step of a run: which frames make a pair, and how.
struct MixedPair {
    int reference, distorted; ///< numbers of frames
    bool is_of_images;
    bool flush_after;
};

/// How the pictures of a run lie. Of one input, by the seed, most have this layout and depth; the
/// others are plain and have the context's depth. What is to be held is so of both inputs.
struct Storage {
    Layout layout;
    int depth;
    bool is_on_device; ///< reference
    bool is_distorted_on_device;
};

/// Everything that a random run is made from.
struct MixedRun {
    TestSettings settings;
    Storage storage;
    std::vector<MixedPair> pairs;
    uint32_t seed = 1; ///< decides when images are taken and freed
};

std::vector<MixedPair> random_pairs(uint32_t seed, int count);
/// Runs plain host pictures of the context's depth on the CPU.
std::vector<Row> run_plain(const MixedRun &run);
/// Runs on settings.device. Checks that each picture is released once, and on this thread.
std::vector<Row> run_mixed(const MixedRun &run);

/// A small generator whose numbers are the same everywhere.
class Numbers {
public:
    explicit Numbers(uint32_t seed) : state_(seed * 2654435761U + 1) {}
    int below(int limit)
    {
        state_ = state_ * 1664525U + 1013904223U;
        return static_cast<int>((state_ >> 8) % static_cast<uint32_t>(limit));
    }

private:
    uint32_t state_;
};

} // namespace vmafgpu
