// x^y of float32 lanes, by way of doubles: the logarithm of x has to be known to 32 bits, as y multiplies its error.
#pragma once

#include <limits>

#include "lane/lane.hpp"
#include "lane/lane_math.hpp"

namespace tutti::lane {

/// |x|^y for finite |x| > 0, by 2^(y log2 |x|); within 1 unit in the last place.
template <AnyLane L> L power_of_magnitude(L a, L y) {
  // The series of 2 atanh(s) / ln 2 with s = (m - 1) / (m + 1), |s| < 0.172, and of 2^r, |r| <= 1/2.
  static constexpr double log_terms[] = {2.8853900817779268, 0.9617966939259756, 0.5770780163555853, 0.4121985831111324,
                                         0.3205988979753252, 0.2623081892525388, 0.22195308321368667};
  static constexpr double exp_terms[] = {1.0,
                                         0.6931471805599453,
                                         0.2402265069591007,
                                         0.055504108664821576,
                                         0.009618129107628477,
                                         0.0013333558146428441,
                                         0.00015403530393381606,
                                         1.5252733804059838e-05,
                                         1.3215486790144305e-06};
  constexpr double whole = 6755399441055744;  // 1.5 2^52: what is added to it is rounded to whole numbers
  auto subnormal = a < 0x1p-126;
  auto [exponent, m] = split(select(subnormal, a * 0x1p25, a));
  auto e = convert<double>(select(subnormal, exponent - 25, exponent));
  auto wide = convert<double>(m);
  auto s = (wide - 1) / (wide + 1);
  auto t = convert<double>(y) * fma(s, polynomial(s * s, log_terms), e);
  t = min(max(t, constant(t, -200)), constant(t, 200));
  auto n = t + whole - whole;
  auto power = polynomial(t - n, exp_terms);
  return scale(convert<float>(power), convert<float>(n));
}

/// As C's Annex G has pow: of negative numbers whole powers alone, x^0 and 1^y are 1 also of NaN.
template <AnyLane L> L float_power(L x, L y) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const L a = abs(x), one = constant(x, 1), zero = constant(x, 0), endless = constant(x, infinity);
  auto grows = y > 0;
  L size = power_of_magnitude(a, y);
  size = select(a == infinity, select(grows, endless, zero), size);
  size = select(a == 0, select(grows, zero, endless), size);
  size = select(a == 1, one, size);  // also to an infinite power
  const L half = y * 0.5;
  auto odd = (floor(y) == y) & (floor(half) != half);
  auto negative = bitcast<std::int32_t>(x) < 0;  // -0, too
  size = select(negative & odd, -size, size);
  auto undefined = (x < 0) & (floor(y) != y) & (a < infinity);
  size = select(undefined, constant(x, std::numeric_limits<double>::quiet_NaN()), size);
  size = select((x != x) | (y != y), x + y, size);
  return select((y == 0) | (x == 1), one, size);
}

}  // namespace tutti::lane
