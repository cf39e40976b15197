// SPDX-License-Identifier: BSD-2-Clause-Patent
// See view.h.
#include "view.h"

namespace nb = nanobind;

namespace vmafgpu_python {
namespace {

template <typename Get> nb::tuple tuple_of(size_t count, const Get &get)
{
    nb::list list;
    for (size_t i = 0; i < count; ++i)
        list.append(get(i));
    return nb::tuple(list);
}

} // namespace

View::View(nb::handle object)
{
    if (!nb::try_cast(object, array_, false))
        throw nb::type_error("not an array that DLPack or the buffer protocol describes");
}

nb::tuple View::shape() const
{
    return tuple_of(array_.ndim(), [this](size_t i) { return array_.shape(i); });
}

nb::tuple View::strides() const
{
    const int64_t bytes = array_.dtype().bits / 8;
    return tuple_of(array_.ndim(), [this, bytes](size_t i) { return array_.stride(i) * bytes; });
}

void bind_view(nb::module_ &module)
{
    nb::class_<View>(module, "View")
        .def(nb::init<nb::handle>())
        .def_prop_ro("address", &View::address)
        .def_prop_ro("shape", &View::shape)
        .def_prop_ro("strides", &View::strides)
        .def_prop_ro("kind", &View::kind)
        .def_prop_ro("bits", &View::bits);
}

} // namespace vmafgpu_python
