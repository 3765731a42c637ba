// Rows 66 and 67: what an experiment prints.
#include <chrono>
#include <sstream>
#include <thread>

#include "inventory/check.hpp"

namespace tutti::inventory {
namespace {

TEST(row_66_timing, PrintsMeanAndDeviation) {
  Timing t{{0.002, 0.0021, 0.0019, 0.002, 0.002}, 5};
  EXPECT_EQ(t.str(), "2 ms ± 63.2 µs per loop (mean ± std. dev. of 5 runs, 5 loops each)");
  Timing slow{{0.001, 0.009}, 1};
  EXPECT_NE(slow.str().find("The slowest run took 9.00 times"), std::string::npos) << slow.str();
  EXPECT_EQ((Timing{{0.001, 0.004}, 1}).str().find("slowest"), std::string::npos);  // four times is no more than four
  EXPECT_EQ((Timing{{1e-7, 9e-7}, 1}).str().find("slowest"), std::string::npos);    // below a microsecond nobody cares
  int calls = 0;
  EXPECT_EQ(timeit(
                [&] {
                  ++calls;
                  return arange(3);
                },
                {.runs = 3, .loops = 2})
                .seconds.size(),
            3u);
  EXPECT_EQ(calls, 6);
  // As many powers of ten as make a run of 0.2 seconds: of 30 milliseconds each 10.
  EXPECT_EQ(timeit([] { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }, {.runs = 1}).loops, 10);
}

// str(IPython.core.magics.execution.TimeitResult(loops, 1, s, s, [s * loops], 0, 3)), IPython 9.
TEST(row_66_timing, PrintsAsIPython) {
  for (auto [seconds, loops, want] :
       {std::tuple{1.234e-6, 100000, "1.23 µs ± 0 ns per loop (mean ± std. dev. of 1 run, 100,000 loops each)"},
        std::tuple{5.5e-9, 10000000, "5.5 ns ± 0 ns per loop (mean ± std. dev. of 1 run, 10,000,000 loops each)"},
        std::tuple{0.0123, 1000, "12.3 ms ± 0 ns per loop (mean ± std. dev. of 1 run, 1,000 loops each)"},
        std::tuple{0.5, 100, "500 ms ± 0 ns per loop (mean ± std. dev. of 1 run, 100 loops each)"},
        std::tuple{12.5, 1, "12.5 s ± 0 ns per loop (mean ± std. dev. of 1 run, 1 loop each)"},
        std::tuple{3725.5, 1, "1h 2min 5s ± 0 ns per loop (mean ± std. dev. of 1 run, 1 loop each)"},
        std::tuple{90061., 1, "1d 1h 1min 1s ± 0 ns per loop (mean ± std. dev. of 1 run, 1 loop each)"},
        std::tuple{120., 1, "2min ± 0 ns per loop (mean ± std. dev. of 1 run, 1 loop each)"}})
    EXPECT_EQ((Timing{{seconds}, loops}).str(), want);
}

template <class E> std::string printed(const E& e) {
  std::ostringstream out;
  print_exception(e, out);
  return out.str();
}
struct OddError : DeviceError {
  using DeviceError::DeviceError;
};

TEST(row_67_print_exception, IsRedAndWrapped) {
  std::string text =
      printed(ValueError("one two three four five six seven eight nine ten eleven twelve thirteen fourteen"));
  // textwrap.fill, in which the escape sequences count.
  EXPECT_EQ(
      text,
      "\x1b[31mValueError\x1b[0m: one two three four five six seven eight nine ten\neleven twelve thirteen fourteen\n");
  // Each line by itself; its indent stays.
  EXPECT_EQ(printed(TypeError("a: b.\n  at x.cpp:3\n  Do that.")),
            "\x1b[31mTypeError\x1b[0m: a: b.\n  at x.cpp:3\n  Do that.\n");
}

TEST(row_67_print_exception, NamesTheClassOfTheErrorWhereTheHandlerDoesNot) {
  auto named = [](auto throwing) {
    try {
      throwing();
    } catch (const std::exception& e) {
      std::string text = printed(e);
      return text.substr(5, text.find("\x1b[0m") - 5);
    }
    return std::string("nothing");
  };
  EXPECT_EQ(named([] { arange(3).reshape(2, 2); }), "ShapeError");
  EXPECT_EQ(named([] { grad([](const Array& x) { return x; })(arange(3)); }), "TypeError");
  EXPECT_EQ(named([] { throw IndexError("x"); }), "IndexError");
  EXPECT_EQ(named([] { throw std::runtime_error("x"); }), "std::runtime_error");
  EXPECT_NE(named([] { throw OddError("x"); }).find("OddError"), std::string::npos);
  try {
    arange(3).reshape(2, 2);
  } catch (const Error& e) {
    EXPECT_EQ(printed(e).rfind("\x1b[31mShapeError\x1b[0m: reshape", 0), 0u) << printed(e);
  }
  try {
    arange(3).reshape(2, 2);
  } catch (const ValueError& e) {
    EXPECT_EQ(printed(e).rfind("\x1b[31mValueError\x1b[0m: reshape", 0), 0u) << printed(e);
  }
}

// Python's "\n".join(textwrap.wrap(text, width)). 20000 random texts were compared as well.
TEST(row_67_wrap, IsTextwraps) {
  for (auto [text, width, want] :
       {std::tuple{"one two  three   four", 9, "one two\nthree\nfour"},
        std::tuple{"  leading blanks stay", 10, "  leading\nblanks\nstay"},
        std::tuple{"trailing  ", 20, "trailing"},
        std::tuple{"a well-known state-of-the-art thing", 12, "a well-known\nstate-of-\nthe-art\nthing"},
        std::tuple{"a well-known state-of-the-art thing", 5, "a\nwell-\nknown\nstate\n-of-\nthe-\nart\nthing"},
        std::tuple{"word--word -- word--", 8, "word--\nword --\nword--"},
        std::tuple{"option --flag and -x and --", 10, "option\n--flag and\n-x and --"},
        std::tuple{"3-4 a-b a-b-c ab-c-d x--y", 4, "3-4\na-b \na-b-\nc\nab-\nc-d\nx--y"},
        std::tuple{"a\tb\tcc", 12, "a       b\ncc"},
        std::tuple{"line\nends\015\nare blanks", 30, "line ends  are blanks"},
        std::tuple{"averylongwordwithoutanyhyphen", 10, "averylongw\nordwithout\nanyhyphen"},
        std::tuple{"short averylongwordthatdoesnotfit end", 12, "short averyl\nongwordthatd\noesnotfit\nend"},
        std::tuple{"aaaaaaa-bbbbbbb-cccccccccccc", 10, "aaaaaaa-\nbbbbbbb-cc\ncccccccccc"},
        std::tuple{"x----------y", 5, "x----\n-----\n-y"},
        std::tuple{"----------", 4, "----\n----\n--"},
        std::tuple{"short and-averylonghyphenatedword", 14, "short and-aver\nylonghyphenate\ndword"},
        std::tuple{"", 10, ""},
        std::tuple{"   ", 10, ""},
        std::tuple{"µs ± 3 naïve-café", 8, "µs ± 3\nnaïve-\ncafé"},
        std::tuple{"日本語の長い文を切る", 4, "日本語の\n長い文を\n切る"},
        std::tuple{"dash — em—dash", 7, "dash —\nem—dash"},
        std::tuple{"é-é ab-éé", 4, "é-é\nab-\néé"},
        std::tuple{"no\u00a0break space", 6, "no\u00a0bre\nak\nspace"},
        std::tuple{"'q'--\"r\" (see)--that %--b ?--b", 6, "'q'--\n\"r\" (s\nee)--\nthat\n%--b ?\n--b"},
        std::tuple{"foo_bar-baz_qux 1-a a-1 aa-1a", 5, "foo_b\nar-ba\nz_qux\n1-a\na-1\naa-1a"},
        std::tuple{"Received incompatible devices for jitted computation. Got argument x1 of jax.numpy.add with shape "
                   "int32[24]",
                   70,
                   "Received incompatible devices for jitted computation. Got argument x1\nof jax.numpy.add with shape "
                   "int32[24]"},
        std::tuple{"a b c", 1, "a\nb\nc"},
        std::tuple{"ab-cd", 1, "a\nb\n-\nc\nd"},
        std::tuple{"🙂🙂-🙂 x", 3, "🙂🙂-\n🙂 x"},
        std::tuple{"e.g. x, y; z: (a-b) [cc-dd]", 9, "e.g. x,\ny; z:\n(a-b)\n[cc-dd]"}})
    EXPECT_EQ(wrap(text, width), want) << text;
  EXPECT_THROW(wrap("x", 0), ValueError);
}

}  // namespace
}  // namespace tutti::inventory

// SPDX-License-Identifier: Apache-2.0
