// SPDX-License-Identifier: BSD-2-Clause-Patent
// Any bytes as the parts of a run, separated by a byte of zero: merged, or refused by one line.
// What was merged can be pooled and written in every format. It takes time and memory in proportion
// to the text.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bytes.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace {

/// A file without a name, for an interface that takes paths.
class MemoryFile {
public:
    MemoryFile(const char *data, size_t size) : descriptor_(memfd_create("part", MFD_CLOEXEC))
    {
        VMAFGPU_FUZZ_REQUIRE(descriptor_ >= 0 &&
                             write(descriptor_, data, size) == static_cast<ssize_t>(size));
    }
    ~MemoryFile() { close(descriptor_); }
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;

    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
    int descriptor_;
};

constexpr size_t kMostParts = 8;

void require_line(const VmafGpuError &error)
{
    VMAFGPU_FUZZ_REQUIRE(error.text[0] != '\0' && std::strchr(error.text, '\n') == nullptr);
}

void use(VmafGpuMerge *merge, size_t size)
{
    const int count = vmafgpu_merge_score_count(merge);
    VMAFGPU_FUZZ_REQUIRE(count > 0 && static_cast<size_t>(count) <= size);
    VMAFGPU_FUZZ_REQUIRE(vmafgpu_merge_compared(merge) >= 0);
    for (int i = 0; i < count; ++i)
        VMAFGPU_FUZZ_REQUIRE(vmafgpu_merge_score_name(merge, i) != nullptr);
    for (int i = 0; vmafgpu_merge_model_score(merge, i) >= 0; ++i)
        VMAFGPU_FUZZ_REQUIRE(vmafgpu_merge_model_score(merge, i) < count);
    double value, ends[2];
    vmafgpu_merge_mean_interval(merge, count - 1, ends);
    for (int pool = VMAFGPU_POOL_MIN; pool <= VMAFGPU_POOL_PERC20; ++pool)
        vmafgpu_merge_pooled(merge, count - 1, pool, &value);
    for (const char *format : {"json", "xml", "csv", "csv_strict", "sub", "html"}) {
        VmafGpuError error = {};
        VmafGpuLog log = {};
        log.path = "/dev/null";
        log.format = format;
        log.precision = VMAFGPU_PRECISION_MAX;
        const int status = vmafgpu_merge_write_log(merge, &log, &error);
        VMAFGPU_FUZZ_REQUIRE(status == 0 || status == -EINVAL);
        if (status < 0)
            require_line(error);
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const auto *text = reinterpret_cast<const char *>(data);
    std::vector<std::unique_ptr<MemoryFile>> files;
    std::vector<std::string> paths;
    for (size_t begin = 0; begin < size && files.size() < kMostParts;) {
        const void *zero = std::memchr(text + begin, 0, size - begin);
        const size_t end =
            zero == nullptr ? size : static_cast<size_t>(static_cast<const char *>(zero) - text);
        files.push_back(std::make_unique<MemoryFile>(text + begin, end - begin));
        paths.push_back(files.back()->path());
        begin = end + 1;
    }
    std::vector<const char *> parts;
    parts.reserve(paths.size());
    for (const std::string &path : paths)
        parts.push_back(path.c_str());
    VmafGpuMerge *merge = nullptr;
    VmafGpuError error = {};
    const int status =
        vmafgpu_merge_open(&merge, parts.data(), static_cast<int>(parts.size()), &error);
    VMAFGPU_FUZZ_REQUIRE((status == 0) == (merge != nullptr));
    if (status == 0)
        use(merge, size);
    else
        require_line(error);
    VMAFGPU_FUZZ_REQUIRE(status == 0 || status == -EINVAL || status == -EBADMSG);
    vmafgpu_merge_free(&merge);
    return 0;
}
