// SPDX-License-Identifier: BSD-2-Clause-Patent
// Parses device selectors, and ranks devices. The functions of the backends call it. The engine
// splits "backend:selector".
#include "device/select.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/error.h"

namespace vmafgpu {

namespace {

bool all_of(const std::string &text, const char *allowed)
{
    return !text.empty() && text.find_first_not_of(allowed) == std::string::npos;
}

bool parse_hex(const std::string &text, unsigned max, unsigned &out)
{
    if (!all_of(text, "0123456789abcdefABCDEF") || text.size() > 8)
        return false;
    const unsigned long value = std::stoul(text, nullptr, 16);
    out = static_cast<unsigned>(value);
    return value <= max;
}

bool is_better(const FoundDevice &a, const FoundDevice &b)
{
    if (a.is_integrated != b.is_integrated)
        return b.is_integrated;
    return a.multiprocessors > b.multiprocessors;
}

std::string list_of(const std::vector<VmafGpuDevice> &devices)
{
    std::string text;
    for (size_t i = 0; i < devices.size(); ++i) {
        text += (i ? ", " : "") + std::to_string(i) + " = " + devices[i].name;
        if (devices[i].pci_id[0])
            text += std::string(" at ") + devices[i].pci_id;
    }
    return text.empty() ? "there is none" : "there are: " + text;
}

} // namespace

void rank_devices(std::vector<FoundDevice> &devices)
{
    std::stable_sort(devices.begin(), devices.end(), is_better);
}

int best_device(const std::vector<FoundDevice> &devices, const std::vector<std::string> &except)
{
    const FoundDevice *first = nullptr;
    const FoundDevice *best = nullptr;
    for (const FoundDevice &device : devices) {
        if (std::find(except.begin(), except.end(), device.info.selector) != except.end())
            continue;
        first = first == nullptr ? &device : first;
        if (device.why_not.empty() && (best == nullptr || is_better(device, *best)))
            best = &device;
    }
    const FoundDevice *chosen = best == nullptr ? first : best;
    return chosen == nullptr ? -1 : static_cast<int>(chosen - devices.data());
}

std::vector<VmafGpuDevice> infos_of(const std::vector<FoundDevice> &devices)
{
    std::vector<VmafGpuDevice> infos;
    infos.reserve(devices.size());
    for (const FoundDevice &device : devices)
        infos.push_back(device.info);
    return infos;
}

std::vector<VmafGpuDevice> usable_devices(const std::vector<FoundDevice> &devices)
{
    std::vector<VmafGpuDevice> usable;
    for (const FoundDevice &device : devices)
        if (device.why_not.empty())
            usable.push_back(device.info);
    return usable;
}

std::string canonical_pci_id(const std::string &text)
{
    // [domain:]bus:device.function
    const size_t dot = text.rfind('.');
    const size_t colon = text.rfind(':');
    if (dot == std::string::npos || colon == std::string::npos || dot < colon)
        return "";
    const size_t first = text.find(':');
    const std::string domain_text = first == colon ? "0" : text.substr(0, first);
    const size_t bus_at = first == colon ? 0 : first + 1;
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned device = 0;
    unsigned function = 0;
    if (!parse_hex(domain_text, 0xffff, domain) ||
        !parse_hex(text.substr(bus_at, colon - bus_at), 0xff, bus) ||
        !parse_hex(text.substr(colon + 1, dot - colon - 1), 0x1f, device) ||
        !parse_hex(text.substr(dot + 1), 7, function))
        return "";
    char out[32];
    std::snprintf(out, sizeof(out), "%04x:%02x:%02x.%x", domain, bus, device, function);
    return out;
}

int select_device(const std::string &backend, const std::string &selector,
                  const std::vector<VmafGpuDevice> &devices)
{
    if (selector.empty()) {
        if (devices.empty())
            throw Error(ENODEV, "no " + backend + " device");
        return 0;
    }
    const bool is_ordinal = all_of(selector, "0123456789");
    const std::string pci_id = canonical_pci_id(selector);
    if (!is_ordinal && pci_id.empty()) {
        throw Error(EINVAL, "'" + selector + "' names no " + backend +
                                " device: expected a number (" + backend + ":0) or a PCI id (" +
                                backend + ":0000:41:00.0)");
    }
    for (size_t i = 0; i < devices.size(); ++i) {
        // Leading zeros apart, so that no number is too long to be compared.
        const size_t zeros = selector.find_first_not_of('0');
        const std::string digits = zeros == std::string::npos ? "0" : selector.substr(zeros);
        if (is_ordinal ? digits == std::to_string(i)
                       : canonical_pci_id(devices[i].pci_id) == pci_id)
            return static_cast<int>(i);
    }
    throw Error(ENODEV, "no device " + backend + ":" + selector + "; " + list_of(devices));
}

} // namespace vmafgpu
