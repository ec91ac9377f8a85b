#include <bit>
#include <cstring>

#include "convert.hpp"
#include "times.hpp"

namespace headrace::bindings {

namespace {

template <class T>
T take(std::string_view& in) {
  static_assert(std::endian::native == std::endian::little);
  T n;
  std::memcpy(&n, in.data(), sizeof n);
  in.remove_prefix(sizeof n);
  return n;
}

std::string_view take_counted(std::string_view& in) {
  const std::size_t size = take<std::uint32_t>(in);
  const std::string_view bytes = in.substr(0, size);
  in.remove_prefix(size);
  return bytes;
}

PyObject* new_text(std::string_view s) { return PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), nullptr); }

// Takes one value off the front. Nesting is at most codec::kMaxDepth, so the recursion is bounded.
PyObject* read(std::string_view& in);

PyObject* read_list(std::string_view& in) {
  take<std::uint32_t>(in);
  const std::uint32_t count = take<std::uint32_t>(in);
  Ref list = Ref::steal(PyList_New(count));
  for (std::uint32_t i = 0; list && i < count; ++i) {
    PyObject* item = read(in);
    if (item == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), i, item);
  }
  return list.release();
}

PyObject* read_map(std::string_view& in) {
  take<std::uint32_t>(in);
  const std::uint32_t count = take<std::uint32_t>(in);
  Ref dict = Ref::steal(PyDict_New());
  for (std::uint32_t i = 0; dict && i < count; ++i) {
    const Ref key = Ref::steal(new_text(take_counted(in)));
    const Ref value = Ref::steal(key ? read(in) : nullptr);
    if (!value || PyDict_SetItem(dict.get(), key.get(), value.get()) < 0) return nullptr;
  }
  return dict.release();
}

PyObject* read(std::string_view& in) {
  const auto tag = static_cast<codec::Tag>(take<char>(in));
  switch (tag) {
    case codec::Tag::Null:
      Py_RETURN_NONE;
    case codec::Tag::False:
      Py_RETURN_FALSE;
    case codec::Tag::True:
      Py_RETURN_TRUE;
    case codec::Tag::Int:
      return PyLong_FromLongLong(take<std::int64_t>(in));
    case codec::Tag::Double:
      return PyFloat_FromDouble(take<double>(in));
    case codec::Tag::String:
      return new_text(take_counted(in));
    case codec::Tag::Bytes: {
      const std::string_view bytes = take_counted(in);
      return PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size()));
    }
    case codec::Tag::DateTime:
      return datetime_of({take<std::int64_t>(in)});
    case codec::Tag::List:
      return read_list(in);
    case codec::Tag::Map:
      return read_map(in);
  }
  PyErr_SetString(PyExc_SystemError, "expected an encoded value, but found another tag");
  return nullptr;
}

}  // namespace

PyObject* decode(std::string_view one) { return read(one); }

PyObject* dict_of(const VariableBlock& block) {
  Ref dict = Ref::steal(PyDict_New());
  for (std::uint32_t i = 0; dict && i < block.size(); ++i) {
    const Variable& v = block.at(i);
    const Ref key = Ref::steal(new_text(v.name()));
    const Ref value = Ref::steal(key ? decode(v.encoded()) : nullptr);
    if (!value || PyDict_SetItem(dict.get(), key.get(), value.get()) < 0) return nullptr;
  }
  return dict.release();
}

PyObject* object_of(const Value& value) {
  std::string bytes;
  codec::encode(value, bytes);
  return decode(bytes);
}

}  // namespace headrace::bindings
