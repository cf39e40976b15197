/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * What vmaf_gpu/_native.py cannot do by ctypes: callbacks that need no lock of Python, and loops
 * over samples. It reads this header as it reads those of the engine. */
#ifndef VMAF_GPU_PYTHON_HELPERS_H
#define VMAF_GPU_PYTHON_HELPERS_H

#include "vmaf_gpu/vmaf_gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What the callbacks of a context were told. They run on the thread of a call, which asks
 * afterwards: code of Python inside a callback would swallow Ctrl-C. */
typedef struct PythonNotes PythonNotes;

/** VmafGpuPicture.opaque. */
typedef struct PythonHeld {
    PythonNotes *notes;
    void *next; /**< PythonHeld, of those that were released */
} PythonHeld;

/** NULL: no memory. */
VMAFGPU_API PythonNotes *vmafgpu_python_notes(void);
VMAFGPU_API void vmafgpu_python_notes_free(PythonNotes *notes);

/** VmafGpuPicture.release. */
VMAFGPU_API void vmafgpu_python_release(void *held);
/** VmafGpuSettings.log, with the notes as log_opaque. */
VMAFGPU_API void vmafgpu_python_log(void *notes, int level, const char *text);

/** The next PythonHeld that was released; NULL: there is none. */
VMAFGPU_API void *vmafgpu_python_released(PythonNotes *notes);
/** The level of the next message, whose text is valid until the next call; -1: there is none. */
VMAFGPU_API int vmafgpu_python_message(PythonNotes *notes, const char **text);

/** All bits that samples of luma have, without the shift; of a picture on the host with more than 8
 * bits. */
VMAFGPU_API int vmafgpu_python_bits(const VmafGpuPicture *picture);

/** R'G'B' on the host. */
typedef struct PythonRgb {
    void *data;
    int64_t row, column, channel; /**< bytes from one to the next */
    int width, height, depth;
    int red, blue; /**< Kr and Kb in 1/10000 */
    int is_full_range;
} PythonRgb;

/** Y', Cb or Cr (plane 0, 1, 2), by the formula of docs/user/python.md. Returns the largest sample
 * that was read. */
VMAFGPU_API int vmafgpu_python_plane(const PythonRgb *rgb, int plane, void *out);

#ifdef __cplusplus
}
#endif

#endif
