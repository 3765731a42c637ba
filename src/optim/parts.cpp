// Parts without moments.
#include "optim/stages.hpp"

namespace tutti::optim {

bool Mask::holds(const tree::Path& path, const Array& leaf) const {
  if (function_) return function_(path, leaf);
  const auto* rule = rules_.first_match(path);
  return rule ? rule->value : all_;
}

void Mask::check(const std::vector<tree::Path>& paths) const { rules_.check("mask", paths, current_loc()); }

std::vector<bool> masked_places(const Mask& mask, const Leaves& l) {
  std::vector<tree::Path> paths = l.paths();
  mask.check(paths);
  std::vector<bool> out(l.updates.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = l.updates[i].has_value() && mask.holds(paths[i], l.updates[i]);
  return out;
}

Stage like(bool pure, std::vector<std::shared_ptr<const Rate>> rates, std::function<void(Leaves&)> run) {
  return pure ? Stage::pure(std::move(run), std::move(rates)) : Stage(std::move(run));
}

Stage in_order(std::vector<Stage> stages) {
  const bool pure = std::all_of(stages.begin(), stages.end(), [](const Stage& s) { return s.is_pure(); });
  std::vector<std::shared_ptr<const Rate>> rates;
  for (const Stage& s : stages) rates.insert(rates.end(), s.rates().begin(), s.rates().end());
  return like(pure, std::move(rates), [stages = std::move(stages)](Leaves& l) {
    for (const Stage& s : stages) s(l);
  });
}

Stage on_slots(Stage stage, std::vector<std::size_t> which) {
  const bool pure = stage.is_pure();
  auto rates = stage.rates();
  return like(pure, std::move(rates), [stage = std::move(stage), which = std::move(which)](Leaves& l) {
    std::vector<std::vector<Array>> all = std::move(l.state), some;
    for (std::size_t k : which) some.push_back(std::move(all[k]));
    l.state = std::move(some);
    stage(l);
    for (std::size_t i = 0; i < which.size(); ++i) all[which[i]] = std::move(l.state[i]);
    l.state = std::move(all);
  });
}

Stage times_rate(Rate rate, bool minus) {
  auto shared = std::make_shared<const Rate>(std::move(rate));
  auto run = [shared, minus](Leaves& l) {
    Array step = l.rate(*shared);
    if (minus) step = -step;
    l.each([&](std::size_t i) {
      l.updates[i] = step.weak_type() ? step * l.updates[i] : step.astype(l.updates[i].dtype()) * l.updates[i];
    });
  };
  return Stage::pure(run, {shared});
}

Stage in_float32(std::function<void(Leaves&)> run) {
  auto widen = [](std::vector<Array>& arrays) {
    for (Array& x : arrays)
      if (x.has_value() && x.dtype() == float16) x = x.astype(float32);
  };
  auto back = [](std::vector<Array>& arrays, const std::vector<Array>& before) {
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (before[i].has_value() && before[i].dtype() == float16) arrays[i] = arrays[i].astype(float16);
  };
  return Stage::pure([=](Leaves& l) {
    const std::vector<Array> updates = l.updates, params = l.params;
    const std::vector<std::vector<Array>> state = l.state;
    widen(l.updates);
    widen(l.params);
    for (std::vector<Array>& slot : l.state) widen(slot);
    run(l);
    l.params = params;
    back(l.updates, updates);
    for (std::size_t k = 0; k < state.size(); ++k) back(l.state[k], state[k]);
  });
}

Array moment(const Array& x, const Array& m, double decay) { return (1 - decay) * x + decay * m; }
Array correction(double decay, const Array& count) { return 1 - power(array(decay), count.astype(float32)); }

Array norm_at_least(const Array& x, double min_norm) {
  if (x.dtype().is_floating() && x.dtype().size() < 4)
    return norm_at_least(x.astype(float32), min_norm).astype(x.dtype());
  Array norm = sqrt(sum(square(x)));
  Array small = norm <= min_norm;
  return where(
      small, min_norm,
      sqrt(sum(square(where(small, ones_like(x), x)))));  // the second `where` keeps sqrt'(0) out of the gradient
}

namespace {

// The norm of each unit: over all but the last dim of matrices and kernels, over everything of vectors.
Array unitwise_norm(const Array& x) {
  std::vector<std::int64_t> axes;
  if (squeeze(x).ndim() > 1)
    for (int d = 0; d < (x.ndim() <= 3 ? 1 : x.ndim() - 1); ++d) axes.push_back(d);
  return sqrt(axes.empty() ? sum(square(x), all, true) : sum(square(x), axes, true));
}

Stateless stateless(std::function<void(Leaves&)> run) { return Stateless({}, Stage::pure(std::move(run))); }
Stateless stateless_in_float32(std::function<void(Leaves&)> run) { return Stateless({}, in_float32(std::move(run))); }

}  // namespace

Stateless identity() {
  return stateless([](Leaves&) {});
}
Stateless set_to_zero() {
  return stateless(each_update([](const Array& u) { return zeros_like(u); }));
}
Stateless scale(double factor) {
  return stateless(each_update([=](const Array& u) { return factor * u; }));
}
Stateless scale_by_sign() {
  return stateless(each_update([](const Array& u) { return sign(u); }));
}
Stateless clip(double d) {
  return stateless(each_update([=](const Array& u) { return tutti::clip(u, -d, d); }));
}
Stateless centralize() {
  return stateless(each_update([](const Array& u) {
    if (u.ndim() < 2) return u;
    std::vector<std::int64_t> axes;
    for (int d = 1; d < u.ndim(); ++d) axes.push_back(d);
    return u - mean(u, axes, true);
  }));
}

Stateless clip_by_global_norm(double max_norm) {
  return stateless_in_float32([=](Leaves& l) {
    std::vector<Array> present;
    l.each([&](std::size_t i) { present.push_back(l.updates[i]); });
    Array norm = detail::norm_of(present), fits = norm < max_norm;
    l.each([&](std::size_t i) {
      const Array& u = l.updates[i];
      l.updates[i] = where(fits, u, u / norm.astype(u.dtype()) * max_norm);
    });
  });
}
Stateless clip_by_block_rms(double threshold) {
  return stateless_in_float32(
      each_update([=](const Array& u) { return u / maximum(1.f, sqrt(mean(square(u))) / threshold); }));
}
Stateless adaptive_grad_clip(double clipping, double eps) {
  return stateless_in_float32(each_with_param("adaptive_grad_clip", [=](const Array& u, const Array& p) {
    Array norm = unitwise_norm(u), most = clipping * maximum(unitwise_norm(p), eps);
    return where(norm < most, u, u * (most / maximum(norm, 1e-6)));
  }));
}
Stateless normalize_by_update_norm(double scale_factor, double eps) {
  return stateless_in_float32([=](Leaves& l) {
    std::vector<Array> present;
    l.each([&](std::size_t i) { present.push_back(l.updates[i]); });
    Array norm = (detail::norm_of(present) + eps) / scale_factor;
    l.each([&](std::size_t i) { l.updates[i] = l.updates[i] / norm; });
  });
}
Stateless add_decayed_weights(double weight_decay, Mask mask) {
  const bool pure = !mask.is_function();
  return Stateless({}, like(pure, {}, [=](Leaves& l) {
                     if (weight_decay == 0) return;
                     const std::vector<Array>& params = l.needed_params("weight decay");
                     std::vector<bool> on = masked_places(mask, l);
                     l.each([&](std::size_t i) {
                       if (on[i]) l.updates[i] = l.updates[i] + weight_decay * params[i];
                     });
                   }));
}
Stateless scale_by_trust_ratio(const TrustRatioOptions& o) {
  return stateless_in_float32(each_with_param("scale_by_trust_ratio", [=](const Array& u, const Array& p) {
    Array param_norm = norm_at_least(p, o.min_norm), update_norm = norm_at_least(u, o.min_norm);
    Array ratio = o.trust_coefficient * param_norm / (update_norm + o.eps);
    return u * where((param_norm == 0) | (update_norm == 0), ones_like(ratio), ratio);
  }));
}
Stateless scale_by_param_block_norm(double min_scale) {
  return stateless(each_with_param("scale_by_param_block_norm",
                                   [=](const Array& u, const Array& p) { return u * norm_at_least(p, min_scale); }));
}
Stateless scale_by_param_block_rms(double min_scale) {
  return stateless_in_float32(each_with_param("scale_by_param_block_rms", [=](const Array& u, const Array& p) {
    Array rms = sqrt(mean(square(p)));
    return u * where(rms <= min_scale, min_scale, rms);
  }));
}
Stateless keep_params_nonnegative() {
  return stateless(each_with_param("keep_params_nonnegative",
                                   [](const Array& u, const Array& p) { return where(p + u < 0, -p, u); }));
}

Transform<CountState> scale_by_schedule(Rate step_size) { return {{}, times_rate(std::move(step_size), false)}; }
Transform<ZeroNansState> zero_nans() {
  return {{[](const Array&) { return array(false); }}, Stage::pure([](Leaves& l) {
            l.each([&](std::size_t i) {
              Array& u = l.updates[i];
              l.state[0][i] = any(isnan(u));
              u = where(isnan(u), zeros_like(u), u);
            });
          })};
}
Transform<CountState> scale_by_learning_rate(Rate rate) { return {{}, times_rate(std::move(rate), true)}; }

}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
