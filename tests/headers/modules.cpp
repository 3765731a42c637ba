// The headers that tutti.hpp leaves out, in a program of a user: what warnings and options are tried on (users-3, 9).
#include <tutti/tutti.hpp>

#include <tutti/fft/cosine.hpp>
#include <tutti/image/image.hpp>
#include <tutti/linalg/matrix_functions.hpp>
#include <tutti/linalg/special_matrices.hpp>
#include <tutti/optim/contrib.hpp>
#include <tutti/optim/lbfgs.hpp>
#include <tutti/scipy/cluster.hpp>
#include <tutti/scipy/ndimage.hpp>
#include <tutti/scipy/ode.hpp>
#include <tutti/scipy/optimize.hpp>
#include <tutti/scipy/signal.hpp>
#include <tutti/special/distributions.hpp>
#include <tutti/special/multivariate.hpp>

int main() {
  using namespace tutti;
  const Array x = arange(8.f);
  const auto loss = [](const Array& w) { return sum(square(w - 1)); };
  const auto opt = optim::chain(optim::lbfgs(), optim::contrib::reduce_on_plateau());
  const auto search = optim::lbfgs({}, optim::scale_by_backtracking_linesearch(5, {.store_grad = true}));
  const auto state = opt.init(x);
  const auto [value, g] = optim::value_and_grad_from_state(loss)(x, search.init(x));
  const auto [updates, next] = opt.update(g, state, x, optim::Objective{value, g, loss});
  const auto free = optim::contrib::schedule_free(optim::sgd(.1), .1);
  const auto muon = optim::contrib::muon(.1).init(x);
  const auto ahead = optim::lookahead(optim::sgd(.1), 2, .5).init(optim::LookaheadParams<Array>::init_synced(x));
  const Array y = ode::odeint([](const Array& v, const Array&, const Array& a) { return -a * v; }, x, x, {}, 2.f);
  const auto found = optimize::minimize(loss, x, {.method = "BFGS"});
  const auto [f, t, z] = signal::stft(x, {.nperseg = 4});
  const Array at = interpolate::RegularGridInterpolator({x}, x)(x) + ndimage::map_coordinates(x, {x}, 1);
  const Array density = stats::gaussian_kde(x)(x) + stats::truncnorm::pdf(x, -1, 2);
  const Array root = linalg::sqrtm(linalg::hilbert(3)), c = fft::dct(image::resize(x, {4}, "linear"));
  const Array all_of_them = y[0] + at + density + real(z)[0][0] + real(root)[0][0] + c[0] + found.x + updates;
  return cluster::vq(all_of_them, x).code.size() == 8 && free.init(x).z.size() == 8 && !ahead.steps_since_sync.size();
}

// SPDX-License-Identifier: Apache-2.0
