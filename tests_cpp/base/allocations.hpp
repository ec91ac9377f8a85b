#pragma once
// Counts what operator new is asked for by the calling thread, in this whole test program.

#include <cstddef>

namespace headrace::test {

std::size_t allocations();

}  // namespace headrace::test
