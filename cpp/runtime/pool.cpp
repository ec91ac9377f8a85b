#include "runtime/pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <system_error>

#include "runtime/patience.hpp"

namespace headrace::runtime {

namespace {
thread_local bool t_pool_thread = false;
}

// Outlives the pool as long as a stuck thread holds it.
struct Pool::Shared {
  std::mutex mutex;
  std::condition_variable work, left;
  std::deque<Task> tasks;
  std::atomic<std::size_t> queued{0};  // of `tasks`, for a look without the mutex
  std::list<std::thread> threads;
  std::vector<std::list<std::thread>::iterator> over;  // have left, to be joined
  int alive = 0;
  int busy = 0;
  int wanted = 0;
  int replaced = 0;
  bool stopping = false;
};

Pool::Pool(int threads, int max_replacements)
    : threads_wanted_(threads), max_replacements_(max_replacements), shared_(std::make_shared<Shared>()) {
  const std::lock_guard lock(shared_->mutex);
  shared_->wanted = threads;
  for (int i = 0; i < threads; ++i) spawn();
}

Pool::~Pool() { stop(); }

bool Pool::on_pool_thread() { return t_pool_thread; }

// With the mutex held.
void Pool::spawn() {
  for (const auto left : shared_->over) {
    left->join();
    shared_->threads.erase(left);
  }
  shared_->over.clear();
  const auto place = shared_->threads.emplace(shared_->threads.end());
  const auto work = [shared = shared_, place] {
    t_pool_thread = true;
    std::unique_lock lock(shared->mutex);
    for (;;) {
      if (shared->tasks.empty() && !shared->stopping && shared->alive <= shared->wanted) {
        lock.unlock();
        soon([&] { return shared->queued.load(std::memory_order_relaxed) > 0; });
        lock.lock();
      }
      shared->work.wait(lock, [&] { return shared->stopping || !shared->tasks.empty() || shared->alive > shared->wanted; });
      if (shared->stopping || shared->alive > shared->wanted) break;
      Task task = std::move(shared->tasks.front());
      shared->tasks.pop_front();
      shared->queued.store(shared->tasks.size(), std::memory_order_relaxed);
      ++shared->busy;
      lock.unlock();
      task();
      task = Task();
      lock.lock();
      --shared->busy;
    }
    --shared->alive;
    if (!shared->stopping) shared->over.push_back(place);
    shared->left.notify_all();
  };
  try {
    *place = std::thread(work);
  } catch (const std::system_error&) {
    shared_->threads.erase(place);
    throw;
  }
  ++shared_->alive;
}

bool Pool::post(Task task) {
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->stopping) return false;
    shared_->tasks.push_back(std::move(task));
    shared_->queued.store(shared_->tasks.size(), std::memory_order_relaxed);
  }
  shared_->work.notify_one();
  return true;
}

bool Pool::offer(Task task) {
  {
    const std::lock_guard lock(shared_->mutex);
    const int free = std::min(shared_->alive, shared_->wanted) - shared_->busy;
    if (shared_->stopping || free <= static_cast<int>(shared_->tasks.size())) return false;
    shared_->tasks.push_back(std::move(task));
    shared_->queued.store(shared_->tasks.size(), std::memory_order_relaxed);
  }
  shared_->work.notify_one();
  return true;
}

bool Pool::run_one() {
  Task task;
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->tasks.empty()) return false;
    task = std::move(shared_->tasks.front());
    shared_->tasks.pop_front();
    shared_->queued.store(shared_->tasks.size(), std::memory_order_relaxed);
  }
  task();
  return true;
}

bool Pool::replace_one() {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->stopping || shared_->replaced >= max_replacements_) return false;
  try {
    spawn();
  } catch (const std::system_error&) {  // the system has no thread left
    return false;
  }
  ++shared_->replaced;
  ++shared_->wanted;
  return true;
}

void Pool::replacement_over() {
  {
    const std::lock_guard lock(shared_->mutex);
    --shared_->replaced;
    --shared_->wanted;
  }
  shared_->work.notify_all();
}

int Pool::replacements() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->replaced;
}

void Pool::stop(int grace_ms) {
  std::list<std::thread> threads;
  std::deque<Task> dropped;
  {
    std::unique_lock lock(shared_->mutex);
    if (shared_->stopping) return;
    shared_->stopping = true;
    dropped.swap(shared_->tasks);
    shared_->work.notify_all();
    shared_->left.wait_for(lock, std::chrono::milliseconds(grace_ms), [&] { return shared_->alive == 0; });
    threads.swap(shared_->threads);
    const bool all_left = shared_->alive == 0;
    lock.unlock();
    for (std::thread& t : threads) {
      if (all_left) {
        t.join();
      } else {
        t.detach();  // stuck in host code; it holds what it needs
      }
    }
  }
}

}  // namespace headrace::runtime
