#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "convert.hpp"
#include "errors.hpp"
#include "times.hpp"

namespace headrace::bindings {

namespace {

// Where the walk stands: a chain on the stack, made into text only for a refusal.
struct Place {
  const Place* outer;
  PyObject* container;  // borrowed: what this place lies in
  PyObject* key;        // borrowed; null: `index` counts
  Py_ssize_t index;
  int depth;
};

void append_path(const Place* p, std::string_view root, std::string& out) {
  if (p == nullptr) {
    out += root;
    return;
  }
  append_path(p->outer, root, out);
  if (p->key == nullptr) {
    out += '[' + std::to_string(p->index) + ']';
    return;
  }
  const Ref escaped = Ref::steal(PyUnicode_AsEncodedString(p->key, "utf-8", "backslashreplace"));
  if (!escaped) PyErr_Clear();
  out += '.';
  out += escaped ? std::string_view(PyBytes_AS_STRING(escaped.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(escaped.get())))
                 : std::string_view("?");
}

class Encoder {
 public:
  Encoder(codec::Writer& out, std::string_view root) : out_(out), root_(root), start_(out.out().size()) {}

  bool walk(PyObject* o, const Place* at) {
    if (PyUnicode_CheckExact(o)) return string(o, at);
    if (PyLong_CheckExact(o)) return integer(o, at);
    if (PyFloat_CheckExact(o)) return real(o, at);
    if (o == Py_None) return out_.null(), true;
    if (PyBool_Check(o)) return out_.boolean(o == Py_True), true;
    if (PyDict_Check(o)) return dict(o, at);
    if (PyList_Check(o) || PyTuple_Check(o)) return sequence(o, at);
    return rare(o, at);
  }

 private:
  bool refuse(const Place* at, const std::string& found) {
    std::string message = "expected JSON values, bytes or aware datetimes, but found " + found + " at ";
    append_path(at, root_, message);
    raise_validation(message);
    return false;
  }
  // The limit holds for a whole payload, so a structure that refers to itself in breadth ends here too.
  bool fits(std::size_t more, const Place* at) {
    if (out_.out().size() - start_ + more <= codec::kMaxPayload) return true;
    std::string message =
        "expected a payload of at most " + std::to_string(codec::kMaxPayload) + " bytes, but it is longer; passed at ";
    append_path(at, root_, message);
    raise_validation(message);
    return false;
  }
  bool string(PyObject* o, const Place* at) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(o, &size);
    if (data == nullptr) {
      PyErr_Clear();
      return refuse(at, "text with a lone surrogate");
    }
    if (!fits(static_cast<std::size_t>(size) + 5, at)) return false;
    out_.string({data, static_cast<std::size_t>(size)});
    return true;
  }
  bool integer(PyObject* o, const Place* at) {
    int overflow = 0;
    const long long n = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow != 0) return refuse(at, "an int that does not fit 64 bits");
    if (n == -1 && PyErr_Occurred() != nullptr) return false;
    out_.integer(n);
    return fits(0, at);
  }
  bool real(PyObject* o, const Place* at) {
    const double d = PyFloat_AS_DOUBLE(o);
    if (!std::isfinite(d)) return refuse(at, std::isnan(d) ? "NaN" : "an infinite float");
    out_.real(d);
    return fits(0, at);
  }
  bool enter(PyObject* o, const Place* at) {
    if (at == nullptr || at->depth < codec::kMaxDepth) return true;
    for (const Place* p = at; p != nullptr; p = p->outer) {
      if (p->container == o) return refuse(at, "a value that contains itself");
    }
    return refuse(at, "nesting deeper than " + std::to_string(codec::kMaxDepth));
  }
  static int below(const Place* at) { return at == nullptr ? 1 : at->depth + 1; }

  bool dict(PyObject* o, const Place* at) {
    if (!enter(o, at)) return false;
    const std::size_t mark = out_.begin_map();
    std::uint32_t count = 0;
    bool subclassed = false;
    Py_ssize_t pos = 0;
    PyObject* k = nullptr;
    PyObject* v = nullptr;
    while (PyDict_Next(o, &pos, &k, &v) != 0) {
      // utcoffset() of a datetime deep inside may change the dict under us.
      const Ref key = Ref::borrow(k);
      const Ref value = Ref::borrow(v);
      const Place here{at, o, k, 0, below(at)};
      if (!PyUnicode_Check(k)) return refuse_key(k, at);
      subclassed = subclassed || !PyUnicode_CheckExact(k);
      Py_ssize_t size = 0;
      const char* data = PyUnicode_AsUTF8AndSize(k, &size);
      if (data == nullptr) {
        PyErr_Clear();
        return refuse(&here, "a key with a lone surrogate");
      }
      if (!fits(static_cast<std::size_t>(size) + 4, &here)) return false;
      out_.key({data, static_cast<std::size_t>(size)});
      if (!walk(v, &here)) return false;
      ++count;
    }
    out_.end(mark, count);
    return !subclassed || unique(mark, at);
  }
  bool refuse_key(PyObject* k, const Place* at) {
    return refuse(at, std::string("a key of type ") + Py_TYPE(k)->tp_name + " (keys are str)");
  }
  // Subclasses of str may hash as they like: the same key twice would not be one map.
  bool unique(std::size_t mark, const Place* at) {
    std::vector<std::string_view> keys;
    codec::MapCursor cursor(std::string_view(out_.out()).substr(mark - 1));
    for (std::string_view key, value; cursor.next(key, value);) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    return std::adjacent_find(keys.begin(), keys.end()) == keys.end() || refuse(at, "the same key twice");
  }

  bool sequence(PyObject* o, const Place* at) {
    if (!enter(o, at)) return false;
    const std::size_t mark = out_.begin_list();
    std::uint32_t count = 0;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i, ++count) {
      const Ref item = Ref::borrow(PySequence_Fast_GET_ITEM(o, i));
      const Place here{at, o, nullptr, i, below(at)};
      if (!walk(item.get(), &here)) return false;
    }
    out_.end(mark, count);
    return fits(0, at);
  }
  bool rare(PyObject* o, const Place* at) {
    if (PyBytes_Check(o)) {
      const auto size = static_cast<std::size_t>(PyBytes_GET_SIZE(o));
      if (!fits(size + 5, at)) return false;
      out_.bytes({PyBytes_AS_STRING(o), size});
      return true;
    }
    if (PyUnicode_Check(o)) return string(o, at);
    if (PyLong_Check(o)) return integer(o, at);
    if (PyFloat_Check(o)) return real(o, at);
    if (is_datetime(o)) {
      Instant t;
      const DateTimeRead read = read_datetime(o, t);
      if (read == DateTimeRead::Raised) return false;
      if (read == DateTimeRead::Naive) return refuse(at, "a datetime without a time zone");
      out_.datetime(t);
      return fits(0, at);
    }
    return refuse(at, std::string("a value of type ") + Py_TYPE(o)->tp_name);
  }

  codec::Writer& out_;
  std::string_view root_;
  std::size_t start_;
};

}  // namespace

bool encode(PyObject* o, codec::Writer& out, std::string_view root) { return Encoder(out, root).walk(o, nullptr); }

bool block_of(PyObject* dict, std::string_view root, VariableBlock& out) {
  if (dict == nullptr || dict == Py_None) {
    out = VariableBlock();
    return true;
  }
  if (!PyDict_Check(dict)) {
    raise_validation("expected " + std::string(root) + " to be a dict, but found " + Py_TYPE(dict)->tp_name);
    return false;
  }
  // Not shared between calls: a utcoffset() on the way may come back here on the same thread.
  codec::Writer writer;
  writer.out().reserve(256);
  if (!encode(dict, writer, root)) return false;
  out = VariableBlock::from_payload(writer.take());
  return true;
}

bool value_of(PyObject* o, std::string_view root, Value& out) {
  codec::Writer writer;
  if (!encode(o, writer, root)) return false;
  out = codec::decode(writer.out());
  return true;
}

}  // namespace headrace::bindings
