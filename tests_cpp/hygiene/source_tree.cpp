#include "hygiene/source_tree.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

#include "hygiene/rules.hpp"

namespace headrace::hygiene {

namespace {

std::string part(std::string_view path, std::size_t index) {
  for (; index > 0; --index) {
    const std::size_t slash = path.find('/');
    if (slash == std::string_view::npos) return {};
    path.remove_prefix(slash + 1);
  }
  const std::size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

void parse_include(const std::string& line, int number, std::vector<Include>& out) {
  std::string_view rest = line;
  const auto skip_blanks = [&] { rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size())); };
  skip_blanks();
  if (!rest.starts_with('#')) return;
  rest.remove_prefix(1);
  skip_blanks();
  if (!rest.starts_with("include")) return;
  rest.remove_prefix(7);
  skip_blanks();
  if (rest.empty() || (rest.front() != '"' && rest.front() != '<')) return;
  const bool quoted = rest.front() == '"';
  rest.remove_prefix(1);
  const std::size_t end = rest.find(quoted ? '"' : '>');
  if (end != std::string_view::npos) out.push_back({std::string(rest.substr(0, end)), quoted, number});
}

}  // namespace

std::filesystem::path root() { return HEADRACE_SOURCE_DIR; }

std::string module_of(const std::string& path) {
  if (part(path, 0) != "cpp") return {};
  return part(path, 1) == "include" ? part(path, 3) : part(path, 1);
}

std::string module_named_by(const std::string& include) {
  const std::string first = part(include, 0);
  const std::string name = first == "headrace" ? part(include, 1) : first;
  return allowed_includes().count(name) != 0 ? name : std::string();
}

SourceFile parse_source(std::string path, const std::string& text) {
  SourceFile file;
  file.module = module_of(path);
  file.path = std::move(path);
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    file.lines.push_back(text.substr(begin, end - begin));
    parse_include(file.lines.back(), static_cast<int>(file.lines.size()), file.includes);
    begin = end + 1;
  }
  return file;
}

std::vector<SourceFile> sources_below(const std::string& folder) {
  std::vector<SourceFile> files;
  if (!std::filesystem::exists(root() / folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root() / folder)) {
    const std::string extension = entry.path().extension().string();
    if (!entry.is_regular_file() || (extension != ".cpp" && extension != ".hpp" && extension != ".h")) continue;
    std::ifstream in(entry.path());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    files.push_back(parse_source(std::filesystem::relative(entry.path(), root()).generic_string(), text));
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace headrace::hygiene
