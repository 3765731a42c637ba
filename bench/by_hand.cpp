#include "by_hand.hpp"

#include <fmt/format.h>
#include <immintrin.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace bench {
namespace {

// A turn is a number that grows. Whoever waits spins first: waking takes as long as a small case.
class Workers {
 public:
  Workers() {
    for (int i = 1; i < threads(); ++i) std::thread([this, i] { serve(i); }).detach();
  }
  void run(const std::function<void(int)>& work) {
    work_ = &work;
    left_ = threads() - 1;
    ++turn_;
    turn_.notify_all();
    work(0);
    while (left_ > 0) _mm_pause();
  }

 private:
  void serve(int i) {
    for (int seen = 0;; ++seen) {
      const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
      while (turn_ == seen && std::chrono::steady_clock::now() < until) _mm_pause();
      turn_.wait(seen);
      (*work_)(i);
      --left_;
    }
  }
  const std::function<void(int)>* work_ = nullptr;
  std::atomic<int> turn_ = 0, left_ = 0;
};

}  // namespace

int threads() {
  static const int n = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return n;
}
void on_all_threads(const std::function<void(int)>& work) {
  static Workers* const workers = new Workers;
  workers->run(work);
}
Range share(std::int64_t n, int i) { return {n * i / threads(), n * (i + 1) / threads()}; }

std::shared_ptr<void> large_pages(std::size_t bytes) {
  constexpr std::size_t kPage = std::size_t{2} << 20;
  const std::size_t size = (bytes + kPage - 1) / kPage * kPage;
  void* memory = std::aligned_alloc(kPage, size);
  if (!memory) throw std::bad_alloc();
  madvise(memory, size, MADV_HUGEPAGE);
  std::fill_n(static_cast<char*>(memory), size, 0);
  return {memory, std::free};
}

void check_same(const std::string& name, std::span<const float> got, const Array& want, double most) {
  const std::vector<float> values = want.astype(float32).to_vector<float>();
  if (values.size() != got.size()) throw std::runtime_error(name + " by hand has another size");
  double largest = 0, apart = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    largest = std::max<double>(largest, std::abs(values[i]));
    apart = std::max<double>(apart, std::abs(values[i] - got[i]));
  }
  if (!(apart <= most * largest)) throw std::runtime_error(fmt::format("{} by hand is {} apart", name, apart));
}

Case by_hand(std::string name, std::function<std::function<void(int)>(const Setup&)> make) {
  return {.name = std::move(name), .make = [make = std::move(make)](const Setup& s) -> Batch {
            return [once = make(s)](std::int64_t n) {
              for (std::int64_t i = 0; i < n; ++i) once(static_cast<int>(i & 1));
            };
          }};
}

std::vector<Case> all_by_hand() {
  std::vector<Case> all;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vl"))
    return all;
  for (auto list : {
           memory_by_hand,
           random_by_hand,
           statistics_by_hand,
           rows_by_hand,
           simulation_by_hand,
           loops_by_hand,
           libraries_by_hand,
#ifdef TUTTI_FFTW
           transforms_by_hand,
#endif
       }) {
    std::vector<Case> some = list();
    all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
  }
  return all;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
