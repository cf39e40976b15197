// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the header of a feature needs to declare its forms. Device compilers read those headers, so
// this has pictures, kernels and names only. feature_of.h says which functions a form has.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/kernel.h"
#include "picture/picture.h"

namespace vmafgpu {

class Queue;
class ThreadPool;
struct BatchView;
struct FeatureInfo;

} // namespace vmafgpu
