// Messages by themselves, and collectives large enough that receivers read them where they lie.
#include <gtest/gtest.h>

#include <numeric>
#include <tutti/tutti.hpp>

#include "distributed/everywhere.hpp"
#include "run/transport.hpp"

namespace tutti {
namespace {

using run::Transport;

// Every second block of 2,048 numbers goes to the next process, which puts them in blocks of 512, every fourth.
TEST(Transport, RunsLandInOtherRuns) {
  if (process_count() == 1) GTEST_SKIP() << "one process";
  const int me = process_index(), n = process_count(), next = (me + 1) % n, last = (me + n - 1) % n;
  const Runs from{8192, 8192, 16384, 16}, to{2048, 2048, 8192, 64};
  ASSERT_EQ(from.bytes(), to.bytes());
  if (!run::transport()->takes_runs(next, from.bytes())) GTEST_SKIP() << "other processes' memory cannot be read";
  std::vector<std::int32_t> mine(16 * 4096 + 2048), got(64 * 2048 + 512, -1);
  for (int again = 0; again < 3; ++again) {
    std::iota(mine.begin(), mine.end(), 1000000 * me + again);
    const Transport::Outgoing out{next, reinterpret_cast<const char*>(mine.data()), from};
    const Transport::Incoming in{last, reinterpret_cast<char*>(got.data()), to};
    const Received before = run::transport()->received();
    run::transport()->start({&out, 1}, {&in, 1})->land("a test");
    std::fill(mine.begin(), mine.end(), 0);  // it is the sender's again
    EXPECT_EQ(run::transport()->received().bytes - before.bytes, from.bytes());
    int wrong = 0;
    for (int k = 0; k < 64 * 512; ++k) {
      const int place = 512 + k / 512 * 2048 + k % 512, number = 2048 + k / 2048 * 4096 + k % 2048;
      wrong += got[static_cast<std::size_t>(place)] != 1000000 * last + again + number;
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(std::count(got.begin(), got.end(), -1), static_cast<std::ptrdiff_t>(got.size()) - 64 * 512);
  }
}

// hostile-3, M2: what is not what was awaited is told, by whoever gets it, and is no error of MPI's own.
TEST(Transport, MessagesOfOtherSizesAreRefused) {
  if (process_count() == 1) GTEST_SKIP() << "one process";
  const int me = process_index(), n = process_count(), next = (me + 1) % n, last = (me + n - 1) % n;
  for (const auto& [sent, awaited] : {std::pair<std::int64_t, std::int64_t>{100, 64}, {64, 100}, {8, 100000}}) {
    SCOPED_TRACE(std::to_string(sent) + " for " + std::to_string(awaited));
    std::vector<char> mine(static_cast<std::size_t>(sent), 1), got(static_cast<std::size_t>(awaited), 2);
    const Transport::Outgoing out{next, mine.data(), Transport::dense(sent)};
    const Transport::Incoming in{last, got.data(), Transport::dense(awaited)};
    try {
      run::transport()->start({&out, 1}, {&in, 1}, 9)->land("a test");
      ADD_FAILURE() << "it landed";
    } catch (const DistributedError& e) {
      EXPECT_NE(std::string(e.what()).find("awaits " + std::to_string(awaited) + " bytes of process"),
                std::string::npos)
          << e.what();
    }
  }
  multihost::sync_global_devices("they go on");
}

// Messages of one pair on one channel are not mistaken for each other, in whatever order they are asked for.
TEST(Transport, ManyOnOneChannel) {
  if (process_count() == 1) GTEST_SKIP() << "one process";
  const int me = process_index(), n = process_count(), next = (me + 1) % n, last = (me + n - 1) % n;
  constexpr std::size_t kCount = 8;
  std::vector<std::vector<std::int32_t>> mine(kCount), got(kCount);
  std::vector<std::unique_ptr<Transport::Flight>> flights;
  for (std::size_t k = 0; k < kCount; ++k) {
    mine[k].assign(k % 2 ? 100 : 50000, static_cast<std::int32_t>(100 * static_cast<std::size_t>(me) + k));
    got[k].resize(mine[k].size());
    const Runs all = Transport::dense(static_cast<std::int64_t>(4 * mine[k].size()));
    const Transport::Outgoing out{next, reinterpret_cast<const char*>(mine[k].data()), all};
    const Transport::Incoming in{last, reinterpret_cast<char*>(got[k].data()), all};
    flights.push_back(run::transport()->start({&out, 1}, {&in, 1}, 7));
  }
  for (std::size_t k = kCount; k-- > 0;) flights[k]->land("a test");
  for (std::size_t k = 0; k < kCount; ++k)
    EXPECT_EQ(
        std::count(got[k].begin(), got[k].end(), static_cast<std::int32_t>(100 * static_cast<std::size_t>(last) + k)),
        static_cast<std::ptrdiff_t>(got[k].size()));
}

TEST(LargeBlocks, AreLaidOutAnew) {
  const Array host = arange(1024 * 4096).astype(float32).reshape(1024, 4096);
  const std::vector<float> want = host.to_vector<float>();
  const Mesh mesh = make_mesh({4, 2}, {"x", "y"});
  std::vector<P> specs{P(Names{"x", "y"}), P(none, Names{"x", "y"}), P("x", "y"), P("y", "x"), P()};
  for (const P& from : specs)
    for (const P& to : specs) {
      SCOPED_TRACE(from.str() + " to " + to.str());
      const NamedSharding at(mesh, to);
      const Array x = device_put(host, NamedSharding(mesh, from));
      EXPECT_TRUE(everywhere(jit([](const Array& v) { return v; }, {.out_shardings = at})(x)) == want);
    }
}

TEST(LargeBlocks, AreSummedAndGathered) {
  const Mesh mesh = make_mesh({8}, {"x"});
  const Array host = (arange(64 * 16384) % 97).astype(float32).reshape(64, 16384);
  const Array x = device_put(host, NamedSharding(mesh, P("x")));
  auto sums = jit(shard_map([](const Array& v) { return lax::psum(v, "x"); },
                            {.mesh = mesh, .in_specs = P("x"), .out_specs = P()}));
  EXPECT_TRUE(everywhere(sums(x)) == host.reshape(8, 8, 16384).sum(0).to_vector<float>());  // of whole numbers: exact
  const Array columns = device_put(host, NamedSharding(mesh, P(none, "x")));
  auto rows = jit(shard_map([](const Array& v) { return lax::all_gather(v, "x", {.axis = 1, .tiled = true}); },
                            {.mesh = mesh, .in_specs = P(none, "x"), .out_specs = P(), .check_vma = false}));
  EXPECT_TRUE(everywhere(rows(columns)) == host.to_vector<float>());
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
