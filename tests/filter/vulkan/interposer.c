/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Stands before the Vulkan loader, as "libvulkan.so.1" in a folder of LD_LIBRARY_PATH, and
 * hands on to the one that VULKAN_LOADER names. It makes faults that a real driver has now and
 * then, as the environment asks:
 *   FAULT_PCI=DOMAIN:BUS:DEVICE.FUNCTION   the device has this PCI address
 *   FAULT_WITHOUT=NAME                     the device has no such extension
 *   FAULT_EXPORT=N                         the N-th export of memory fails, and all after it
 *   FAULT_MEMORY=N                         the N-th allocation of shared memory fails, likewise
 *   FAULT_LIE=1                            copies of images to shared buffers leave out a row
 *   FAULT_LOG=FILE                         counts of copies and exports, written in the end
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

static PFN_vkGetInstanceProcAddr next_of_instance;
static PFN_vkGetDeviceProcAddr next_of_device;
static PFN_vkGetPhysicalDeviceProperties2 next_properties;
static PFN_vkEnumerateDeviceExtensionProperties next_extensions;
static PFN_vkAllocateMemory next_allocate;
static PFN_vkGetMemoryFdKHR next_export;
static PFN_vkCmdCopyImageToBuffer next_copy;
static PFN_vkCreateBuffer next_create;
static int exports, allocations, copies;

/* Buffers of the filter. FFmpeg's downloads go to other buffers, and its images are shareable, too. */
static VkBuffer shared_buffers[64];
static int shared_count;
static int is_next_for_buffer; /* the next allocation of shared memory */

static const char *setting(const char *name)
{
    const char *text = getenv(name);

    return text && *text ? text : NULL;
}

/* Whether call number `count` fails. */
static int fails(const char *name, int count)
{
    const char *text = setting(name);

    return text && count >= atoi(text);
}

static const void *find(const void *chain, VkStructureType type)
{
    for (const VkBaseInStructure *s = chain; s; s = s->pNext)
        if (s->sType == type)
            return s;
    return NULL;
}

static VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice device,
                                             VkPhysicalDeviceProperties2 *out)
{
    const char *pci = setting("FAULT_PCI");
    VkPhysicalDevicePCIBusInfoPropertiesEXT *bus =
        (void *)(size_t)find(out->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT);
    unsigned part[4];

    next_properties(device, out);
    if (!pci || !bus || sscanf(pci, "%x:%x:%x.%x", &part[0], &part[1], &part[2], &part[3]) != 4)
        return;
    bus->pciDomain = part[0];
    bus->pciBus = part[1];
    bus->pciDevice = part[2];
    bus->pciFunction = part[3];
}

/* The real list without one extension, and with that of PCI addresses. */
static uint32_t change_list(VkExtensionProperties *list, uint32_t count)
{
    const char *without = setting("FAULT_WITHOUT");
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++)
        if (!without || strcmp(list[i].extensionName, without))
            list[kept++] = list[i];
    if (setting("FAULT_PCI")) {
        memset(&list[kept], 0, sizeof(*list));
        strcpy(list[kept].extensionName, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
        list[kept++].specVersion = 2;
    }
    return kept;
}

static VKAPI_ATTR VkResult VKAPI_CALL extensions(VkPhysicalDevice device, const char *layer,
                                                 uint32_t *count, VkExtensionProperties *out)
{
    static VkExtensionProperties list[1024];
    uint32_t all = 1023;
    VkResult result;

    if (layer)
        return next_extensions(device, layer, count, out);
    result = next_extensions(device, NULL, &all, list);
    all = change_list(list, all);
    if (out)
        memcpy(out, list, (*count < all ? *count : all) * sizeof(*list));
    *count = out && *count < all ? *count : all;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create(VkDevice device, const VkBufferCreateInfo *info,
                                             const VkAllocationCallbacks *alloc, VkBuffer *out)
{
    const VkExternalMemoryBufferCreateInfo *shared =
        find(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO);
    const VkResult result = next_create(device, info, alloc, out);

    if (result == VK_SUCCESS && shared_count < 64 && shared &&
        shared->handleTypes == VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT) {
        shared_buffers[shared_count++] = *out;
        is_next_for_buffer = 1;
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo *info,
                                               const VkAllocationCallbacks *alloc,
                                               VkDeviceMemory *out)
{
    if (find(info->pNext, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO) && is_next_for_buffer) {
        is_next_for_buffer = 0;
        if (fails("FAULT_MEMORY", ++allocations))
            return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    return next_allocate(device, info, alloc, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL export(VkDevice device, const VkMemoryGetFdInfoKHR *info,
                                             int *fd)
{
    return fails("FAULT_EXPORT", ++exports) ? VK_ERROR_TOO_MANY_OBJECTS
                                            : next_export(device, info, fd);
}

static VKAPI_ATTR void VKAPI_CALL copy(VkCommandBuffer commands, VkImage image,
                                       VkImageLayout layout, VkBuffer buffer, uint32_t count,
                                       const VkBufferImageCopy *regions)
{
    VkBufferImageCopy region = regions[0];

    for (int i = 0; i < shared_count; i++) {
        if (shared_buffers[i] != buffer)
            continue;
        copies++;
        if (setting("FAULT_LIE"))
            region.imageExtent.height--;
        next_copy(commands, image, layout, buffer, 1, &region);
        return;
    }
    next_copy(commands, image, layout, buffer, count, regions);
}

static PFN_vkVoidFunction of_device(VkDevice device, const char *name)
{
    const PFN_vkVoidFunction real = next_of_device(device, name);

#define WRAP(symbol, keep, mine)                                                                \
    if (real && !strcmp(name, symbol)) {                                                         \
        keep = (void *)real;                                                                     \
        return (PFN_vkVoidFunction)mine;                                                         \
    }
    WRAP("vkAllocateMemory", next_allocate, allocate)
    WRAP("vkGetMemoryFdKHR", next_export, export)
    WRAP("vkCmdCopyImageToBuffer", next_copy, copy)
    WRAP("vkCreateBuffer", next_create, create)
    return real;
}

static PFN_vkVoidFunction of_instance(VkInstance instance, const char *name)
{
    const PFN_vkVoidFunction real = next_of_instance(instance, name);

    WRAP("vkGetDeviceProcAddr", next_of_device, of_device)
    WRAP("vkGetPhysicalDeviceProperties2", next_properties, properties)
    WRAP("vkEnumerateDeviceExtensionProperties", next_extensions, extensions)
    return real;
}

__attribute__((visibility("default"))) PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance instance,
                                                                                const char *name)
{
    if (!next_of_instance) {
        void *loader = dlopen(setting("VULKAN_LOADER"), RTLD_NOW | RTLD_LOCAL);

        if (!loader) {
            fprintf(stderr, "interposer: VULKAN_LOADER: %s\n", dlerror());
            abort();
        }
        next_of_instance = (PFN_vkGetInstanceProcAddr)dlsym(loader, "vkGetInstanceProcAddr");
    }
    return of_instance(instance, name);
}

__attribute__((destructor)) static void tell(void)
{
    FILE *file = setting("FAULT_LOG") ? fopen(setting("FAULT_LOG"), "w") : NULL;

    if (!file)
        return;
    fprintf(file, "copies %d exports %d\n", copies, exports);
    fclose(file);
}
