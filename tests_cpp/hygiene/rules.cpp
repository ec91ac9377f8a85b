#include "hygiene/rules.hpp"

#include <algorithm>

namespace headrace::hygiene {

namespace {

std::set<std::string> plus(std::set<std::string> set, std::initializer_list<const char*> more) {
  set.insert(more.begin(), more.end());
  return set;
}

template <class Test>
Faults faults_of(const SourceFile& file, const char* what, Test is_fault) {
  Faults faults;
  for (const Include& include : file.includes) {
    if (is_fault(include.target))
      faults.push_back(file.at(include.line) + ": '" + file.module + "' " + what + " '" + include.target + "'");
  }
  return faults;
}

// store/<folder>/… of an include or a path; "" for the ports themselves.
std::string store_folder(const std::string& path) {
  const std::size_t at = path.rfind("store/", 0) == 0                ? 6
                         : path.find("/store/") == std::string::npos ? path.size()
                                                                     : path.find("/store/") + 7;
  const std::size_t slash = path.find('/', at);
  return at >= path.size() || slash == std::string::npos ? std::string() : path.substr(at, slash - at);
}

}  // namespace

const std::map<std::string, std::set<std::string>>& allowed_includes() {
  static const std::map<std::string, std::set<std::string>> table = [] {
    std::map<std::string, std::set<std::string>> t;
    t["base"] = {};
    t["expr"] = {"base"};
    t["policy"] = {"base", "expr"};
    t["model"] = {"base", "expr", "policy"};
    t["jobs"] = {"base", "policy"};
    t["core"] = {"base", "expr", "model", "policy", "jobs"};
    t["store"] = {"base", "jobs", "core"};
    t["observe"] = {"base", "jobs", "core"};
    t["runtime"] = plus(t["core"], {"core", "store", "observe"});
    t["xml"] = {"base", "expr", "policy", "model"};
    t["engine"] = plus(t["runtime"], {"runtime", "xml"});
    t["bench"] = plus(t["engine"], {"engine"});
    t["bindings"] = plus(t["bench"], {"bench"});
    return t;
  }();
  return table;
}

bool is_pure(const std::string& module) {
  static const std::set<std::string> pure = {"base", "expr", "policy", "model", "jobs", "core"};
  return pure.count(module) != 0;
}

Faults includes_against_the_order(const SourceFile& file) {
  const auto allowed = allowed_includes().find(file.module);
  if (allowed == allowed_includes().end()) return {file.path + ": '" + file.module + "' is no module of allowed_includes()"};
  return faults_of(file, "may not include", [&](const std::string& target) {
    const std::string module = module_named_by(target);
    return target.find("../") != std::string::npos ||
           (!module.empty() && module != file.module && allowed->second.count(module) == 0);
  });
}

Faults includes_of_another_store(const SourceFile& file) {
  if (file.module != "store" || store_folder(file.path).empty()) return {};
  return faults_of(file, "includes another store:", [&](const std::string& target) {
    const std::string folder = store_folder(target);
    return !folder.empty() && folder != store_folder(file.path);
  });
}

Faults heavy_headers_in_a_header(const SourceFile& file) {
  if (!file.is_header()) return {};
  static const std::set<std::string> heavy = {"iostream", "regex", "functional", "sstream", "nlohmann/json.hpp"};
  return faults_of(file, "has a heavy header in a header:", [&](const std::string& target) {
    const auto below = [&](const char* folder) { return target.rfind(folder, 0) == 0; };
    if (below("pybind11/")) return file.module != "bindings" || file.path.find("/include/") != std::string::npos;
    return heavy.count(target) != 0 || below("spdlog/") || below("fmt/") || below("boost/") || below("gmock/");
  });
}

Faults impure_headers_in_a_pure_module(const SourceFile& file) {
  static const std::set<std::string> impure = {"thread", "mutex",   "shared_mutex", "condition_variable", "future",  "chrono",
                                               "ctime",  "time.h",  "random",       "iostream",           "fstream", "filesystem",
                                               "latch",  "barrier", "semaphore",    "stop_token"};
  if (!is_pure(file.module)) return {};
  return faults_of(file, "is pure and may not include", [&](const std::string& target) {
    return impure.count(target) != 0 || target.rfind("spdlog/", 0) == 0 || target.rfind("pybind11/", 0) == 0;
  });
}

}  // namespace headrace::hygiene
