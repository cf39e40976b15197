// SPDX-License-Identifier: BSD-2-Clause-Patent
// The interface of what turns pairs into Sums: a thread pool (cpu_executor.h) or a Device
// (device_executor.h). The engine keeps the order of pairs and computes scores.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "picture/picture.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

class Feature;

/// A caller's picture that the engine owns. It is released exactly once, on the API thread,
/// when its last owner is destroyed.
class HeldPicture {
public:
    explicit HeldPicture(const VmafGpuPicture &picture) : picture_(picture) {}
    ~HeldPicture()
    {
        if (is_owned_ && picture_.release != nullptr)
            picture_.release(picture_.opaque);
    }
    HeldPicture(const HeldPicture &) = delete;
    HeldPicture &operator=(const HeldPicture &) = delete;

    const VmafGpuPicture &get() const { return picture_; }
    /// Takes the picture over; before that it belongs to the caller.
    void own() { is_owned_ = true; }

private:
    VmafGpuPicture picture_;
    bool is_owned_ = false;
};

/// A picture that an executor holds, for any number of pairs. Owned by the API's caller and by the
/// pairs in flight; destroyed on the API thread, before the executor.
class TakenImage {
public:
    TakenImage() = default;
    virtual ~TakenImage() = default;
    TakenImage(const TakenImage &) = delete;
    TakenImage &operator=(const TakenImage &) = delete;
};

/// The executor's data of a job (planes in use, events); freed with the job.
class JobState {
public:
    virtual ~JobState() = default;
};

/// A pair from submit to collect.
struct Job {
    int64_t index = 0;    ///< number since open or reset
    uint64_t tag = 0;     ///< the caller's number
    int64_t segment = 0;  ///< number of the segment
    int64_t position = 0; ///< position of the pair within its segment, from 0
    bool is_kept = true;  ///< if not, subsampling leaves the pair out; only temporal features run
    std::vector<uint64_t> sums; ///< ScorePlan::sums_bytes(), zeroed
    std::vector<double> scores; ///< set by the engine; empty: not yet computed
    std::unique_ptr<JobState> state;
    std::shared_ptr<TakenImage> images[2]; ///< main, reference: their sketches are to be looked at
};

class Executor {
public:
    virtual ~Executor() = default; ///< waits for all work in flight

    virtual const VmafGpuDevice &info() const = 0;

    /// Check that this executor accepts the picture (kind of memory); throws Error.
    virtual void check(const VmafGpuPicture & /*picture*/) const {}

    /// Take a picture as an image. wants_sketch: sketch() may be called. The caller then calls the
    /// picture's own(), or finish_reading() and gives the image up. This also releases pictures of
    /// earlier images that have been read.
    virtual std::shared_ptr<TakenImage> take(const std::shared_ptr<HeldPicture> &picture,
                                             bool wants_sketch) = 0;
    /// Wait until the image's picture is no longer read.
    virtual void finish_reading(TakenImage &image) noexcept = 0;
    /// kSketchBytes bytes that are valid as long as the image. May wait for the device.
    virtual const uint8_t *sketch(TakenImage &image) = 0;
    /// Samples that differ between two images, over all planes that a feature reads. Waits for
    /// both.
    virtual uint64_t count_differing(TakenImage &first, TakenImage &second) = 0;
    /// Start a pair of images that this executor has taken. The pairs of a segment come in order.
    virtual void submit(Job &job, const std::shared_ptr<TakenImage> &reference,
                        const std::shared_ptr<TakenImage> &distorted) = 0;
    /// Memory that an image takes.
    virtual uint64_t image_bytes() const = 0;
    /// Give back the memory of images that are gone, which is kept for later ones.
    virtual void trim() noexcept = 0;

    /// The next submit begins a new segment: forget earlier references.
    virtual void end_segment() = 0;

    /// Returns true if the job's Sums are complete. Never blocks. May issue pending work and
    /// release pictures.
    virtual bool is_done(Job &job) = 0;
    /// Returns true if it is known, without asking a driver or taking a lock, that wait() returns
    /// at once.
    virtual bool is_known_done(const Job &job) const = 0;
    /// Block until job's Sums are complete.
    virtual void wait(Job &job) = 0;

    /// Block until no work of the job is running, so that it can be destroyed without its Sums.
    virtual void wait_idle(Job &job) = 0;

    /// Seconds in which wait() and wait_idle() waited for features that a device leaves to the
    /// host, though the device had ended that job.
    virtual double host_seconds() const { return 0; }

    /// See Device::import_memory(), and, if is_vulkan, Device::import_vulkan(). Whatever is left is
    /// released with the executor.
    virtual void *import_memory(int fd, size_t bytes, bool is_vulkan) = 0;
    /// Throws Error(EINVAL) for memory that is not imported.
    virtual void release_import(void *memory) = 0;
};

} // namespace vmafgpu
