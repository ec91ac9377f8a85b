// The rules over the checkout.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "hygiene/rules.hpp"

using namespace headrace::hygiene;

namespace {

const std::vector<SourceFile>& code() {
  static const std::vector<SourceFile> files = sources_below("cpp");
  return files;
}

template <class Rule>
Faults all_faults(Rule rule) {
  Faults faults;
  for (const SourceFile& file : code()) {
    const Faults some = rule(file);
    faults.insert(faults.end(), some.begin(), some.end());
  }
  return faults;
}

// The words of each headrace_module(name DEPS …) of cpp/CMakeLists.txt, without LINK and what follows.
std::map<std::string, std::set<std::string>> modules_of_the_build() {
  std::ifstream in(root() / "cpp" / "CMakeLists.txt");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  std::map<std::string, std::set<std::string>> modules;
  const std::string call = "headrace_module(";
  for (std::size_t at = text.find(call); at != std::string::npos; at = text.find(call, at + 1)) {
    const std::size_t end = text.find(')', at);
    std::string inside = text.substr(at + call.size(), end - at - call.size());
    std::vector<std::string> words;
    for (std::size_t i = 0; i < inside.size();) {
      const std::size_t stop = std::min(inside.find_first_of(" \n", i), inside.size());
      if (stop > i) words.push_back(inside.substr(i, stop - i));
      i = stop + 1;
    }
    auto& deps = modules[words.at(0)];
    for (std::size_t i = 1; i < words.size() && words[i] != "LINK" && words[i] != "EXCLUDE"; ++i) {
      if (words[i] != "DEPS") deps.insert(words[i]);
    }
  }
  return modules;
}

}  // namespace

TEST(Checkout, IsFound) { ASSERT_GT(code().size(), 100U) << "expected the sources under " << root(); }

TEST(Checkout, IncludesOnlyModulesBelow) { EXPECT_EQ(all_faults(includes_against_the_order), Faults{}); }

TEST(Checkout, HasNoStoreThatKnowsAnother) { EXPECT_EQ(all_faults(includes_of_another_store), Faults{}); }

TEST(Checkout, HasNoHeavyHeaderInAHeader) { EXPECT_EQ(all_faults(heavy_headers_in_a_header), Faults{}); }

TEST(Checkout, KeepsThePureModulesPure) { EXPECT_EQ(all_faults(impure_headers_in_a_pure_module), Faults{}); }

TEST(Checkout, IncludesSpdlogInOneSourceFile) {
  Faults users;
  for (const SourceFile& file : code()) {
    const bool uses = std::any_of(file.includes.begin(), file.includes.end(),
                                  [](const Include& i) { return i.target.rfind("spdlog/", 0) == 0; });
    if (uses) users.push_back(file.path);
  }

  EXPECT_EQ(users, (Faults{"cpp/observe/spdlog_recorder.cpp"})) << "spdlog costs eight seconds a file";
}

TEST(Checkout, BuildsEachModuleWithNothingButTheModulesBelow) {
  const auto modules = modules_of_the_build();
  ASSERT_GE(modules.size(), 11U);
  for (const auto& [name, deps] : modules) {
    ASSERT_EQ(allowed_includes().count(name), 1U) << name;
    for (const std::string& dep : deps) EXPECT_EQ(allowed_includes().at(name).count(dep), 1U) << name << " links " << dep;
  }
}

TEST(Checkout, HasPragmaOnceInEveryHeader) {
  Faults missing;
  for (const SourceFile& file : code()) {
    if (file.is_header() && std::find(file.lines.begin(), file.lines.end(), "#pragma once") == file.lines.end())
      missing.push_back(file.path);
  }

  EXPECT_EQ(missing, Faults{});
}

TEST(Checkout, HasNoSourceOfMoreThanSixHundredLines) {
  Faults long_ones;
  for (const char* folder : {"cpp", "tests_cpp"}) {
    for (const SourceFile& file : sources_below(folder)) {
      if (file.lines.size() > 600) long_ones.push_back(file.path + ": " + std::to_string(file.lines.size()) + " lines");
    }
  }

  EXPECT_EQ(long_ones, Faults{});
}
