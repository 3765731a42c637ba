#include "growth/growth.hpp"

#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <ostream>

#include "base/effort.hpp"
#include "ir/passes.hpp"
#include "tutti/base/threads.hpp"

namespace {

std::atomic<std::int64_t> allocations{0}, live{0}, most{0};

void* counted(void* p) {
  if (!p) throw std::bad_alloc();
  allocations.fetch_add(1, std::memory_order_relaxed);
  const std::int64_t size = static_cast<std::int64_t>(malloc_usable_size(p));
  const std::int64_t now = live.fetch_add(size, std::memory_order_relaxed) + size;
  std::int64_t seen = most.load(std::memory_order_relaxed);
  while (now > seen && !most.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
  }
  return p;
}
void released(void* p) {
  if (p) live.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(p)), std::memory_order_relaxed);
  std::free(p);
}

}  // namespace

void* operator new(std::size_t n) { return counted(std::malloc(n ? n : 1)); }
void* operator new(std::size_t n, std::align_val_t a) {
  const auto align = static_cast<std::size_t>(a);
  return counted(std::aligned_alloc(align, (n + align) / align * align));
}
// Those without an exception and those of arrays too: a sanitizer brings its own forms of what is missing.
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return counted(std::malloc(n ? n : 1)); }
void* operator new[](std::size_t n) { return operator new(n); }
void* operator new[](std::size_t n, const std::nothrow_t& t) noexcept { return operator new(n, t); }
void operator delete[](void* p) noexcept { released(p); }
void operator delete[](void* p, std::size_t) noexcept { released(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { released(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { released(p); }
void operator delete(void* p) noexcept { released(p); }
void operator delete(void* p, std::size_t) noexcept { released(p); }
void operator delete(void* p, std::align_val_t) noexcept { released(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { released(p); }

namespace tutti::test {
namespace {

constexpr std::int64_t kFewBytes = 1 << 16;

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

Work work_of(const std::function<void()>& call) {
  const std::int64_t allocated = allocations, looked = effort, before = live;
  most = before;
  const double start = thread_seconds();
  call();
  const double seconds = thread_seconds() - start;
  return {allocations - allocated + effort - looked, most - before, seconds};
}

// Threads that compile beside each other hold more or less at a time, as it happens.
class OneThread {
 public:
  OneThread() { set_num_threads(1); }
  ~OneThread() { set_num_threads(before_); }
  OneThread(const OneThread&) = delete;

 private:
  int before_ = num_threads();
};

std::string name_of(const testing::TestParamInfo<Growth>& info) {
  std::string out = info.param.name;
  std::replace_if(
      out.begin(), out.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return out;
}

TEST_P(GrowthTest, TwiceTheSizeIsTwiceTheWork) {
  const OneThread alone;
  verification = false;  // of sanitizer builds: the work of passes is counted, not that of looking at their results
  Growth g = GetParam();
  if (const char* times = std::getenv("GROWTH_TIMES")) g.n *= std::atoi(times);  // to look at one by hand
  g.make(g.n / 2)();                                                             // what is made once in a process
  const Work once = work_of(g.make(g.n)), twice = work_of(g.make(2 * g.n));
  const auto text = [](const Work& w) {
    return std::to_string(w.steps) + " steps, " + std::to_string(w.peak) + " bytes, " + std::to_string(w.seconds) +
           " s";
  };
  const std::string both = text(once) + "; twice the size: " + text(twice);
  RecordProperty("work", both);
  if (std::getenv("GROWTH_TIMES")) std::printf("%s\n", both.c_str());
  EXPECT_LE(static_cast<double>(twice.steps), g.most * static_cast<double>(once.steps)) << both;
  EXPECT_LE(static_cast<double>(twice.peak), g.most_bytes * static_cast<double>(std::max(once.peak, kFewBytes)))
      << both;
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
