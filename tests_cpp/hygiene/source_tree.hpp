#pragma once
// The source files of the checkout as lines, for the tests of this folder.

#include <filesystem>
#include <string>
#include <vector>

namespace headrace::hygiene {

struct Include {
  std::string target;  // what stands between the quotes or angle brackets
  bool quoted = false;
  int line = 0;
};

struct SourceFile {
  std::string path;    // from the checkout's root, "/" between the parts
  std::string module;  // "base", "core", … for files under cpp/ and public headers; "" for others
  std::vector<std::string> lines;
  std::vector<Include> includes;
  bool is_header() const { return path.ends_with(".hpp") || path.ends_with(".h"); }
  std::string at(int line) const { return path + ":" + std::to_string(line); }
};

std::filesystem::path root();
// All .cpp, .hpp and .h files below a folder of the root, in path order; none when the folder is not there.
std::vector<SourceFile> sources_below(const std::string& folder);
// The file's module: cpp/<module>/… and cpp/include/headrace/<module>/….
std::string module_of(const std::string& path);
// The module that an include names: "headrace/<module>/…" or "<module>/…"; "" for system headers and files beside the including
// one.
std::string module_named_by(const std::string& include);
SourceFile parse_source(std::string path, const std::string& text);

}  // namespace headrace::hygiene
