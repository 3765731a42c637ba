#include "tutti/debug/visualize.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <regex>
#include <set>

#include "debug/colors.hpp"
#include "debug/tiles.hpp"
#include "mesh/picture_text.hpp"
#include "mesh/samples.hpp"
#include "tutti/base/error.hpp"

namespace tutti::debug {
namespace {

std::string plain(const Shape& shape, const Sharding& s, VisualizeOptions options = {}) {
  return sharding_text(shape, s, options);
}

TEST(Visualize, DrawsABlockADevice) {
  EXPECT_EQ(plain({64, 64}, NamedSharding(samples::mesh({4, 2}), P("x", "y"))),
            "┌──────────┬──────────┐\n│  CPU 0   │  CPU 1   │\n"
            "├──────────┼──────────┤\n│  CPU 2   │  CPU 3   │\n"
            "├──────────┼──────────┤\n│  CPU 4   │  CPU 5   │\n"
            "├──────────┼──────────┤\n│  CPU 6   │  CPU 7   │\n└──────────┴──────────┘\n");
}

TEST(Visualize, DrawsVectorsInARowAndListsCopies) {
  EXPECT_EQ(
      plain({8}, NamedSharding(samples::mesh({2, 4}), P("y"))),
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
  EXPECT_NE(plain({8, 6}, NamedSharding(samples::mesh({4, 2}), P("x")), options)
                .find("float32: 48 bytes a device, 384 on all\n"),
            std::string::npos);
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

// The colours of a vector's tiles, in order.
std::vector<std::string> backgrounds(int tiles, const ColorMap& map = {}) {
  VisualizeOptions options{.max_width = 20 * tiles, .color_map = map};
  std::string text = sharding_text({tiles}, NamedSharding(samples::mesh({tiles}), P("x")), options, /*terminal=*/true);
  std::vector<std::string> out;
  for (std::size_t at = 0, end = text.find('\n'); (at = text.find("48;2;", at)) < end; ++at) {
    std::string color = text.substr(at + 5, text.find('m', at) - at - 5);
    if (out.empty() || out.back() != color) out.push_back(color);
  }
  return out;
}

TEST(Visualize, ColoursOfTilesDiffer) {
  for (int n : {2, 3, 6, 10, 20, 21, 27, 28, 64, 100}) {
    std::vector<std::string> all = backgrounds(n);
    EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), static_cast<std::size_t>(n));
  }
  // Also well apart: n tiles share a cube of 200 a side.
  for (int n : {21, 64, 256, 4096}) {
    std::vector<Rgb> all = tile_colors(n);
    int least = 1 << 20;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        least = std::min(least,
                         std::abs(all[i].r - all[j].r) + std::abs(all[i].g - all[j].g) + std::abs(all[i].b - all[j].b));
    EXPECT_GE(least, 200 / std::ceil(std::cbrt(n)));
  }
  // Slabs of a 3-D array are one picture: no colour comes twice.
  std::string text =
      sharding_text({4, 4, 4}, NamedSharding(samples::mesh({2, 2, 2}), P("x", "y", "z")), {}, /*terminal=*/true);
  std::set<std::string> slabs;
  for (std::size_t at = 0; (at = text.find("48;2;", at)) != std::string::npos; ++at)
    slabs.insert(text.substr(at, text.find('m', at) - at));
  EXPECT_EQ(slabs.size(), 8u);
}

TEST(Visualize, TakesAColourMap) {
  using Colors = std::vector<std::string>;
  EXPECT_EQ(backgrounds(3, {{1, 2, 3}, {4, 5, 6}}), (Colors{"1;2;3", "4;5;6", "1;2;3"}));
  EXPECT_EQ(backgrounds(2, std::vector<Rgb>{{300, -1, 0}, {7, 7, 7}}), (Colors{"255;0;0", "7;7;7"}));
  // A function gets evenly spaced numbers, in JAX's order.
  auto ramp = [](double v) { return Rgb{static_cast<int>(v * 255), static_cast<int>((1 - v) * 255), 127}; };
  EXPECT_EQ(backgrounds(4, ramp), (Colors{"0;255;127", "255;0;127", "170;85;127", "85;170;127"}));
  EXPECT_NE(sharding_svg({4}, Device(0), {{255, 0, 16}}).find("fill=\"#ff0010\""), std::string::npos);
  // Text has the colour that is read better.
  for (auto [tile, ink] : std::vector<std::pair<Rgb, std::string>>{{{255, 255, 255}, "#000"},
                                                                   {{206, 219, 156}, "#000"},
                                                                   {{140, 140, 140}, "#000"},
                                                                   {{57, 59, 121}, "#fff"},
                                                                   {{0, 0, 0}, "#fff"}})
    EXPECT_NE(sharding_svg({4}, Device(0), {tile}).find("fill=\"" + ink + "\">"), std::string::npos) << tile.r;
}

TEST(Visualize, RefusesOptionsThatCannotBeDrawn) {
  EXPECT_THROW(plain({4}, Device(0), {.scale = 0}), ValueError);
  EXPECT_THROW(plain({4}, Device(0), {.scale = std::numeric_limits<double>::infinity()}), ValueError);
  EXPECT_THROW(plain({4}, Device(0), {.max_width = 2}), ValueError);
  EXPECT_THROW(plain({4}, NamedSharding(samples::mesh({2, 2}), P("x", "y"))), ShardingError);
}

TEST(Visualize, KeepsLabelsWholeWhereJaxBreaksThem) {
  // The columns give up blanks.
  EXPECT_EQ(plain({20}, NamedSharding(samples::mesh({10}), P("x"))),
            "┌──────┬──────┬──────┬──────┬──────┬──────┬──────┬──────┬──────┬──────┐\n"
            "│CPU 0 │CPU 1 │CPU 2 │CPU 3 │CPU 4 │CPU 5 │CPU 6 │CPU 7 │CPU 8 │CPU 9 │\n"
            "└──────┴──────┴──────┴──────┴──────┴──────┴──────┴──────┴──────┴──────┘\n");
  // Then they go into bands.
  EXPECT_EQ(plain({8}, NamedSharding(samples::mesh({4}), P("x")), {.max_width = 15}),
            "columns 0 to 1:\n┌──────┬──────┐\n│CPU 0 │CPU 1 │\n└──────┴──────┘\n"
            "columns 2 to 3:\n┌──────┬──────┐\n│CPU 2 │CPU 3 │\n└──────┴──────┘\n");
  // A label that is longer than the width widens it.
  EXPECT_EQ(plain({8}, NamedSharding(samples::mesh({4}), P()), {.max_width = 3}),
            "┌───────────┐\n│CPU 0,1,2,3│\n└───────────┘\n");
}

TEST(Visualize, BreaksLabelsOnRequest) {
  // JAX's picture of columns that are too narrow.
  NamedSharding s(samples::mesh({2}), P(none, "x"));
  VisualizeOptions options{.scale = 0.3, .max_width = 12, .wrap_labels = true};
  EXPECT_EQ(plain({4, 4}, s, options), "┌─────┬────┐\n│ CPU │ C… │\n│ 0   │ 1  │\n│     │    │\n└─────┴────┘\n");
  options.wrap_labels = false;
  EXPECT_EQ(testing::labels_in(plain({4, 4}, s, options)), testing::labels_of(s, {4, 4}));
}

// However many devices, whatever the shape: every label stands whole in one line, apart from the others, and no line is
// too wide.
TEST(Visualize, ShowsEveryLabelInTheWidth) {
  std::mt19937 rng(2);
  for (Shape grid : {Shape{8}, {16}, {64}, {4, 4}, {8, 8}, {2, 32}, {128}, {3, 40}, {2, 2, 2}})
    for (int i = 0; i < 40; ++i) {
      Mesh mesh = samples::mesh(grid);
      Layout layout = samples::layout(mesh, static_cast<int>(rng() % 4), rng, false);
      Sharding s = sharding_from_layout(mesh, layout);
      Shape shape = samples::shape(layout.ndim(), rng);
      for (auto& d : shape) d *= static_cast<std::int64_t>(rng() % 40 + 1);
      VisualizeOptions options{.scale = static_cast<double>(1 + rng() % 20) / 10,
                               .min_width = static_cast<int>(1 + rng() % 15),
                               .max_width = static_cast<int>(3 + rng() % 120)};
      for (bool terminal : {false, true}) {
        std::string text = sharding_text(shape, s, options, terminal);
        std::vector<std::string> labels = testing::labels_of(s, shape);
        EXPECT_EQ(testing::labels_in(text), labels) << s << shape.str() << "\n" << text;
        auto room = static_cast<std::size_t>(options.max_width);
        for (const std::string& label : labels) room = std::max(room, label.size() + 2);
        EXPECT_LE(testing::widest_line(text), room) << s << shape.str() << "\n" << text;
        if (HasFailure()) return;
      }
    }
}

TEST(Visualize, KnowsHugeArraysFromEmptyOnes) {
  const std::int64_t n = std::int64_t{1} << 40;
  NamedSharding s(samples::mesh({2, 2}), P("x", "y"));
  std::string text = plain({n, n}, s, {.show_axes = true, .dtype = float32});
  EXPECT_EQ(text.find("empty"), std::string::npos);
  EXPECT_NE(text.find("1.21e+24 bytes a device, 4.84e+24 on all"), std::string::npos);
  EXPECT_EQ(testing::labels_in(plain({1, n}, s, {.scale = 1000})), testing::labels_of(s, {1, n}));
  std::string none_there = plain({0, 5}, s, {.show_axes = true});
  EXPECT_NE(none_there.find("dim 0: 0 over x=2, empty\ndim 1: 5 over y=2, blocks of 3\n"), std::string::npos);
  // One element over two devices: one of them has nothing.
  EXPECT_NE(plain({1}, NamedSharding(s.mesh(), P("x")), {.show_axes = true}).find("dim 0: 1 over x=2, blocks of 1\n"),
            std::string::npos);
}

TEST(Visualize, WritesControlCharactersAsText) {
  EXPECT_EQ(printable("a\x1b[1m\n\xff\xc3\xbc\x7f\xed\xa0\x80"
                      "b"),
            "a\\x1b[1m\\x0a\\xff\xc3\xbc\\x7f\\xed\\xa0\\x80"
            "b");
  Mesh mesh(samples::devices(4), "x\x01y");
  NamedSharding s(mesh, P("x\x01y"));
  for (const std::string& text : {plain({4}, s, {.show_axes = true}), sharding_svg({4}, s)}) {
    EXPECT_NE(text.find("dim 0: 4 over x\\x01y=4"), std::string::npos) << text;
    EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < ' ' && c != '\n'; }));
  }
}

// Text of an SVG's tiles: at the smallest letters, and every label in its tile.
TEST(Svg, HasRoomForEveryLabel) {
  std::regex tile(
      "<rect x=\"([0-9.]+)\" y=\"[0-9.]+\" width=\"([0-9.]+)\" height=\"([0-9.]+)\" fill=\"#[0-9a-f]{6}\" "
      "stroke=\"#fff\"/>\n"
      "<text [^>]*font-size=\"([0-9.]+)\"[^>]*>([^<]*)<");
  struct Case {
    Shape shape, grid;
    PartitionSpec spec;
  };
  for (auto [shape, grid, spec] : {Case{{3}, {8}, P("x")},
                                   {{0, 3}, {8}, P("x")},
                                   {{64}, {64}, P("x")},
                                   {{8, 8}, {64}, P()},
                                   {{10, 3}, {4, 2}, P("x", "y")},
                                   {{}, {8}, P()}}) {
    NamedSharding s(samples::mesh(grid), spec);
    std::string svg = sharding_svg(shape, s);
    std::vector<std::string> found;
    for (std::sregex_iterator at(svg.begin(), svg.end(), tile), end; at != end; ++at) {
      double width = std::stod((*at)[2]), height = std::stod((*at)[3]), size = std::stod((*at)[4]);
      found.push_back((*at)[5]);
      EXPECT_GE(size, 7.9);
      EXPECT_LE(0.65 * size * static_cast<double>(found.back().size()), width) << svg;
      EXPECT_LE(size, height);
    }
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, testing::labels_of(s, shape));
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
  for (Shape shape : {Shape{}, {0}, {5}, {8, 2, 2}})
    EXPECT_NE(sharding_svg(shape, Device(0)).find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace tutti::debug

// SPDX-License-Identifier: Apache-2.0
