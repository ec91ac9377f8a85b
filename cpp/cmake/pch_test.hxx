// Precompiled for the tests when HEADRACE_PCH is on, as pch_std.hxx for the modules.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>
