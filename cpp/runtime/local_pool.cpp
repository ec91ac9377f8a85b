#include "local_pool.hpp"

#include <algorithm>
#include <exception>

namespace headrace::runtime {
namespace {

// How long a pool thread sleeps at most before it looks whether the pool is being stopped.
constexpr Duration kSlice = Duration::millis(50);

}  // namespace

void LocalPool::add(const Topic& topic, LocalDispatcher::Handler handler, int parallelism, const WorkerId& worker) {
  const std::lock_guard lock(mutex_);
  auto e = std::make_shared<Entry>();
  e->request.worker = worker;
  e->request.topics = {topic};
  e->handler = std::move(handler);
  e->parallelism = std::max(1, parallelism);
  entries_.push_back(e);
  if (running_) spawn(e);
}

void LocalPool::start() {
  const std::lock_guard lock(mutex_);
  if (running_) return;
  running_ = true;
  for (const auto& e : entries_) spawn(e);
}

void LocalPool::spawn(const std::shared_ptr<Entry>& e) {
  for (int i = 0; i < e->parallelism; ++i) threads_.emplace_back([this, e] { work(e); });
}

void LocalPool::stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    threads.swap(threads_);
  }
  for (std::thread& t : threads) t.join();
  const std::lock_guard lock(mutex_);
  running_ = stopping_ = false;
}

std::shared_ptr<FetchWaiter> LocalPool::next_fetch(const Entry& e) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return nullptr;
  }
  Result<std::shared_ptr<FetchWaiter>> w = queue_.start_fetch(e.request);
  return w ? std::move(*w) : nullptr;
}

void LocalPool::work(const std::shared_ptr<Entry>& e) {
  while (const std::shared_ptr<FetchWaiter> waiter = next_fetch(*e)) {
    const auto stopping = [this] {
      const std::lock_guard lock(mutex_);
      return stopping_;
    };
    while (!waiter->wait(kSlice) && !stopping()) {
    }
    if (stopping()) return waiter->cancel();  // what was handed over goes back at no cost
    const Result<std::vector<jobs::LockedJob>> found = waiter->take();
    if (!found) return;
    for (const jobs::LockedJob& j : *found) run(*e, j);
  }
}

void LocalPool::run(const Entry& e, const jobs::LockedJob& job) {
  jobs::Report report = jobs::ReportComplete{};
  try {
    report = e.handler->handle(job);
  } catch (const std::exception& error) {
    jobs::ReportFail fail;
    fail.failure.message = error.what();
    report = std::move(fail);
  }
  const jobs::ReportTarget target{job.job.key, job.worker, job.epoch};
  // a refusal has nobody to go to: the job was cancelled, or it stays locked until its lock runs out; the record says which
  static_cast<void>(core_->report(target, std::move(report)));
}

std::size_t LocalPool::run_once() {
  std::vector<std::shared_ptr<Entry>> entries;
  {
    const std::lock_guard lock(mutex_);
    entries = entries_;
  }
  std::size_t ran = 0;
  for (const auto& e : entries) {
    jobs::FetchRequest request = e->request;
    request.max_jobs = e->parallelism;
    const auto found = core_->fetch(request, Duration{});
    if (!found) continue;
    for (const jobs::LockedJob& j : *found) run(*e, j);
    ran += found->size();
  }
  return ran;
}

}  // namespace headrace::runtime
