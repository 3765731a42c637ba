// No optional pass is needed for correct values: each is left out in turn, over programs of many kinds. And each has
// something to do in one of them, so that leaving it out means something.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "device/buffer.hpp"
#include "ir/passes.hpp"
#include "left_out_programs.hpp"
#include "partition/send_early.hpp"
#include "simulated/client.hpp"

namespace tutti::test {
namespace {

// Passes that have something to do between several processes only; tests/partition/order_test.cpp leaves them out. Live
// drops what one process does not need.
constexpr PassId kOfProcesses[] = {PassId::send_early, PassId::combine, PassId::send_early_again, PassId::live};

PassSet one(PassId id) { return PassSet{1} << static_cast<unsigned>(id); }
bool is_of_processes(PassId id) {
  return std::find(std::begin(kOfProcesses), std::end(kOfProcesses), id) != std::end(kOfProcesses);
}

struct Done {
  Arrays out;
  std::multimap<std::string, std::string> texts;  // by pass, with those around it
};

Done done(const Sample& sample) {
  Done out;
  PassWatcher watcher([&](const PassNote& note) { out.texts.emplace(note.path, note.text()); });
  try {
    out.out = jit(sample.f)(sample.in);
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what();
  }
  return out;
}

double tolerance(DType dtype) {
  if (dtype.size() == 1) return 0.125;  // a few bits
  if (dtype.size() == 2) return 0.03;
  return dtype == float64 ? 1e-12 : 3e-5;
}

std::vector<float> elements(const Array& a) {
  const Array flat = a.dtype().is_complex() ? concatenate({real(a).reshape(-1), imag(a).reshape(-1)}) : a.reshape(-1);
  return flat.astype(float32).to_vector<float>();
}

// Relative to the largest element.
double largest_difference(const Array& a, const Array& b) {
  const std::vector<float> p = elements(a), q = elements(b);
  double most = 0, scale = 1e-30;
  for (float v : q)
    if (std::isfinite(v)) scale = std::max(scale, std::abs(static_cast<double>(v)));
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] == q[i] || (std::isnan(p[i]) && std::isnan(q[i]))) continue;
    const double d = std::abs(static_cast<double>(p[i]) - static_cast<double>(q[i]));
    most = std::isfinite(d) ? std::max(most, d / scale) : INFINITY;
  }
  return most;
}

bool equal_bits(const Array& a, const Array& b) {
  const std::vector<float> p = elements(a), q = elements(b);
  return p.size() == q.size() && std::memcmp(p.data(), q.data(), p.size() * sizeof(float)) == 0;
}

void expect_equal(const Arrays& got, const Arrays& want, Pass::Bits bits, const std::string& what) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    ASSERT_EQ(got[k].shape(), want[k].shape());
    if (bits == Pass::Bits::kept)
      EXPECT_TRUE(equal_bits(got[k], want[k]))
          << what << ", output " << k << ": off by " << largest_difference(got[k], want[k]);
    else
      EXPECT_LE(largest_difference(got[k], want[k]), tolerance(want[k].dtype())) << what << ", output " << k;
  }
}

// Whether any other pass of a run hands on something else than with the full list.
bool differs(const Done& a, const Done& b, const std::string& without) {
  auto others = [&](const Done& d) {
    std::multimap<std::string, std::string> out;
    for (const auto& [path, text] : d.texts)
      if (path != without && !path.ends_with("." + without)) out.emplace(path, text);
    return out;
  };
  return others(a) != others(b);
}

// The optional passes that change something in one of the programs.
std::set<PassId> left_out_in_turn(const std::vector<Sample>& samples) {
  std::set<PassId> active;
  for (const Sample& sample : samples) {
    SCOPED_TRACE(sample.name);
    const Done want = done(sample);
    for (const Pass& pass : pass_list()) {
      if (pass.required) continue;
      SCOPED_TRACE(pass.name);
      const WithoutPasses without(one(pass.id));
      const Done got = done(sample);
      expect_equal(got.out, want.out, pass.bits, std::string(sample.name) + " without " + pass.name);
      if (differs(got, want, pass.name)) active.insert(pass.id);
    }
  }
  return active;
}

Mesh mesh_of_eight() { return make_mesh({8}, "x"); }

}  // namespace

TEST(LeftOut, NoOptionalPassIsNeeded) {
  std::set<PassId> active = left_out_in_turn(one_device_samples());
  active.merge(left_out_in_turn(sharded_samples(mesh_of_eight())));
  config::isolation(Isolation::per_device);
  active.merge(left_out_in_turn(sharded_samples(mesh_of_eight())));
  config::isolation(Isolation::shared);
  for (const Pass& pass : pass_list())
    EXPECT_TRUE(pass.required || is_of_processes(pass.id) || active.contains(pass.id))
        << pass.name << " changes none of the programs: add one that it changes";
}

TEST(LeftOut, AllOptionalPassesAtOnce) {
  PassSet all_of_them = 0;
  for (const Pass& pass : pass_list())
    if (!pass.required) all_of_them |= one(pass.id);
  for (bool isolated : {false, true}) {
    for (const Sample& sample : isolated ? sharded_samples(mesh_of_eight()) : one_device_samples()) {
      config::isolation(isolated ? Isolation::per_device : Isolation::shared);
      const Done want = done(sample);
      const WithoutPasses without(all_of_them);
      expect_equal(done(sample).out, want.out, Pass::Bits::changed, sample.name);
    }
    config::isolation(Isolation::shared);
  }
}

TEST(LeftOut, AValueNamesOptionalPasses) {
  EXPECT_EQ(passes_named(""), 0u);
  EXPECT_EQ(passes_named("-hoist,-share"), one(PassId::hoist) | one(PassId::share));
  auto message = [](const char* value) -> std::string {
    try {
      passes_named(value);
    } catch (const ValueError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(message("-hoits").find("there is no pass 'hoits'; the most similar name is 'hoist'"), std::string::npos)
      << message("-hoits");
  EXPECT_NE(message("hoist").find("has no minus"), std::string::npos);
  EXPECT_NE(message("-memory").find("cannot be left out: buffers need addresses"), std::string::npos);
  EXPECT_NE(message("-hoist,").find("there is no pass"), std::string::npos);
}

// In a process of its own, as the variable is read once.
TEST(LeftOutDeathTest, TheEnvironmentLeavesThemOut) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  setenv("TUTTI_PASSES", "-share,-rows", 1);
  setenv("TUTTI_LOG", "passes", 1);
  EXPECT_EXIT(
      {
        const Array x = arange(12.f);
        std::set<std::string> seen;
        PassWatcher watcher([&](const PassNote& note) { seen.insert(note.name); });
        jit([](const Array& v) { return v * 7.5f; })(x);
        std::exit(seen.contains("join") && !seen.contains("share") && !seen.contains("rows") ? 0 : 1);
      },
      testing::ExitedWithCode(0), "join: .* ms");
  setenv("TUTTI_PASSES", "-shar", 1);
  EXPECT_DEATH(jit([](const Array& v) { return v * 7.5f; })(arange(12.f)),
               "there is no pass 'shar'; the most similar name is 'share'");
  unsetenv("TUTTI_PASSES");
  unsetenv("TUTTI_LOG");
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
