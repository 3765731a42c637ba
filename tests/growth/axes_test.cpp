// Plans on meshes of many axes. An axis more of extent 2 is twice the devices: work may grow by 2.3 times for it, so
// eight times the devices, three axes more, cost at most 2.3^3 times. All layouts over the axes would be more than
// that: over six axes there are 4096 of a matrix whose axes come in no order, 64 times as many as over three, and the
// steps between them grow faster still. issue 28, growth
#include <algorithm>
#include <ctime>

#include "growth/growth.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

using Call = std::function<void()>;

constexpr double kEightTimes = 2.3 * 2.3 * 2.3, kSixteenTimes = kEightTimes * 2.3;

// A step of training on a mesh of so many axes of extent 2. The batch and both weights are cut as `x` and `w` say, one
// letter an axis in turn: r for rows, c for columns, - for neither.
auto plan_over_axes(const std::string& x, const std::string& w) {
  return [=](int axes) -> Call {
    return [=] {
      std::vector<std::string> names;
      for (int a = 0; a < axes; ++a) names.push_back("a" + std::to_string(a));
      const std::vector<std::int64_t> sizes(names.size(), 2);
      const Mesh mesh = abstract_mesh(Shape(sizes), Names(names));
      auto placed = [&](const std::string& by) {
        std::vector<std::string> rows, columns;
        for (std::size_t a = 0; a < names.size(); ++a) {
          if (by[a % by.size()] == 'r') rows.push_back(names[a]);
          if (by[a % by.size()] == 'c') columns.push_back(names[a]);
        }
        return ShapeDtypeStruct({1024, 1024}, float32,
                                NamedSharding(mesh, P(SpecEntry(Names(rows)), SpecEntry(Names(columns)))));
      };
      jit(grad([](const std::pair<Array, Array>& ws, const Array& batch) {
        return nn::softmax(matmul(tanh(matmul(batch, ws.first)), ws.second)).max(-1).sum();
      })).plan(std::pair{placed(w), placed(w)}, placed(x));
    };
  };
}

// Processor time of the best of three.
double seconds_of(const Call& call) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t start = std::clock();
    call();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

}  // namespace

TUTTI_GROWTH(MeshAxes, ({
                           {"data and model", 3, plan_over_axes("r-", "-c"), kEightTimes, kEightTimes},
                           {"data and model, sixteen times the devices", 4, plan_over_axes("r-", "-c"), kSixteenTimes,
                            kSixteenTimes},
                           {"contradicting orders", 3, plan_over_axes("rc", "cr-"), kEightTimes, kEightTimes},
                           {"all axes on rows", 3, plan_over_axes("r", "rc"), kEightTimes, kEightTimes},
                           {"all axes on rows and on columns", 3, plan_over_axes("r", "c"), kEightTimes, kEightTimes},
                       }));

// Timed, six axes took 90 to 130 times as long as three while all layouts were searched, and take 6 to 12 times as long
// over groups of axes. Seven work too.
TEST(GrowthOfPlans, SixAxesAreSoonPlanned) {
  for (const auto& [x, w] : {std::pair{"r-", "-c"}, std::pair{"rc", "cr-"}}) {
    const auto plan = plan_over_axes(x, w);
    const double three = seconds_of(plan(3)), six = seconds_of(plan(6));
    EXPECT_LE(six, 35 * three) << x << ", " << w << ": " << three << " s, " << six << " s";
    plan(7)();
  }
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
