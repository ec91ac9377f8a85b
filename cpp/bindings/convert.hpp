#pragma once
// Python objects <-> encoded values (design 3: what JSON holds, plus int exact to 64 bits, bytes, aware datetime). What does not
// fit is refused with its path, such as `variables.order.lines[3]`. All need the GIL; encoding runs no Python code but
// utcoffset() of a datetime.

#include <string_view>

#include "headrace/base/codec.hpp"
#include "headrace/base/value.hpp"
#include "headrace/base/variables.hpp"
#include "py.hpp"

namespace headrace::bindings {

// Appends the encoding of `o`; false with a ValidationError. `root` begins the path ("variables").
bool encode(PyObject* o, codec::Writer& out, std::string_view root);
// A dict (None: no entries) as a block; false with a ValidationError, also when it is no dict.
bool block_of(PyObject* dict, std::string_view root, VariableBlock& out);
bool value_of(PyObject* o, std::string_view root, Value& out);

// A new object, null with a Python error. The bytes are well-formed.
PyObject* decode(std::string_view one);
PyObject* dict_of(const VariableBlock&);
PyObject* object_of(const Value&);

}  // namespace headrace::bindings
