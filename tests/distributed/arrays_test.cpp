// Global arrays of which each process holds a part: what lies where, how it is read, and how it moves.
#include <gtest/gtest.h>

#include <tutti/tutti.hpp>

#include "distributed/everywhere.hpp"

namespace tutti {
namespace {

Array counted(const Shape& shape) { return arange(shape.num_elements()).astype(float32).reshape(shape); }

TEST(Arrays, DevicesAreDealtOutInRuns) {
  EXPECT_EQ(device_count(), 8);
  const int holders = std::min(8, process_count());
  EXPECT_EQ(static_cast<int>(local_devices().size()), 8 / holders);
  for (const Device& d : local_devices()) EXPECT_EQ(d.process_index(), process_index());
  if (process_count() > 1) {
    EXPECT_THROW(set_cpu_devices(3 * process_count() + 1), ValueError);
  }
}

TEST(Arrays, EveryShardingGivesEachProcessItsPart) {
  const Array host = counted({8, 16});
  for (const Mesh& mesh : {make_mesh({4, 2}, {"x", "y"}), make_mesh({2, 4}, {"x", "y"}), make_mesh({8, 1}, {"x", "y"})})
    for (const P& spec :
         {P("x", "y"), P("x"), P(none, "x"), P("y"), P(none, "y"), P("y", "x"), P(), P(none, Names{"x", "y"})}) {
      SCOPED_TRACE(mesh.str() + " " + spec.str());
      const Array x = device_put(host, NamedSharding(mesh, spec));
      EXPECT_EQ(everywhere(x), host.to_vector<float>());
      // Each shard holds what its index says.
      for (const Shard& s : x.addressable_shards()) {
        EXPECT_EQ(s.device.process_index(), process_index());
        std::vector<float> want;
        for (std::int64_t i = s.index[0].first; i < s.index[0].second; ++i)
          for (std::int64_t j = s.index[1].first; j < s.index[1].second; ++j)
            want.push_back(static_cast<float>(i * 16 + j));
        EXPECT_EQ(s.data().to_vector<float>(), want) << s.device.str();
      }
    }
}

TEST(Arrays, EveryShardingIsReachedFromEveryOther) {
  const Mesh a = make_mesh({4, 2}, {"x", "y"}), b = make_mesh({8}, {"z"}), c = make_mesh({2, 2, 2}, {"i", "j", "k"});
  std::vector<Sharding> all;
  for (const P& spec : {P("x", "y"), P("x"), P(none, "x"), P("y", "x"), P(), P(Names{"x", "y"})})
    all.push_back(NamedSharding(a, spec));
  for (const P& spec : {P("z"), P(none, "z")}) all.push_back(NamedSharding(b, spec));
  all.push_back(NamedSharding(c, P(Names{"i", "j"}, "k")));
  all.push_back(SingleDeviceSharding(devices()[0]));
  const std::vector<Device> d = devices();
  all.push_back(NamedSharding(Mesh({d.rbegin(), d.rend()}, {8}, {"z"}), P(none, "z")));
  all.push_back(NamedSharding(Mesh({d[0], d[4], d[1], d[5], d[2], d[6], d[3], d[7]}, {4, 2}, {"x", "y"}), P("x", "y")));
  for (const Array& host : {counted({8, 16}), counted({6, 5})})
    for (const Sharding& from : all)
      for (const Sharding& to : all) {
        SCOPED_TRACE(host.shape().str() + " " + from.str() + " to " + to.str());
        const Array moved = device_put(device_put(host, from), to);
        EXPECT_EQ(moved.sharding(), to);
        EXPECT_EQ(everywhere(moved), host.to_vector<float>());
      }
}

// Six rows over an axis of 4 are 2, 2, 2 and none; over two axes of 2 they are 2, 1, 2, 1.
TEST(Arrays, BlocksOfDifferentSizesStayOnTheirMesh) {
  const Mesh a = make_mesh({4, 2}, {"x", "y"}), c = make_mesh({2, 2, 2}, {"i", "j", "k"});
  const Array host = counted({6}), x = device_put(host, NamedSharding(c, P(Names{"i", "j"})));
  auto f = jit([](const Array& v) { return v * 2.f; }, {.out_shardings = NamedSharding(a, P("x"))});
  if (process_count() >= 4)
    EXPECT_THROW((void)f(x), UnsupportedError);
  else
    EXPECT_EQ(everywhere(f(x)), (host * 2.f).to_vector<float>());
}

TEST(Arrays, APartIsNoWholeAndSaysSo) {
  const Mesh mesh = make_mesh({8}, {"x"});
  const Array x = device_put(counted({16}), NamedSharding(mesh, P("x")));
  EXPECT_EQ(x.is_fully_addressable(), process_count() == 1);
  if (process_count() == 1) return;
  try {
    (void)x.to_vector<float>();
    FAIL();
  } catch (const ShardingError& e) {
    EXPECT_NE(std::string(e.what()).find("process_allgather"), std::string::npos) << e.what();
  }
  EXPECT_NE(str(x).find("shape=(16,)"), std::string::npos) << "it prints what it is";
  EXPECT_EQ(x.sum().item<float>(), 120.f) << "what is replicated reads anywhere";
}

TEST(Arrays, MadeFromPartsByEachProcess) {
  const Mesh mesh = make_mesh({8}, {"x"});
  const NamedSharding rows(mesh, P("x"));
  const Array whole = counted({16, 3});
  const std::int64_t share = 16 / process_count();
  const Array local = whole[slice(process_index() * share, (process_index() + 1) * share)];
  const Array x = make_array_from_process_local_data(rows, local);
  EXPECT_EQ(x.shape(), (Shape{16, 3}));
  EXPECT_EQ(everywhere(x), whole.to_vector<float>());
  int asked = 0;
  const Array y = make_array_from_callback({16, 3}, rows, [&](const ShardIndex& index) {
    ++asked;
    return whole[slice(index[0].start, index[0].stop)];
  });
  EXPECT_EQ(asked, 8 / process_count()) << "only what lies here is asked for";
  EXPECT_EQ(everywhere(y), whole.to_vector<float>());
}

// bugreports-3, 10: rows of the last batch over processes, as the sharding's blocks are: of 7 over 2: 4 and 3, over 4:
// 2, 2, 2 and 1; and none for some where there are few.
TEST(Arrays, MadeFromPartsOfDifferentLengths) {
  const int n = process_count(), me = process_index();
  std::vector<Device> one_each;
  for (const Device& d : devices())
    if (one_each.empty() || one_each.back().process_index() != d.process_index()) one_each.push_back(d);
  const NamedSharding rows(Mesh(one_each, {n}, {"p"}), P("p"));
  for (int length : {7, 6, 5, 3, 1}) {
    const int block = (length + n - 1) / n, first = std::min(length, me * block),
              stop = std::min(length, first + block);
    SCOPED_TRACE(std::to_string(length) + " rows");
    const Array whole = counted({length, 3}), local = whole[slice(first, stop)];
    for (const Array& x :
         {make_array_from_process_local_data(rows, local), make_array_from_process_local_data(rows, local, {length, 3}),
          make_array_from_process_local_data(rows, whole, {length, 3})}) {
      EXPECT_EQ(x.shape(), (Shape{length, 3}));
      EXPECT_EQ(everywhere(x), whole.to_vector<float>());
      EXPECT_EQ(x.sum().item<float>(), whole.sum().item<float>());
    }
  }
  if (n == 1) return;
  // Parts that are no blocks, and those of other ranks and dtypes: told by all, with the shape of each.
  try {
    (void)make_array_from_process_local_data(rows, ones({me == 0 ? 1 : 3, 2}));
    ADD_FAILURE();
  } catch (const DistributedError& e) {
    EXPECT_NE(std::string(e.what()).find("process 0 (1, 2), process 1 (3, 2)"), std::string::npos) << e.what();
  }
  EXPECT_THROW((void)make_array_from_process_local_data(rows, me == 0 ? ones({2}) : ones({2, 1})), DistributedError);
  EXPECT_THROW((void)make_array_from_process_local_data(rows, ones({2}).astype(me == 0 ? int32 : float32)),
               DistributedError);
  EXPECT_THROW((void)make_array_from_process_local_data(rows, ones({5, 3}), {8 * n, 3}), ShapeError);
  EXPECT_THROW((void)make_array_from_process_local_data(rows, ones({2, 3}), {2 * n}), ShapeError);
}

// A program that puts a block on each device is the same for any number of processes.
TEST(Arrays, BlocksOnDevicesOfOtherProcessesMayBeGiven) {
  const NamedSharding s(make_mesh({8}, {"x"}), P("x"));
  std::vector<Array> all, here;
  for (const Device& d : devices()) {
    all.push_back(device_put(full({2}, d.id()), d));
    if (d.process_index() == process_index()) here.push_back(all.back());
  }
  const std::vector<float> want = (arange(16) / 2).astype(int32).astype(float32).to_vector<float>();
  for (const std::vector<Array>& blocks : {all, here})
    EXPECT_EQ(everywhere(make_array_from_single_device_arrays({16}, s, blocks).astype(float32)), want);
  all[7] = all[6];
  EXPECT_THROW(make_array_from_single_device_arrays({16}, s, all), DeviceError);
  all.pop_back();
  EXPECT_THROW(make_array_from_single_device_arrays({16}, s, all), ShardingError);
}

TEST(Arrays, RandomNumbersAreThoseOfOneProcess) {
  const Mesh mesh = make_mesh({4, 2}, {"x", "y"});
  const std::vector<float> want = random::normal(random::key(3), {16, 16}).to_vector<float>();
  auto draw = jit(
      [](const Array& key) {
        return random::normal(key, {16, 16});
      },
      {.out_shardings = NamedSharding(mesh, P("x", "y"))});
  EXPECT_EQ(everywhere(draw(random::key(3))), want);
}

TEST(Multihost, ValuesAreComparedAndHandedOn) {
  const Array mine = full({3}, 1.f * process_index());
  EXPECT_EQ(multihost::broadcast_one_to_all(mine).to_vector<float>(), (std::vector<float>{0, 0, 0}));
  const int last = process_count() - 1;
  EXPECT_EQ(multihost::broadcast_one_to_all(mine, last).to_vector<float>(), std::vector<float>(3, 1.f * last));
  multihost::assert_equal(counted({5}));
  multihost::sync_global_devices("here");
  if (process_count() == 1) return;
  EXPECT_THROW(multihost::assert_equal(mine, "mine"), DistributedError);
  EXPECT_THROW(multihost::sync_global_devices("place " + std::to_string(process_index())), DistributedError);
  EXPECT_THROW(multihost::broadcast_one_to_all(mine, process_count()), ValueError);
  multihost::sync_global_devices("they go on together");
}

struct Tally {
  Array loss, rows;
};

// bugreports-3, 9: what each process has of its own, stacked or joined, also of unequal lengths, numbers and trees.
TEST(Multihost, OwnValuesOfAllAreGathered) {
  const int n = process_count(), me = process_index();
  std::vector<float> stacked, joined;
  for (int p = 0; p < n; ++p) {
    for (int k = 0; k < 3; ++k) stacked.push_back(static_cast<float>(p));
    for (int k = 0; k <= p; ++k) joined.push_back(static_cast<float>(p));
  }
  const Array mine = full({3}, static_cast<float>(me));
  const Array s = multihost::process_allgather(mine, {.tiled = false}),
              t = multihost::process_allgather(mine, {.tiled = true});
  EXPECT_EQ(s.shape(), (Shape{n, 3}));
  EXPECT_EQ(t.shape(), (Shape{3 * n}));
  EXPECT_EQ(s.to_vector<float>(), stacked);
  EXPECT_EQ(t.to_vector<float>(), stacked);
  EXPECT_EQ(multihost::process_allgather(full({me + 1}, static_cast<float>(me)), {.tiled = true}).to_vector<float>(),
            joined);
  const Array loss = array(0.5f * static_cast<float>(me));
  for (bool tiled : {false, true})
    EXPECT_EQ(multihost::process_allgather(loss, {.tiled = tiled}).shape(), (Shape{n})) << "a scalar is stacked";
  EXPECT_EQ(multihost::process_allgather(me).to_vector<int>(), arange(n).to_vector<int>());
  const Tally all = multihost::process_allgather(Tally{loss, mine}, {.tiled = false});
  EXPECT_EQ(all.loss.shape(), (Shape{n}));
  EXPECT_EQ(all.rows.to_vector<float>(), stacked);
  EXPECT_EQ(multihost::broadcast_one_to_all(Tally{loss, mine}, n - 1).rows.to_vector<float>(),
            std::vector<float>(3, static_cast<float>(n - 1)));
  EXPECT_EQ(multihost::process_allgather(ones({3})).shape(), (Shape{3})) << "what is equal everywhere comes back";
  const Array placed = device_put(counted({8}), NamedSharding(make_mesh({8}, {"x"}), P("x")));
  if (n == 1) return;
  EXPECT_EQ(multihost::process_allgather(placed, {.tiled = true}).to_vector<float>(), counted({8}).to_vector<float>());
  EXPECT_THROW((void)multihost::process_allgather(placed, {.tiled = false}), ValueError);
  EXPECT_THROW((void)multihost::process_allgather(mine), DistributedError) << "without saying so";
  EXPECT_THROW((void)multihost::process_allgather(ones({me + 1}), {.tiled = false}), DistributedError);
  EXPECT_THROW((void)multihost::process_allgather(ones({2, me + 1}), {.tiled = true}), DistributedError);
  multihost::sync_global_devices("they go on");
}

// hostile-3, M2
TEST(Programs, WithDevicesInAnotherOrderAreRefusedByAll) {
  if (process_count() == 1) return;
  std::vector<Device> d = devices();
  if (process_index() == 1) std::reverse(d.begin(), d.end());
  const Array x = device_put(counted({56}), NamedSharding(Mesh(d, {8}, {"x"}), P("x")));  // a sum that none knows
  try {
    (void)x.sum();
    FAIL() << "nobody noticed";
  } catch (const DistributedError& e) {
    EXPECT_NE(std::string(e.what()).find("on devices"), std::string::npos) << e.what();
  }
  EXPECT_THROW((void)multihost::broadcast_one_to_all(ones({2}), process_index() % 2), DistributedError);
  multihost::sync_global_devices("they go on");
}

TEST(Programs, ThatDifferAreRefusedByAll) {
  if (process_count() == 1) return;
  const Mesh mesh = make_mesh({8}, {"x"});
  const Array x = device_put(counted({16}), NamedSharding(mesh, P("x")));
  const float mine = process_index() == 1 ? 3.f : 2.f;  // one process has another idea
  try {
    (void)jit([=](const Array& v) { return (v * mine).sum(); })(x);
    FAIL() << "the processes ran different programs";
  } catch (const DistributedError& e) {
    EXPECT_NE(std::string(e.what()).find("process"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("line"), std::string::npos) << e.what();
  }
  EXPECT_EQ(jit([](const Array& v) { return v.sum(); })(x).item<float>(), 120.f) << "and they go on";
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
