#include "tutti/visualize.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "mesh/picture_text.hpp"
#include "mesh/samples.hpp"
#include "tutti/error.hpp"

namespace tutti::debug {
namespace {

std::string plain(const Shape& shape, const Sharding& s, VisualizeOptions options = {}) { return sharding_text(shape, s, options); }

TEST(Visualize, DrawsABlockADevice) {
  EXPECT_EQ(plain({64, 64}, NamedSharding(samples::mesh({4, 2}), P("x", "y"))),
            "┌──────────┬──────────┐\n│  CPU 0   │  CPU 1   │\n"
            "├──────────┼──────────┤\n│  CPU 2   │  CPU 3   │\n"
            "├──────────┼──────────┤\n│  CPU 4   │  CPU 5   │\n"
            "├──────────┼──────────┤\n│  CPU 6   │  CPU 7   │\n└──────────┴──────────┘\n");
}

TEST(Visualize, DrawsVectorsInARowAndListsCopies) {
  EXPECT_EQ(plain({8}, NamedSharding(samples::mesh({2, 4}), P("y"))),
            "┌───────┬───────┬───────┬───────┐\n│CPU 0,4│CPU 1,5│CPU 2,6│CPU 3,7│\n└───────┴───────┴───────┴───────┘\n");
}

TEST(Visualize, DrawsScalars) {
  EXPECT_EQ(plain({}, SingleDeviceSharding(Device(0))),
            "┌───────────────────────┐\n│         CPU 0         │\n└───────────────────────┘\n");
}

TEST(Visualize, DrawsHigherRanksSlabBySlab) {
  std::string text = plain({8, 2, 2}, NamedSharding(samples::mesh({2, 2}), P("x", none, "y")));
  EXPECT_NE(text.find("[0:4, :, :]\n"), std::string::npos);
  EXPECT_NE(text.find("[4:8, :, :]\n"), std::string::npos);
  std::string whole = plain({8, 2, 2}, NamedSharding(samples::mesh({2, 2}), P(none, none, "y")));
  EXPECT_EQ(whole, plain({2, 2}, NamedSharding(samples::mesh({2, 2}), P(none, "y"))));
}

TEST(Visualize, SaysWhatIsEmpty) {
  EXPECT_NE(plain({0, 4}, SingleDeviceSharding(Device(0))).find("empty array of shape (0, 4)"), std::string::npos);
  EXPECT_NE(plain({5}, NamedSharding(samples::mesh({8}), P("x"))).find("CPU 5,6,7 empty"), std::string::npos);
}

TEST(Visualize, NamesAxesOnRequest) {
  VisualizeOptions options{.show_axes = true};
  std::string text = plain({8, 6}, NamedSharding(samples::mesh({4, 2}), P("x")), options);
  EXPECT_NE(text.find("dim 0: 8 over x=4, blocks of 2\ndim 1: 6, whole\ncopies over y=2\n"), std::string::npos);
  options.dtype = float32;
  EXPECT_NE(plain({8, 6}, NamedSharding(samples::mesh({4, 2}), P("x")), options).find("float32: 48 bytes a device, 384 on all\n"), std::string::npos);
}

TEST(Visualize, ColoursNeighboursDifferently) {
  NamedSharding s(samples::mesh({2}), P("x"));
  std::string text = sharding_text({64, 64}, s, {}, /*terminal=*/true);
  std::set<std::string> colours;
  for (std::size_t at = 0; (at = text.find("48;2;", at)) != std::string::npos; ++at)
    colours.insert(text.substr(at, text.find('m', at) - at));
  EXPECT_EQ(colours.size(), 2u);
  EXPECT_EQ(sharding_text({64, 64}, s, {.use_color = true}, /*terminal=*/false).find('\033'), std::string::npos);
}

TEST(Visualize, ColoursOfUpToTwentyTilesDiffer) {
  for (int n = 2; n <= 20; ++n) {
    std::string text = sharding_text({n * 4}, NamedSharding(samples::mesh({n}), P("x")), {.max_width = 400}, /*terminal=*/true);
    std::set<std::string> colours;
    for (std::size_t at = 0; (at = text.find("48;2;", at)) != std::string::npos; ++at) colours.insert(text.substr(at, text.find('m', at) - at));
    EXPECT_EQ(colours.size(), static_cast<std::size_t>(n));
  }
}

TEST(Visualize, RefusesOptionsThatCannotBeDrawn) {
  EXPECT_THROW(plain({4}, Device(0), {.scale = 0}), ValueError);
  EXPECT_THROW(plain({4}, Device(0), {.max_width = 2}), ValueError);
  EXPECT_THROW(plain({4}, NamedSharding(samples::mesh({2, 2}), P("x", "y"))), ShardingError);
}

// However many devices, whatever the shape: every device is named, and no line is too wide.
TEST(Visualize, ShowsEveryDeviceInTheWidth) {
  std::mt19937 rng(2);
  for (Shape grid : {Shape{8}, {16}, {64}, {4, 4}, {8, 8}, {2, 32}, {128}, {3, 40}})
    for (int i = 0; i < 40; ++i) {
      Mesh mesh = samples::mesh(grid);
      Layout layout = samples::layout(mesh, 1 + static_cast<int>(rng() % 3), rng, false);
      Sharding s = sharding_from_layout(mesh, layout);
      Shape shape = samples::shape(layout.ndim(), rng);
      for (auto& d : shape) d *= static_cast<std::int64_t>(rng() % 40 + 1);
      VisualizeOptions options{.max_width = static_cast<int>(20 + rng() % 100)};
      for (bool terminal : {false, true}) {
        std::string text = sharding_text(shape, s, options, terminal);
        std::string shown = testing::unescaped(text, "");
        std::set<std::string> seen = testing::numbers_in(testing::unescaped(text, " "));  // neighbours may differ in colour only
        for (const Device& d : s.device_list()) EXPECT_TRUE(seen.count(std::to_string(d.id()))) << d << "\n" << text;
        if (shape.num_elements()) { EXPECT_LE(testing::widest_line(shown), static_cast<std::size_t>(options.max_width)) << s << shape.str() << "\n" << text; }
        if (HasFailure()) return;
      }
    }
}

TEST(Svg, IsWellFormedAndNamesEveryDevice) {
  NamedSharding s(samples::mesh({4, 2}), P("x", "y"));
  std::string svg = sharding_svg({64, 64}, s);
  EXPECT_EQ(svg.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\"", 0), 0u);
  for (int id = 0; id < 8; ++id) EXPECT_NE(svg.find(">CPU " + std::to_string(id) + "<"), std::string::npos);
  EXPECT_NE(svg.find("dim 0: 64 over x=4, blocks of 16"), std::string::npos);
  auto count = [&](const std::string& what) {
    int n = 0;
    for (std::size_t at = 0; (at = svg.find(what, at)) != std::string::npos; at += what.size()) ++n;
    return n;
  };
  EXPECT_EQ(count("<g>"), count("</g>"));
  EXPECT_EQ(count("<text "), count("</text>"));
  EXPECT_EQ(count("<rect "), 9);
  for (Shape shape : {Shape{}, {0}, {5}, {8, 2, 2}}) EXPECT_NE(sharding_svg(shape, Device(0)).find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace tutti::debug
