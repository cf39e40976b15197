// SPDX-License-Identifier: BSD-2-Clause-Patent
// See image_fixture.h.
#include "image_fixture.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/numeric.h"
#include "gpu/backends.h"

namespace vmafgpu {

std::vector<std::string> image_devices()
{
    std::vector<std::string> list = test_devices();
    list.insert(list.begin(), "cpu");
    return list;
}

PictureMemory::PictureMemory(const std::string &device)
{
    const size_t colon = device.find(':');
    DeviceRequest request;
    request.self_test = false;
    if (colon != std::string::npos)
        request.selector = device.substr(colon + 1);
    for (const Backend &backend : backends())
        if (device.substr(0, colon) == backend.name)
            device_ = backend.open(request);
    if (device_ != nullptr)
        queue_ = device_->make_queue();
}

void PictureMemory::finish() const
{
    const auto event = device_->make_event();
    queue_->record(*event);
    event->sync();
}

MadePicture::MadePicture(const Format &format, int depth, const Layout &layout, int frame,
                         bool is_distorted, const PictureMemory *memory, bool is_promoted)
    : memory_(memory != nullptr && memory->device() != nullptr ? memory : nullptr)
{
    for (int p = 0; p < (format.chroma == Chroma::k400 ? 1 : 3); ++p) {
        Image image = make_image(format.plane_width(p), format.plane_height(p), depth,
                                 frame + 50 * p, is_distorted);
        if (is_promoted)
            image = promoted(image, format.depth);
        Layout own = layout;
        if (p == 0 && layout.has_plain_luma)
            own.step = 0;
        if (layout.is_held) // rows of whole items
            own.padding += -format.plane_width(p) * format.sample_bytes() & 15;
        planes_[p] = std::make_unique<StoredPicture>(image, own);
        const VmafGpuPlane plane = planes_[p]->picture.plane[0];
        if (p == 0) {
            picture = planes_[0]->picture;
            luma = image;
        }
        picture.plane[p] = plane;
        if (memory_ != nullptr)
            move_to_device(plane, p);
    }
    if (memory_ != nullptr)
        picture.memory = VMAFGPU_MEMORY_DEVICE;
    picture.flags = memory_ != nullptr && layout.is_held ? VMAFGPU_PICTURE_HOLD : 0;
    picture.opaque = this;
    picture.release = [](void *opaque) {
        auto *self = static_cast<MadePicture *>(opaque);
        ++self->releases;
        self->was_released_elsewhere |= std::this_thread::get_id() != self->thread_;
        self->spoil(); // whoever reads it after this gets wrong scores
    };
}

MadePicture::~MadePicture()
{
    for (const OnDevice &piece : on_device_)
        memory_->device()->free(piece.data);
}

/// Copies a plane to device memory as it lies, at the same offset within 16 bytes.
void MadePicture::move_to_device(const VmafGpuPlane &from, int plane)
{
    const int height = planes_[plane]->picture.height;
    const int sample = luma.depth > 8 ? 2 : 1;
    const size_t row = static_cast<size_t>(from.step == 0 ? sample : from.step) *
                           static_cast<size_t>(planes_[plane]->picture.width - 1) +
                       static_cast<size_t>(sample);
    const auto *top = static_cast<const char *>(from.data);
    const char *low = std::min(top, top + from.pitch * (height - 1));
    const size_t bytes =
        static_cast<size_t>(std::abs(from.pitch)) * static_cast<size_t>(height - 1) + row;
    const size_t offset = reinterpret_cast<uintptr_t>(low) % 16;
    const size_t size = round_up(bytes + offset, size_t{16}); // the last row, too
    char *data = static_cast<char *>(memory_->device()->alloc(size));
    on_device_.push_back({data, size});
    memory_->queue().upload(data + offset, low, bytes);
    memory_->finish(); // the context's queues do not wait for this one
    picture.plane[plane].data = data + offset + (top - low);
}

void MadePicture::spoil()
{
    for (const auto &plane : planes_)
        if (plane != nullptr)
            plane->scribble();
    if (memory_ == nullptr)
        return;
    for (const OnDevice &piece : on_device_)
        memory_->queue().fill(piece.data, 0x55, piece.bytes);
    memory_->finish();
}

Taken::Taken(TestContext &context, const MadePicture &made, int flags) : context_(context)
{
    EXPECT_EQ(0, vmafgpu_image_take(context.get(), &made.picture, flags, &image_))
        << vmafgpu_error_text(context.get());
}

std::vector<MixedPair> random_pairs(uint32_t seed, int count)
{
    Numbers numbers(seed);
    std::vector<MixedPair> pairs;
    int frame = 0;
    for (int i = 0; i < count; ++i) {
        MixedPair pair = {frame, frame, numbers.below(3) != 0, numbers.below(9) == 0};
        if (numbers.below(5) == 0) // a reference that is held
            pair.reference = std::max(0, frame - 1);
        if (numbers.below(7) == 0)
            pair.distorted = std::max(0, frame - numbers.below(3));
        pairs.push_back(pair);
        frame += numbers.below(3);
    }
    return pairs;
}

namespace {

Format format_of(const MixedRun &run)
{
    return {run.settings.width, run.settings.height, run.settings.depth,
            static_cast<Chroma>(run.settings.chroma)};
}

/// A run in progress: pictures live until the context is closed.
class Runner {
public:
    Runner(const MixedRun &run, bool is_plain)
        : run_(run), is_plain_(is_plain), memory_(run.settings.device), context_(run.settings),
          numbers_(run.seed)
    {
        EXPECT_EQ(0, context_.status) << context_.error.text;
    }

    std::vector<Row> rows()
    {
        for (size_t i = 0; i < run_.pairs.size() && !testing::Test::HasFailure(); ++i)
            submit(run_.pairs[i], i);
        EXPECT_EQ(0, vmafgpu_flush(context_.get()));
        EXPECT_EQ(-ENODATA, collect_all(context_.get(), rows_));
        free_images(1);
        context_.close();
        for (const auto &made : pictures_) {
            EXPECT_EQ(made->releases, 1);
            EXPECT_FALSE(made->was_released_elsewhere);
        }
        return rows_;
    }

private:
    MadePicture &make(int frame, bool is_distorted)
    {
        const Storage &storage = run_.storage;
        const bool is_on_device =
            is_distorted ? storage.is_distorted_on_device : storage.is_on_device;
        const bool is_odd = is_distorted == (run_.seed % 2 == 0);
        const bool has_layout = storage.layout.is_held || (is_odd && numbers_.below(4) != 0);
        pictures_.push_back(std::make_unique<MadePicture>(
            format_of(run_), is_odd ? storage.depth : run_.settings.depth,
            has_layout && !is_plain_ ? storage.layout : Layout(), frame, is_distorted,
            is_on_device && !is_plain_ ? &memory_ : nullptr, is_plain_));
        return *pictures_.back();
    }

    VmafGpuImage *image(int frame, bool is_distorted)
    {
        VmafGpuImage *&image = images_[is_distorted ? 1 : 0][frame];
        if (image == nullptr) {
            EXPECT_EQ(0,
                      vmafgpu_image_take(context_.get(), &make(frame, is_distorted).picture,
                                         numbers_.below(2) == 0 ? VMAFGPU_IMAGE_SKETCH : 0, &image))
                << vmafgpu_error_text(context_.get());
        }
        return image;
    }

    void free_images(int one_of)
    {
        for (auto &list : images_)
            for (auto &[frame, image] : list)
                if (numbers_.below(one_of) == 0)
                    vmafgpu_image_free(context_.get(), &image);
    }

    void submit(const MixedPair &pair, size_t number)
    {
        int status = 0;
        const auto tag = static_cast<uint64_t>(number);
        if (pair.is_of_images) {
            // Some are taken ahead, as a caller that looks ahead does.
            if (numbers_.below(3) == 0)
                image(pair.reference + 1, false);
            VmafGpuImage *reference = image(pair.reference, false);
            VmafGpuImage *distorted = image(pair.distorted, true);
            while ((status = vmafgpu_submit_images(context_.get(), reference, distorted, tag)) ==
                   -EAGAIN)
                collect();
            if (numbers_.below(2) == 0)
                free_images(1 + numbers_.below(3));
        } else {
            const MadePicture &reference = make(pair.reference, false);
            const MadePicture &distorted = make(pair.distorted, true);
            while ((status = vmafgpu_submit(context_.get(), &reference.picture, &distorted.picture,
                                            tag)) == -EAGAIN)
                collect();
        }
        EXPECT_EQ(0, status) << vmafgpu_error_text(context_.get());
        if (pair.flush_after) {
            EXPECT_EQ(0, vmafgpu_flush(context_.get()));
        }
    }

    void collect()
    {
        VmafGpuResult result;
        ASSERT_EQ(0, vmafgpu_collect(context_.get(), &result, 1));
        rows_.push_back(row_of(result));
    }

    const MixedRun &run_;
    const bool is_plain_;
    PictureMemory memory_;
    std::vector<std::unique_ptr<MadePicture>> pictures_;
    TestContext context_;
    Numbers numbers_;
    std::map<int, VmafGpuImage *> images_[2];
    std::vector<Row> rows_;
};

} // namespace

std::vector<Row> run_plain(const MixedRun &run)
{
    MixedRun plain = run;
    for (MixedPair &pair : plain.pairs)
        pair.is_of_images = false;
    plain.settings.device = "cpu";
    return Runner(plain, true).rows();
}

std::vector<Row> run_mixed(const MixedRun &run)
{
    return Runner(run, false).rows();
}

} // namespace vmafgpu
