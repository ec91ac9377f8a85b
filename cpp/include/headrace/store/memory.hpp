#pragma once
// The in-memory store. By default instances live in the engine alone and a commit only says yes: nothing survives the process.
// With `keep_state` it keeps the encoded state of each root and checks sequences as a durable store does. Safe from any thread;
// answers at once.

#include <memory>

#include "headrace/store/store.hpp"

namespace headrace::store {

struct MemoryOptions {
  bool keep_state = false;
};
std::shared_ptr<Store> make_memory_store(MemoryOptions = {});

}  // namespace headrace::store
