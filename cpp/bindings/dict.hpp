#pragma once
// Builds a dict from C++ values; the first failure sticks and is answered by take().

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "py.hpp"

namespace headrace::bindings {

class Dict {
 public:
  Dict() : dict_(Ref::steal(PyDict_New())) {}
  // Steals `value`; null means that making it failed.
  Dict& put(const char* key, PyObject* value) {
    const Ref owned = Ref::steal(value);
    if (dict_ && (!owned || PyDict_SetItemString(dict_.get(), key, owned.get()) < 0)) dict_ = Ref();
    return *this;
  }
  Dict& text(const char* key, std::string_view s) { return put(key, bindings::text(s).release()); }
  Dict& number(const char* key, std::uint64_t n) { return put(key, PyLong_FromUnsignedLongLong(n)); }
  Dict& boolean(const char* key, bool b) { return put(key, PyBool_FromLong(b ? 1 : 0)); }
  PyObject* take() { return dict_.release(); }

 private:
  Ref dict_;
};

// A list of what `make` gives for each item; null as soon as one fails.
template <class Items, class Make>
PyObject* list_of(const Items& items, Make make) {
  Ref list = Ref::steal(PyList_New(0));
  for (const auto& item : items) {
    const Ref one = Ref::steal(list ? make(item) : nullptr);
    if (!one || PyList_Append(list.get(), one.get()) < 0) return nullptr;
  }
  return list.release();
}

}  // namespace headrace::bindings
