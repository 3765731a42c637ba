// Recurrences, filters and implicit derivatives: what users write with associative_scan, scan, custom_linear_solve,
// custom_root and custom_vmap.
#include <tutti/tutti.hpp>

#include <array>
#include <utility>

#include "case.hpp"

namespace bench {
namespace {

struct Affine {
  Array scale{}, shift{};
};

// h[t] = a[t] h[t - 1] + b[t] for all t at once, as state-space models do.
Array recurrence(const Array& x) {
  auto after = [](const Affine& f, const Affine& g) { return Affine{g.scale * f.scale, g.scale * f.shift + g.shift}; };
  return lax::associative_scan(after, Affine{nn::sigmoid(x), x}).shift;
}

struct Track {
  Array mean{}, covariance{};
};

// Positions in a plane with a constant velocity, of which the positions are measured. seen: [t, 2].
Array kalman(const Array& seen) {
  const Array motion = eye(4) + 0.1 * eye(4, 4, 2), look = eye(2, 4), noise = 0.01 * eye(4);
  auto step = [&](const Track& s, const Array& z) {
    const Array mean = matmul(motion, s.mean), p = matmul(matmul(motion, s.covariance), motion.T()) + noise;
    const Array innovation = matmul(matmul(look, p), look.T()) + eye(2);
    const Array gain = linalg::solve(innovation, matmul(look, p)).T();
    return std::pair{Track{mean + matmul(gain, z - matmul(look, mean)), p - matmul(matmul(gain, look), p)}, mean};
  };
  return lax::scan(step, Track{zeros({4}), eye(4)}, seen).second;
}

// The likeliest states of a hidden Markov model. scores: [t, states], moves: [states, states], logarithms.
Array viterbi(const Array& moves, const Array& scores) {
  auto forward = [&](const Array& best, const Array& score) {
    const Array by = expand_dims(best, 1) + moves;
    return std::pair{max(by, 0) + score, argmax(by, 0)};
  };
  auto [last, from] = lax::scan(forward, scores(0), scores(slice(1, none)));
  auto back = [](const Array& state, const Array& from) {
    const Array before = take(from, state);
    return std::pair{before, before};
  };
  return lax::scan(back, argmax(last), from, {.reverse = true}).second;
}

// x^3 + a x = 1 by Newton's method: the derivative is that of the root, not of the steps.
Array root_sum(const Array& a) {
  auto f = [&](const Array& x) { return x * x * x + a * x - 1; };
  auto newton = [&](const auto& g, const Array& x) {
    return lax::fori_loop(
        0, 20, [&](const Array&, const Array& y) { return y - g(y) / (3 * y * y + a); }, x);
  };
  auto divide = [](const auto& slope, const Array& y) { return y / slope(ones_like(y)); };
  return lax::custom_root(f, ones_like(a), newton, divide).sum();
}

struct Search {
  Array i{}, x{}, r{}, p{}, rs{};
};

// By conjugate gradients, of which the derivative is another solution.
Array solved_sum(const Array& a, const Array& b) {
  auto solve = [](const auto& apply, const Array& b) {
    auto body = [&](const Search& t) {
      const Array ap = apply(t.p), al = t.rs / dot(t.p, ap), r = t.r - al * ap, n = dot(r, r);
      return Search{t.i + 1, t.x + al * t.p, r, r + (n / t.rs) * t.p, n};
    };
    return lax::while_loop([](const Search& t) { return (t.i < 200) & (t.rs > 1e-12); }, body,
                           Search{Array(0), zeros_like(b), b, b, dot(b, b)})
        .x;
  };
  auto apply = [&](const Array& v) { return matmul(a, v); };
  return square(lax::custom_linear_solve(apply, b, solve, {.symmetric = true})).sum();
}

// Systems with one matrix are one system with many right sides.
Array shared_solve(const Array& a, const Array& b) {
  auto rule = [](std::int64_t, std::array<bool, 2> mapped, const Array& a, const Array& b) {
    return std::pair{mapped[0] ? vmap([](const Array& a, const Array& b) { return linalg::solve(a, b); })(a, b)
                               : linalg::solve(a, b.T()).T(),
                     true};
  };
  auto solve = custom_vmap([](const Array& a, const Array& b) { return linalg::solve(a, b); }, rule);
  return vmap(solve, {.in_axes = {none, 0}})(a, b);
}

// Conjugate gradients and GMRES on a grid, where the matrix is a stencil.
Array stencil(const Array& u) { return 4.1f * u - roll(u, 1, 0) - roll(u, -1, 0) - roll(u, 1, 1) - roll(u, -1, 1); }
Array skewed(const Array& u) { return stencil(u) + 0.5f * (roll(u, 1, 0) - roll(u, -1, 0)); }
Array grid_cg(const Array& b) { return linalg::cg(stencil, b, {.tol = 1e-5, .maxiter = 100}); }
Array grid_bicgstab(const Array& b) { return linalg::bicgstab(skewed, b, {.tol = 1e-5, .maxiter = 50}); }
Array grid_gmres(const Array& b) { return linalg::gmres(skewed, b, {.tol = 1e-5, .maxiter = 3}); }
Array ctc(const Array& logits) {
  const Array labels = remainder(lax::iota(int32, {32, 20}, 1) * 7, 27) + 1;
  return optim::ctc_loss(logits, zeros({32, 100}), labels, zeros({32, 20})).sum();
}

}  // namespace

std::vector<Case> solver_cases() {
  auto positive = [](const Setup& s) { return abs(s.normal({1 << 20}, P(axes("x", "y")))) + 1; };
  return {
      compiled("associative_scan_1M", recurrence, whole({1 << 20})),
      compiled(
          "kalman_256_t200", [](const Array& seen) { return vmap(kalman)(seen); }, rows({256, 200, 2})),
      compiled("viterbi_64_t200_s32", vmap(viterbi, {.in_axes = {none, 0}}), whole({32, 32}), rows({64, 200, 32})),
      compiled("custom_root_grad_1M", grad(root_sum), positive),
      compiled("custom_linear_solve_grad_512", grad(solved_sum), spd(512), whole({512})),
      compiled("custom_vmap_solve_512", shared_solve, spd(512), rows({256, 512})),
      compiled("cg_grid_256", grid_cg, whole({256, 256})),
      compiled("cg_grid_grad_256", grad([](const Array& b) { return square(grid_cg(b)).sum(); }), whole({256, 256})),
      compiled("bicgstab_grid_256", grid_bicgstab, whole({256, 256})),
      compiled("gmres_grid_256", grid_gmres, whole({256, 256})),
      compiled("ctc_loss_grad_32_t100", grad(ctc), rows({32, 100, 28}))};
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
