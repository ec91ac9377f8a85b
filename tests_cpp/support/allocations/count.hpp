#pragma once
// Counts what the calling thread asks the heap for. A program that links headrace_test_allocations counts from its start.

#include <cstddef>

namespace headrace::test {

std::size_t allocations();

}  // namespace headrace::test
