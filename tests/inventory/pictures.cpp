// Row 64: pictures of arrays, with JAX's options, and what JAX's lack.
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <iostream>
#include <set>

#include "inventory/check.hpp"

namespace tutti::inventory {
namespace {

std::string picture(const Array& x, const debug::VisualizeOptions& options = {}) {
  testing::internal::CaptureStdout();
  debug::visualize_array_sharding(x, options);
  return testing::internal::GetCapturedStdout();
}

// An environment variable, while this lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = getenv(name)) {
      before_ = before;
      was_set_ = true;
    }
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Variable() { was_set_ ? setenv(name_, before_.c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::string before_;
  bool was_set_ = false;
};

// The same on a terminal; what is printed has to fit its buffer of some kilobytes.
std::string terminal_picture(const Array& x, const char* term, const char* no_color,
                             const debug::VisualizeOptions& options = {}) {
  Variable kind("TERM", term), wish("NO_COLOR", no_color);
  int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
    throw std::runtime_error("no terminal can be opened");
  int user = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  termios raw{};
  tcgetattr(user, &raw);
  cfmakeraw(&raw);
  tcsetattr(user, TCSANOW, &raw);
  std::cout.flush();
  int before = dup(STDOUT_FILENO);
  dup2(user, STDOUT_FILENO);
  debug::visualize_array_sharding(x, options);
  dup2(before, STDOUT_FILENO);
  std::string out;
  char some[256];
  for (pollfd ready{terminal, POLLIN, 0}; poll(&ready, 1, 50) > 0 && (ready.revents & POLLIN);)
    out.append(some, static_cast<std::size_t>(read(terminal, some, sizeof some)));
  for (int file : {before, user, terminal}) close(file);
  return out;
}

Array blocks() { return device_put(zeros({8, 8}), NamedSharding(make_mesh({2, 4}, {"x", "y"}), P("x", "y"))); }
Array row() { return device_put(zeros({8}), NamedSharding(make_mesh({4}, {"x"}), P("x"))); }

TEST(row_64_visualize_array_sharding, IsJaxsPicture) {
  Array x = device_put(zeros({4, 8}), NamedSharding(make_mesh({2, 4}, {"x", "y"}), P("x", "y")));
  std::string sum = picture(x.sum(0));
  EXPECT_EQ(sum,
            "┌───────┬───────┬───────┬───────┐\n"
            "│CPU 0,4│CPU 1,5│CPU 2,6│CPU 3,7│\n"
            "└───────┴───────┴───────┴───────┘\n");
  // Inside jit it prints when the sharding is known, once per compilation.
  testing::internal::CaptureStdout();
  auto f = jit([](const Array& x) {
    Array y = x.sum(0);
    debug::visualize_array_sharding(y);
    return y * 2;
  });
  f(x);
  f(x);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), sum);
}

TEST(row_64_visualize_array_sharding, TakesJaxsOptions) {
  Array x = blocks();
  EXPECT_EQ(picture(x, {.scale = 0.5}),
            "┌───────┬───────┬───────┬───────┐\n"
            "│ CPU 0 │ CPU 1 │ CPU 2 │ CPU 3 │\n"
            "├───────┼───────┼───────┼───────┤\n"
            "│ CPU 4 │ CPU 5 │ CPU 6 │ CPU 7 │\n"
            "└───────┴───────┴───────┴───────┘\n");
  EXPECT_EQ(picture(x, {.scale = 0.5, .min_width = 12}),
            "┌──────────┬──────────┬──────────┬──────────┐\n"
            "│  CPU 0   │  CPU 1   │  CPU 2   │  CPU 3   │\n"
            "├──────────┼──────────┼──────────┼──────────┤\n"
            "│  CPU 4   │  CPU 5   │  CPU 6   │  CPU 7   │\n"
            "└──────────┴──────────┴──────────┴──────────┘\n");
  // 20 lines and 50 columns, but for the borders.
  std::string big = picture(x, {.scale = 2, .max_width = 60}),
              blank = "│          │          │          │          │\n", above;
  for (int i = 0; i < 4; ++i) above += blank;
  EXPECT_EQ(big, "┌──────────┬──────────┬──────────┬──────────┐\n" + above +
                     "│  CPU 0   │  CPU 1   │  CPU 2   │  CPU 3   │\n" + above +
                     "├──────────┼──────────┼──────────┼──────────┤\n" + above +
                     "│  CPU 4   │  CPU 5   │  CPU 6   │  CPU 7   │\n" + above +
                     "└──────────┴──────────┴──────────┴──────────┘\n");
  EXPECT_THROW(debug::visualize_array_sharding(x, {.scale = -1}), ValueError);
}

TEST(row_64_visualize_array_sharding, HasColoursOnATerminalThatShowsThem) {
  Array x = row();
  std::string colored = terminal_picture(x, "xterm-256color", nullptr), plain = picture(x);
  // The first colours of JAX's map for four tiles, and no borders.
  for (const char* color : {"57;59;121", "222;158;214", "173;73;74", "181;207;107"})
    EXPECT_NE(colored.find(color), std::string::npos) << color;
  EXPECT_EQ(colored.find("│"), std::string::npos);
  EXPECT_EQ(plain.find('\033'), std::string::npos);
  EXPECT_EQ(terminal_picture(x, "dumb", nullptr), plain);
  EXPECT_EQ(terminal_picture(x, "xterm-256color", "1"), plain);
  EXPECT_EQ(terminal_picture(x, "xterm-256color", ""), colored);
  // Without colour a terminal shows the ids in bold.
  EXPECT_NE(terminal_picture(x, "xterm-256color", nullptr, {.use_color = false}).find("│ CPU \033[1;36m0\033[0m │"),
            std::string::npos);
}

TEST(row_64_visualize_array_sharding, TakesAColorMap) {
  Array x = row();
  std::string listed = terminal_picture(x, "xterm", nullptr, {.color_map = {{200, 0, 0}, {0, 0, 200}}});
  std::size_t red = listed.find("48;2;200;0;0m"), blue = listed.find("48;2;0;0;200m");
  EXPECT_LT(red, blue);
  EXPECT_NE(blue, std::string::npos);
  // A function of [0, 1], in JAX's order.
  std::vector<double> asked;
  terminal_picture(x, "xterm", nullptr, {.color_map = [&](double v) {
                     asked.push_back(v);
                     return debug::Rgb{0, 0, 0};
                   }});
  EXPECT_EQ(asked, (std::vector<double>{0, 1, 2 * (1.0 / 3), 1.0 / 3}));
}

TEST(row_64_visualize_array_sharding, DrawsAnyRankWithAxesAndBytes) {
  Mesh mesh = make_mesh({2, 2}, {"x", "y"});
  EXPECT_EQ(picture(device_put(1.f, devices()[3]), {.show_axes = true}),
            "┌───────────────────────┐\n│         CPU 3         │\n└───────────────────────┘\nfloat32: 4 bytes a "
            "device, 4 on all\n");
  Array x = device_put(zeros({4, 2, 2}), NamedSharding(mesh, P("x", none, "y")));
  std::string cube = picture(x, {.scale = 0.3, .show_axes = true});
  EXPECT_EQ(cube,
            "[0:2, :, :]\n"
            "┌───────┬───────┐\n"
            "│ CPU 0 │ CPU 1 │\n"
            "│       │       │\n"
            "└───────┴───────┘\n"
            "[2:4, :, :]\n"
            "┌───────┬───────┐\n"
            "│ CPU 2 │ CPU 3 │\n"
            "│       │       │\n"
            "└───────┴───────┘\n"
            "dim 0: 4 over x=2, blocks of 2\n"
            "dim 1: 2, whole\n"
            "dim 2: 2 over y=2, blocks of 1\n"
            "float32: 16 bytes a device, 64 on all\n");
  // Inside jit too.
  testing::internal::CaptureStdout();
  jit([](const Array& v) {
    debug::visualize_array_sharding(v, {.scale = 0.3, .show_axes = true});
    return v * 2;
  })(x);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), cube);
}

TEST(row_64_visualize_array_sharding, BreaksNoLabel) {
  set_cpu_devices(64);
  Array x = device_put(zeros({64, 2}), NamedSharding(make_mesh({64}, {"x"}), P("x")));
  std::string columns = picture(transpose(x)), all = picture(device_put(x, NamedSharding(make_mesh({64}, {"x"}), P())));
  std::string every = "CPU 0";
  for (int id = 0; id < 64; ++id) EXPECT_NE(columns.find("CPU " + std::to_string(id)), std::string::npos);
  for (int id = 1; id < 64; ++id) every += "," + std::to_string(id);
  EXPECT_NE(all.find("│" + every + "│"), std::string::npos);
  EXPECT_EQ((columns + all).find("…"), std::string::npos);
  EXPECT_NE(picture(transpose(x), {.wrap_labels = true}).find("││"), std::string::npos);  // as JAX draws it
  set_cpu_devices(8);
}

TEST(row_64_visualize_array_sharding, IsAnImageToo) {
  std::string svg = debug::sharding_svg(blocks());
  for (const Device& d : blocks().devices())
    EXPECT_NE(svg.find(">CPU " + std::to_string(d.id()) + "</text>"), std::string::npos);
  for (const char* part : {"<svg xmlns=", "dim 0: 8 over x=2, blocks of 4", "fill=\"#393b79\"", "</svg>"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  EXPECT_THROW(jit([](const Array& v) {
                 debug::sharding_svg(v);
                 return v;
               })(row()),
               TracerError);
}

}  // namespace
}  // namespace tutti::inventory

// SPDX-License-Identifier: Apache-2.0
