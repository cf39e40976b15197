/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * CUDA's driver for FFmpeg: the engine's stand-in, which STANDIN names, and what FFmpeg's frames
 * need besides. FFmpeg wants all functions that its headers know. functions.h has FORWARD(name) for
 * those of the stand-in, STUB(name) for the others, which nobody calls.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ffnvcodec/dynlink_cuda.h>

/* Integers and addresses: each has a register or a place on the stack of its own. */
typedef int Function(long, long, long, long, long, long, long, long, long, long, long);

#define FORWARD(name)                                                                              \
    static Function *to_##name;                                                                    \
    int name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j,       \
             long k)                                                                               \
    {                                                                                              \
        return to_##name(a, b, c, d, e, f, g, h, i, j, k);                                         \
    }
#define STUB(name)                                                                                 \
    int name(void)                                                                                 \
    {                                                                                              \
        return 801; /* not supported */                                                            \
    }
#include "functions.h"

static int (*get_attribute)(int *value, int attribute, int device);
static int (*synchronize)(void *stream);

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    enum { TEXTURE_ALIGNMENT = 14 };

    if (attribute != TEXTURE_ALIGNMENT)
        return get_attribute(value, attribute, device);
    *value = 512;
    return 0;
}

static char *place(CUmemorytype type, void *host, CUdeviceptr device, size_t x, size_t y,
                   size_t pitch)
{
    return (type == CU_MEMORYTYPE_HOST ? (char *)host : (char *)device) + y * pitch + x;
}

int cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, void *stream)
{
    const char *from = place(copy->srcMemoryType, (void *)copy->srcHost, copy->srcDevice,
                             copy->srcXInBytes, copy->srcY, copy->srcPitch);
    char *to = place(copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstXInBytes,
                     copy->dstY, copy->dstPitch);

    synchronize(stream);
    for (size_t y = 0; y < copy->Height; y++)
        memcpy(to + y * copy->dstPitch, from + y * copy->srcPitch, copy->WidthInBytes);
    return 0;
}

__attribute__((constructor)) static void find_functions(void)
{
    void *standin = dlopen(getenv("STANDIN"), RTLD_NOW | RTLD_LOCAL);

    if (!standin) {
        fprintf(stderr, "%s\n", dlerror());
        abort();
    }
#undef FORWARD
#undef STUB
#define FORWARD(name) to_##name = (Function *)dlsym(standin, #name);
#define STUB(name)
#include "functions.h"
    get_attribute = (int (*)(int *, int, int))dlsym(standin, "cuDeviceGetAttribute");
    synchronize = (int (*)(void *))dlsym(standin, "cuStreamSynchronize");
}
