// Each rule finds a planted fault: a check that cannot fail is worth nothing.

#include "hygiene/rules.hpp"

#include <gtest/gtest.h>

using namespace headrace::hygiene;

TEST(IncludeLines, AreReadInEverySpelling) {
  const SourceFile file = parse_source(
      "cpp/core/a.cpp", "#include <vector>\n  #  include \"headrace/base/id.hpp\"  // why\n// #include <map>\nint x;\n");

  ASSERT_EQ(file.includes.size(), 2U);
  EXPECT_EQ(file.includes[0].target, "vector");
  EXPECT_FALSE(file.includes[0].quoted);
  EXPECT_EQ(file.includes[1].target, "headrace/base/id.hpp");
  EXPECT_EQ(file.at(file.includes[1].line), "cpp/core/a.cpp:2");
  EXPECT_EQ(file.lines.size(), 4U);
}

TEST(Modules, AreToldByTheFolderOfAPublicOrPrivateFile) {
  EXPECT_EQ(module_of("cpp/core/elements/a.cpp"), "core");
  EXPECT_EQ(module_of("cpp/include/headrace/jobs/job.hpp"), "jobs");
  EXPECT_EQ(module_of("tests_cpp/core/a.cpp"), "");
  EXPECT_EQ(module_named_by("headrace/jobs/job.hpp"), "jobs");
  EXPECT_EQ(module_named_by("jobs/private.hpp"), "jobs");
  EXPECT_EQ(module_named_by("sys/time.h"), "");
  EXPECT_EQ(module_named_by("linker.hpp"), "");
}

TEST(IncludeOrderRule, FindsAnIncludeThatPointsUpwards) {
  EXPECT_EQ(includes_against_the_order(parse_source("cpp/jobs/a.cpp", "#include \"headrace/core/step.hpp\"\n")),
            (Faults{"cpp/jobs/a.cpp:1: 'jobs' may not include 'headrace/core/step.hpp'"}));
  EXPECT_EQ(includes_against_the_order(parse_source("cpp/jobs/a.cpp", "#include \"core/moves/moves.hpp\"\n")).size(), 1U);
  EXPECT_EQ(includes_against_the_order(parse_source("cpp/jobs/a.cpp", "#include \"../base/civil.hpp\"\n")).size(), 1U);
  EXPECT_EQ(includes_against_the_order(parse_source("cpp/surprise/a.cpp", "")).size(), 1U);
}

TEST(IncludeOrderRule, AllowsTheModulesBelowAndFilesBeside) {
  const char* text =
      "#include \"headrace/jobs/job.hpp\"\n#include \"headrace/policy/policy.hpp\"\n#include \"table_due.hpp\"\n#include <map>\n";

  EXPECT_EQ(includes_against_the_order(parse_source("cpp/jobs/a.cpp", text)), Faults{});
}

TEST(StoreRule, FindsAStoreThatIncludesAnother) {
  EXPECT_EQ(includes_of_another_store(parse_source("cpp/store/sqlite/a.cpp", "#include \"store/memory/rows.hpp\"\n")).size(), 1U);
  EXPECT_EQ(
      includes_of_another_store(parse_source("cpp/store/sqlite/a.cpp", "#include \"headrace/store/memory/memory.hpp\"\n")).size(),
      1U);
  EXPECT_EQ(includes_of_another_store(parse_source("cpp/store/sqlite/a.cpp",
                                                   "#include \"store/sqlite/b.hpp\"\n#include \"headrace/store/store.hpp\"\n")),
            Faults{});
}

TEST(HeavyHeaderRule, FindsAHeavyHeaderInAHeaderOnly) {
  for (const char* heavy : {"nlohmann/json.hpp", "spdlog/spdlog.h", "boost/asio.hpp", "gmock/gmock.h", "iostream", "regex",
                            "functional", "sstream", "pybind11/pybind11.h"}) {
    const std::string line = std::string("#include <") + heavy + ">\n";
    EXPECT_EQ(heavy_headers_in_a_header(parse_source("cpp/include/headrace/base/a.hpp", line)).size(), 1U) << heavy;
    EXPECT_EQ(heavy_headers_in_a_header(parse_source("cpp/base/a.cpp", line)), Faults{}) << heavy;
  }
}

TEST(HeavyHeaderRule, AllowsPybind11InPrivateHeadersOfTheBindings) {
  const char* line = "#include <pybind11/pybind11.h>\n";

  EXPECT_EQ(heavy_headers_in_a_header(parse_source("cpp/bindings/bind.hpp", line)), Faults{});
  EXPECT_EQ(heavy_headers_in_a_header(parse_source("cpp/include/headrace/bindings/bind.hpp", line)).size(), 1U);
}

TEST(PurityRule, FindsTheOuterWorldInAPureModule) {
  for (const char* impure : {"thread", "mutex", "condition_variable", "chrono", "random", "iostream", "fstream", "filesystem"}) {
    const std::string line = std::string("#include <") + impure + ">\n";
    EXPECT_EQ(impure_headers_in_a_pure_module(parse_source("cpp/core/a.cpp", line)).size(), 1U) << impure;
    EXPECT_EQ(impure_headers_in_a_pure_module(parse_source("cpp/runtime/a.cpp", line)), Faults{}) << impure;
  }
}
