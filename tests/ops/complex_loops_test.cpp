// Elementwise operations on complex numbers are loops wherever they stand: users-3, 5.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <sstream>
#include <string>

#include "ir/op.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Binary = std::function<Array(const Array&, const Array&)>;

// One use of each elementwise op that says what it is on parts.
const std::map<std::string, Binary>& uses() {
  static const std::map<std::string, Binary> all{
      {"abs", [](const Array& z, const Array& w) { return abs(z) * w; }},
      {"add", [](const Array& z, const Array& w) { return z + w; }},
      {"complex", [](const Array& z, const Array& w) { return lax::complex(real(z), imag(w)); }},
      {"conj", [](const Array& z, const Array&) { return conj(z); }},
      {"convert_element_type", [](const Array& z, const Array&) { return real(z).astype(z.dtype()); }},
      {"cos", [](const Array& z, const Array&) { return cos(z); }},
      {"div", [](const Array& z, const Array& w) { return z / w; }},
      {"eq", [](const Array& z, const Array& w) { return (z == w).astype(z.dtype()); }},
      {"exp", [](const Array& z, const Array&) { return exp(z); }},
      {"imag", [](const Array& z, const Array& w) { return imag(z) * w; }},
      {"integer_pow", [](const Array& z, const Array&) { return lax::integer_pow(z, 3); }},
      {"log", [](const Array& z, const Array&) { return log(z); }},
      {"max", [](const Array& z, const Array& w) { return maximum(z, w); }},
      {"min", [](const Array& z, const Array& w) { return minimum(z, w); }},
      {"mul", [](const Array& z, const Array& w) { return z * w; }},
      {"ne", [](const Array& z, const Array& w) { return (z != w).astype(z.dtype()); }},
      {"sign", [](const Array& z, const Array&) { return sign(z); }},
      {"neg", [](const Array& z, const Array&) { return -z; }},
      {"real", [](const Array& z, const Array& w) { return real(z) * w; }},
      {"select", [](const Array& z, const Array& w) { return where(real(z) > 0, z, w); }},
      {"sin", [](const Array& z, const Array&) { return sin(z); }},
      {"sub", [](const Array& z, const Array& w) { return z - w; }},
      {"reciprocal", [](const Array& z, const Array&) { return reciprocal(z); }},
      {"square", [](const Array& z, const Array&) { return square(z); }},
      {"power", [](const Array& z, const Array&) { return power(z, 2); }},
  };
  return all;
}

// Lines of a plan that call one of those ops.
std::string calls_in(const std::string& plan) {
  std::istringstream lines(plan);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("call ");
    if (at != std::string::npos && uses().contains(line.substr(at + 5, line.find(' ', at + 5) - at - 5)))
      out += line + "\n";
  }
  return out;
}

const std::map<std::string, std::function<Binary(const Binary&)>>& contexts() {
  static const std::map<std::string, std::function<Binary(const Binary&)>> all{
      {"alone", [](const Binary& f) { return f; }},
      {"fori",
       [](const Binary& f) {
         return [=](const Array& z, const Array& w) {
           return lax::fori_loop(
               0, 5, [&](const Array&, const Array& c) { return f(c, w); }, z);
         };
       }},
      {"fori between real carries",
       [](const Binary& f) {
         return [=](const Array& z, const Array& w) {
           const Array x = real(z), y = imag(w);
           return lax::fori_loop(
               0, 5, [&](const Array&, const Array& c) { return real(f(lax::complex(c, y), lax::complex(y, c))); }, x);
         };
       }},
      {"scan",
       [](const Binary& f) {
         return [=](const Array& z, const Array& w) {
           return lax::scan(
                      [&](const Array& c, const Array& row) {
                        return std::pair{f(c, row), f(row, c)};
                      },
                      z[0], w)
               .second;
         };
       }},
      {"while",
       [](const Binary& f) {
         return [=](const Array& z, const Array& w) {
           return lax::while_loop([](const Array& c) { return abs(c).sum() < 100; },
                                  [&](const Array& c) { return f(c, w) + 1; }, z);
         };
       }},
      {"cond",
       [](const Binary& f) {
         return [=](const Array& z, const Array& w) {
           return lax::cond(
               real(z)[0][0] > 0, [&](const Array& z) { return f(z, w); }, [&](const Array& z) { return f(w, z); }, z);
         };
       }},
      {"gradient",
       [](const Binary& f) {
         return [=](const Array& z, const Array& w) {
           return grad([&](const Array& z) { return abs(f(z, w)).sum(); })(z);
         };
       }},
      {"gradient of a loop",
       [](const Binary& f) {
         return [=](const Array& z, const Array& w) {
           return grad([&](const Array& z) {
             return abs(lax::fori_loop(
                            0, 3, [&](const Array&, const Array& c) { return f(c, w); }, z))
                 .sum();
           })(z);
         };
       }},
      {"vmap", [](const Binary& f) { return [=](const Array& z, const Array& w) { return vmap(f)(z, w); }; }},
      {"shard_map",
       [](const Binary& f) {
         return [=](const Array& z, const Array& w) {
           return shard_map(
               [&](const Array& z, const Array& w) {
                 return lax::fori_loop(
                            0, 3, [&](const Array&, const Array& c) { return f(c, w); }, z) +
                        lax::psum(f(z, w), "d");
               },
               {.mesh = make_mesh({4}, {"d"}), .in_specs = P("d"), .out_specs = P("d")})(z, w);
         };
       }},
  };
  return all;
}

}  // namespace

TEST(ComplexLoops, EachOpWithPartsIsTried) {
  for (const Op* op : all_ops())
    if (op->in_parts && op->reduce == Op::Reduce::none) {
      EXPECT_TRUE(uses().contains(op->name)) << op->name;
    }
}

// Alone each for itself, elsewhere all of them in one program.
TEST(ComplexLoops, NoElementwiseEqnIsACall) {
  enable_x64(true);
  const Binary every = [](const Array& z, const Array& w) {
    Array sum = z;
    for (const auto& [name, use] : uses()) sum = sum + use(z, w);
    return sum;
  };
  for (DType part : {float32, float64}) {
    const Array re = random::normal(random::key(0), {4, 24}, part), im = random::normal(random::key(1), {4, 24}, part);
    const Array z = lax::complex(re, im), w = lax::complex(im, re);
    auto check = [&](const std::string& what, const Binary& f) {
      SCOPED_TRACE(what + ", " + std::string(part.name()));
      EXPECT_EQ(calls_in(jit(f).lower(z, w).compile().plan()), "");
    };
    for (const auto& [name, use] : uses()) check(name, use);
    for (const auto& [context, around] : contexts()) check(context, around(every));
  }
  enable_x64(false);
}

// The same bits as one operation after the other, in rows of every length: parts are read and stored in pairs of
// vectors, of which the last ones are not full.
TEST(ComplexLoops, ValuesAreThoseOfSingleOperations) {
  enable_x64(true);
  for (DType part : {float32, float64})
    for (std::int64_t n : {1, 2, 7, 8, 15, 16, 17, 31, 33, 100, 1000, 5000}) {
      SCOPED_TRACE(n);
      const Array re = random::normal(random::key(0), {n}, part), im = random::normal(random::key(1), {n}, part);
      auto f = [](const Array& re, const Array& im) { return conj(lax::complex(re, im) * 2) + lax::complex(im, re); };
      const Array z = jit(f)(re, im);
      EXPECT_TRUE(array_equal(real(z), 2 * re + im)) << z;
      EXPECT_TRUE(array_equal(imag(z), re - 2 * im)) << z;
      const Array both = jit([](const Array& z) { return stack({real(z) + imag(z), real(z) - imag(z)}); })(z);
      EXPECT_TRUE(array_equal(both, stack({real(z) + imag(z), real(z) - imag(z)})));
    }
  enable_x64(false);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
