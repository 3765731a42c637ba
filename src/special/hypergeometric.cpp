// Hypergeometric functions. Sources: jax.scipy.special; J. Pearson et al., Numerical methods for the computation of the
// confluent and Gauss hypergeometric functions, doi.org/10.48550/arXiv.1407.7786.
#include <cmath>

#include "special/approximation.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/lax/special.hpp"
#include "tutti/special/special.hpp"

namespace tutti::special {
namespace {

constexpr int terms_a_step = 8;  // of a series, so that what lies in memory is read and written less often

double epsilon_of(const Array& x) { return x.dtype() == float64 ? 0x1p-52 : 0x1p-23; }

// A sum of terms and of their derivatives by the parameters.
struct Sums {
  Array sum, term;
  std::vector<Array> slopes, changes;  // of the sum and of the term, by each parameter
};
struct Parameters {
  std::vector<Array> up, down;  // the term is multiplied with (up + k) x / ((down + k) (k + 1))
};

// sum_k x^k / k! prod (up)_k / prod (down)_k, to `most` terms, or until none changes it; with derivatives by all
// parameters where asked for.
Sums series(const Parameters& p, const Array& x, int most, bool slopes) {
  const std::size_t count = slopes ? p.up.size() + p.down.size() : 0;
  Sums first{ones_like(x), ones_like(x), {}, {}};
  first.slopes.assign(count, zeros_like(x));
  first.changes.assign(count, zeros_like(x));
  const double small = epsilon_of(x) / 4;
  auto step = [&](const std::pair<Array, Sums>& at) {
    auto [k, s] = at;
    for (int i = 0; i < terms_a_step; ++i, k = k + 1) {
      Array rate = x / (k + 1);
      for (const Array& a : p.up) rate = rate * (a + k);
      for (const Array& b : p.down) rate = rate / (b + k);
      for (std::size_t j = 0; j < count; ++j) {
        // d(rate) / rate is 1 / (a + k), or -1 / (b + k); for a + k = 0 the others' product is left.
        const bool above = j < p.up.size();
        Array change;
        if (above) {
          change = x / (k + 1);
          for (std::size_t o = 0; o < p.up.size(); ++o)
            if (o != j) change = change * (p.up[o] + k);
          for (const Array& b : p.down) change = change / (b + k);
        } else {
          change = -rate / (p.down[j - p.up.size()] + k);
        }
        s.changes[j] = s.changes[j] * rate + s.term * change;
        s.slopes[j] = s.slopes[j] + s.changes[j];
      }
      s.term = s.term * rate;
      s.sum = s.sum + s.term;
    }
    return std::pair{k, s};
  };
  auto goes_on = [&](const std::pair<Array, Sums>& at) {
    const Sums& s = at.second;
    Array open = abs(s.term) > small * abs(s.sum);
    for (std::size_t j = 0; j < count; ++j) open = open | (abs(s.changes[j]) > small * abs(s.slopes[j]));
    open = open & isfinite(s.sum);
    return (at.first < most) & any(open);
  };
  return lax::while_loop(goes_on, step, std::pair{zeros(Shape{}, x.dtype()), first}).second;
}

// sum_k (a)_k (b)_k z^k / k!, which diverges: to its smallest term.
Array to_smallest_term(const Array& a, const Array& b, const Array& z) {
  Array sum = ones_like(z), term = sum, open = ones_like(z) > 0;
  for (int k = 0; k < 40; ++k) {
    const Array next = term * (a + k) * (b + k) * z / (k + 1.);
    open = open & (abs(next) < abs(term));
    sum = where(open, sum + next, sum);
    term = next;
  }
  return sum;
}

Array is_pole(const Array& x) { return (x <= 0) & (x == floor(x)); }
Array inverse_gamma(const Array& x) {
  return where(is_pole(x), 0, gammasgn(where(is_pole(x), 1, x)) * exp(-gammaln(x)));
}

// --- the confluent one: exp(x) M(b - a, b, -x) for x < 0, so that terms have one sign
struct Turned {
  Array negative, a, z, factor;
};
Turned turned(const Array& a, const Array& b, const Array& x) {
  const Array negative = x < 0;
  return {negative, where(negative, b - a, a), abs(x), where(negative, exp(x), 1)};
}
constexpr double far_away = 100;

Array confluent(const Array& a, const Array& b, const Array& x) {
  const Turned t = turned(a, b, x);
  const Array far = (t.z >= far_away) & ~is_pole(t.a), inner = where(far | isinf(t.z), 0, t.z);
  const Array near = t.factor * series({{t.a}, {b}}, inner, 1000, false).sum;
  const Array z = where(far, t.z, far_away), top = where(far, t.a, 1);
  // Gamma(b) / Gamma(a) exp(x) x^(a - b); turned the exponentials cancel.
  const Array size = gammaln(b) - gammaln(top) + where(t.negative, 0, z) + (top - b) * log(z);
  const Array large = gammasgn(b) * gammasgn(top) * exp(size) * to_smallest_term(b - top, 1 - top, 1 / z);
  const Array any_other = where(far, large, near);
  return where(a == 0, 1, where(a == b, exp(x), where(b == 0, inf, where(isnan(x), x, any_other))));
}

// By a and b.
std::pair<Array, Array> confluent_slopes(const Array& a, const Array& b, const Array& x) {
  const Turned t = turned(a, b, x);
  const std::vector<Array> d = series({{t.a}, {b}}, t.z, 1000, true).slopes;
  const Array by_a = t.factor * d[0], by_b = t.factor * d[1];
  return {where(t.negative, -by_a, by_a), where(t.negative, by_a + by_b, by_b)};
}

// --- Gauss's, for x <= 1
// sum to the last term of a polynomial, or to x^k without weight.
Array powers(const Array& a, const Array& b, const Array& c, const Array& x) {
  return series({{a, b}, {c}}, x, 2000, false).sum;
}
// Around 1, for d = c - a - b that is no integer.
Array around_one(const Array& a, const Array& b, const Array& c, const Array& x) {
  const Array d = c - a - b, y = 1 - x, all = gamma(c);
  const Array one = all * gamma(d) * inverse_gamma(c - a) * inverse_gamma(c - b) * powers(a, b, 1 - d, y);
  const Array other = all * gamma(-d) * inverse_gamma(a) * inverse_gamma(b) * powers(c - a, c - b, 1 + d, y);
  return one + exp(d * log(y)) * other;
}
// Around 1 for d = 0, 1, ...: with logarithms.
Array with_logarithm(const Array& a, const Array& b, const Array& d, const Array& x) {
  const Array y = 1 - x, c = a + b + d, logarithm = log(y);
  Array finite = zeros_like(x), term = gamma(where(d == 0, 1, d)) * inverse_gamma(a + d) * inverse_gamma(b + d);
  for (int k = 0; k < 40; ++k) {
    finite = where(d > k, finite + term, finite);
    const Array left = 1 - d + k;
    term = where(d > k + 1, term * (a + k) * (b + k) / where(left == 0, 1, left) / (k + 1.) * y, 0);
  }
  Array psi = lax::digamma(ones_like(x)) + lax::digamma(1 + d) - lax::digamma(a + d) - lax::digamma(b + d);
  Array weight = inverse_gamma(1 + d), sum = zeros_like(x);
  for (int k = 0; k < 24; ++k) {  // y is less than 1 / 10
    sum = sum + weight * (psi - logarithm);
    weight = weight * y * (a + d + k) * (b + d + k) / ((k + 1.) * (k + 1. + d));
    psi = psi + 1 / (k + 1.) + 1 / (k + 1. + d) - 1 / (a + d + k) - 1 / (b + d + k);
  }
  const Array odd = remainder(d, 2) != 0, logs = sum * exp(d * logarithm) * inverse_gamma(a) * inverse_gamma(b);
  return gamma(c) * (finite + where(odd, -logs, logs));
}

Array gauss(const Array& a0, const Array& b0, const Array& c, const Array& x0) {
  // Pfaff's: to the right half, where terms have one sign from some place on.
  const Array left = x0 < 0, ends = is_pole(a0) | is_pole(b0);
  const Array turn = left & ~ends, outside = x0 > 1;
  const Array safe = where(turn, x0, 0), x = where(turn, safe / (safe - 1), where(outside & ~ends, 0.5, x0));
  const Array a = a0, b = where(turn, c - b0, b0), d = c - a - b, whole = round(d);
  const Array tame = ~is_pole(a) & ~is_pole(b), high = (x > 0.9) & tame & (x < 1);
  const Array integer = abs(d - whole) < 50 * epsilon_of(x) * maximum(abs(whole), 1);
  const Array by_gauss = high & ~integer & (abs(d - whole) > 1e-3), by_logs = high & integer;
  auto at = [](const Array& mask, const Array& v, double otherwise) { return where(mask, v, otherwise); };
  const Array rest = ~(by_gauss | by_logs);
  const Array plain = powers(at(rest, a, 1), at(rest, b, 1), at(rest, c, 3), at(rest & (x < 1), x, 0));
  const Array one = around_one(at(by_gauss, a, .3), at(by_gauss, b, .4), at(by_gauss, c, 1.1), at(by_gauss, x, .95));
  // F(a, b, c) = (1 - x)^d F(c - a, c - b, c): so that d is not negative.
  const Array down = by_logs & (whole < 0), e = at(by_logs, abs(whole), 1), p = at(by_logs, where(down, c - a, a), .3),
              q = at(by_logs, where(down, c - b, b), .4), near = at(by_logs, x, .95);
  const Array logs = with_logarithm(p, q, e, near) * where(down, exp(whole * log(1 - near)), 1);
  const Array value = where(by_logs, logs, where(by_gauss, one, plain));
  const Array limit = where(d > 0, gamma(c) * gamma(d) * inverse_gamma(c - a) * inverse_gamma(c - b), inf);
  const Array scaled = where(turn, exp(-a * log1p(-safe)) * value, where((x0 == 1) & ~ends, limit, value));
  const Array known = where(outside & ~ends, inf, scaled);
  return where((x0 == 0) | (a0 == 0) | (b0 == 0), 1, where(isnan(x0), x0, known));
}

// By a, b and c: of the series, as long as it converges.
std::vector<Array> gauss_slopes(const Array& a, const Array& b, const Array& c, const Array& x) {
  const Array turn = x < 0, safe = where(turn, x, 0), z = where(turn, safe / (safe - 1), x);
  const Array second = where(turn, c - b, b);
  const Sums s = series({{a, second}, {c}}, z, 4000, true);
  // (1 - x)^-a F(a, c - b, c, z).
  const Array minus = log1p(-safe), factor = exp(-a * minus);
  const Array by_a = factor * (s.slopes[0] - minus * s.sum), by_second = factor * s.slopes[1];
  return {by_a, where(turn, -by_second, by_second), factor * s.slopes[2] + where(turn, by_second, 0)};
}

}  // namespace

Array hyp1f1(const Operand& a, const Operand& b, const Operand& x) {
  CallScope scope(a.loc);
  using Args = std::tuple<Array, Array, Array>;
  auto body = [](const Array& p, const Array& q, const Array& v) {
    auto rule = [](const Args& at, const Args& change) {
      const auto& [u, w, z] = at;
      const auto [by_a, by_b] = confluent_slopes(u, w, z);
      const Array by_x = u / w * confluent(u + 1, w + 1, z);
      return std::pair{confluent(u, w, z),
                       by_a * std::get<0>(change) + by_b * std::get<1>(change) + by_x * std::get<2>(change)};
    };
    return custom_jvp([](const Array& u, const Array& w, const Array& z) { return confluent(u, w, z); }, rule)(p, q, v);
  };
  std::vector<Array> v = real_numbers("hyp1f1", {a.array, b.array, x.array});
  const DType dtype = v[0].dtype();
  if (dtype.size() < 4)
    for (Array& each : v) each = each.astype(float32);
  return composite("hyp1f1", body, v[0], v[1], v[2]).astype(dtype);
}

Array hyp2f1(const Operand& a, const Operand& b, const Operand& c, const Operand& x) {
  CallScope scope(a.loc);
  using Args = std::tuple<Array, Array, Array, Array>;
  auto body = [](const Array& p, const Array& q, const Array& r, const Array& v) {
    auto rule = [](const Args& at, const Args& change) {
      const auto& [s, t, u, z] = at;
      const std::vector<Array> by = gauss_slopes(s, t, u, z);
      const Array by_x = s * t / u * gauss(s + 1, t + 1, u + 1, z);
      const Array sum = by[0] * std::get<0>(change) + by[1] * std::get<1>(change) + by[2] * std::get<2>(change);
      return std::pair{gauss(s, t, u, z), sum + by_x * std::get<3>(change)};
    };
    auto value = [](const Array& s, const Array& t, const Array& u, const Array& z) { return gauss(s, t, u, z); };
    return custom_jvp(value, rule)(p, q, r, v);
  };
  std::vector<Array> v = real_numbers("hyp2f1", {a.array, b.array, c.array, x.array});
  const DType dtype = v[0].dtype();
  if (dtype.size() < 4)
    for (Array& each : v) each = each.astype(float32);
  return composite("hyp2f1", body, v[0], v[1], v[2], v[3]).astype(dtype);
}

}  // namespace tutti::special
