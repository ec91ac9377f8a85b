#include "headrace/observe/prometheus.hpp"

#include <gtest/gtest.h>

#include <limits>

using namespace headrace;
using namespace headrace::observe;

namespace {

std::string error_of(const Result<std::string>& result) { return result.ok() ? "" : result.error().message; }

}  // namespace

TEST(PrometheusText, WritesHelpTypeAndSamplesOfEachFamily) {
  const auto text = prometheus_text({
      {"headrace_jobs", "Jobs by topic and state.", MetricKind::Gauge, {{{{"topic", "a"}, {"state", "queued"}}, 3}}},
      {"headrace_commits_total", "Commits.", MetricKind::Counter, {{{}, 12345678}}},
  });

  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_EQ(*text,
            "# HELP headrace_jobs Jobs by topic and state.\n"
            "# TYPE headrace_jobs gauge\n"
            "headrace_jobs{topic=\"a\",state=\"queued\"} 3\n"
            "# HELP headrace_commits_total Commits.\n"
            "# TYPE headrace_commits_total counter\n"
            "headrace_commits_total 12345678\n");
}

TEST(PrometheusText, EscapesLabelValuesAndHelp) {
  const auto text =
      prometheus_text({{"m", "one\\two\n\"three\"", MetricKind::Gauge, {{{{"topic", "a\"b\\c\nd\xFF\xC3\xA9"}}, 1}}}});

  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text,
            "# HELP m one\\\\two\\n\"three\"\n"
            "# TYPE m gauge\n"
            "m{topic=\"a\\\"b\\\\c\\nd\xEF\xBF\xBD\xC3\xA9\"} 1\n");
}

TEST(PrometheusText, WritesNumbersAsTheFormatHasThem) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const auto text = prometheus_text({{"m",
                                      "h",
                                      MetricKind::Gauge,
                                      {{{{"n", "1"}}, 0.5},
                                       {{{"n", "2"}}, kInf},
                                       {{{"n", "3"}}, -kInf},
                                       {{{"n", "4"}}, std::numeric_limits<double>::quiet_NaN()},
                                       {{{"n", "5"}}, 9007199254740993.0}}}});

  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text,
            "# HELP m h\n# TYPE m gauge\nm{n=\"1\"} 0.5\nm{n=\"2\"} +Inf\nm{n=\"3\"} -Inf\nm{n=\"4\"} NaN\nm{n=\"5\"} "
            "9007199254740992\n");
}

TEST(PrometheusText, KeepsAFamilyWithoutSamplesFindable) {
  EXPECT_EQ(*prometheus_text({{"m", "h", MetricKind::Counter, {}}}), "# HELP m h\n# TYPE m counter\n");
}

TEST(PrometheusText, RefusesNamesThatTheFormatDoesNotKnow) {
  for (const char* name : {"", "1a", "a-b", "a b", "\xC3\xA9"}) {
    EXPECT_NE(error_of(prometheus_text({{name, "h", MetricKind::Gauge, {}}})), "") << name;
  }
  for (const char* label : {"", "1a", "a:b", "__name__"}) {
    EXPECT_NE(error_of(prometheus_text({{"m", "h", MetricKind::Gauge, {{{{label, "x"}}, 1}}}})), "") << label;
  }
  EXPECT_EQ(error_of(prometheus_text({{"a:b_1", "h", MetricKind::Gauge, {{{{"_x1", "x"}}, 1}}}})), "");
}

TEST(PrometheusText, RefusesWhatStandsTwice) {
  const Family family{"m", "h", MetricKind::Gauge, {{{{"a", "1"}}, 1}}};
  Family twice = family;
  twice.samples.push_back(family.samples.front());

  EXPECT_EQ(error_of(prometheus_text({family, family})), "expected the metric 'm' once, found it twice");
  EXPECT_EQ(error_of(prometheus_text({twice})), "expected one sample of 'm' with the labels '{a=\"1\"}', found two");
  EXPECT_EQ(error_of(prometheus_text({{"m", "h", MetricKind::Gauge, {{{{"a", "1"}, {"a", "2"}}, 1}}}})),
            "expected label 'a' once in a sample of 'm', found it twice");
}
