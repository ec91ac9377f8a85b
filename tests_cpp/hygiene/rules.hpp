#pragma once
// The rules as functions from a file to its faults ("path:line: what is wrong"), so that each can be shown to find one.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "hygiene/source_tree.hpp"

namespace headrace::hygiene {

using Faults = std::vector<std::string>;

// Module -> modules whose headers it may include, besides its own (cpp/README.md has the same table for people).
const std::map<std::string, std::set<std::string>>& allowed_includes();
// base, expr, policy, model, jobs, core: time, chance and the outer world come in as arguments (design 1.1).
bool is_pure(const std::string& module);

Faults includes_against_the_order(const SourceFile&);
Faults includes_of_another_store(const SourceFile&);
Faults heavy_headers_in_a_header(const SourceFile&);
Faults impure_headers_in_a_pure_module(const SourceFile&);

}  // namespace headrace::hygiene
