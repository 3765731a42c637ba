#include "ops/host/callback.hpp"

#include <algorithm>
#include <cstring>

#include "array/node.hpp"
#include "base/loc_override.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

std::vector<Type> infer(const Call& c) {
  const auto& p = c.get<Callback>();
  std::vector<Type> out;
  for (const auto& [dtype, shape] : p.results) {
    std::vector<std::int64_t> dims = p.batch;
    dims.insert(dims.end(), shape.begin(), shape.end());
    out.push_back({dtype, Shape(std::move(dims)), false, {}});
  }
  return out;
}

// The elements of a batch, one after the other: those of nested vmaps as JAX unrolls them, the inner one the slowest;
// those of a manual region device by device.
class Elements {
 public:
  explicit Elements(const Callback& p) : batch_(p.batch), at_(p.batch.size(), 0), last_fastest_(p.coordinates > 0) {}
  std::int64_t count() const {
    std::int64_t n = 1;
    for (std::int64_t extent : batch_) n *= extent;
    return n;
  }
  void next() {
    for (std::size_t k = 0; k < at_.size(); ++k) {
      const std::size_t d = last_fastest_ ? at_.size() - 1 - k : k;
      if (++at_[d] < batch_[d]) return;
      at_[d] = 0;
    }
  }
  /// Of a value that has the batch in front: where this element begins, and its type.
  HostView of(const HostView& all) const { return of(all, at_.size()); }
  /// Of one that has only so many of its dims, the first ones.
  HostView of(const HostView& all, std::size_t dims) const {
    std::int64_t number = 0;
    for (std::size_t d = 0; d < dims; ++d) {
      const std::int64_t extent = all.type.shape[static_cast<int>(d)];
      number = number * extent + (extent == 1 ? 0 : at_[d]);
    }
    const auto front = static_cast<std::ptrdiff_t>(dims);
    Type type{all.type.dtype,
              Shape(std::vector<std::int64_t>(all.type.shape.begin() + front, all.type.shape.end())),
              all.type.weak,
              {}};
    return {type, all.as<char>() + number * type.nbytes()};
  }

 private:
  std::vector<std::int64_t> batch_, at_;
  bool last_fastest_;
};

Array array_of(const HostView& x) {
  const auto bytes = static_cast<std::size_t>(x.type.nbytes());
  HostPtr buffer = allocate_buffer(bytes);
  if (bytes) std::memcpy(buffer->data(), x.data, bytes);
  return make_array(x.type, std::move(buffer));
}

void check_made(const HostFunction& f, std::size_t k, const Type& made, const Type& said) {
  if (made.dtype == said.dtype && made.shape == said.shape) return;
  LocOverride line(f.loc());
  const std::string problem = "the function returned " + made.str() + " as result " + std::to_string(k) +
                              ", and said that it would be " + said.str();
  if (made.shape != said.shape) raise<ShapeError>(f.what(), problem, "Return what result_shapes says.");
  raise<TypeError>(f.what(), problem, "Convert it with astype(" + std::string(said.dtype.name()) + ").");
}

void call_element(const Callback& p, const Elements& element, std::span<const HostView> operands,
                  std::span<const HostView> results) {
  const std::size_t guards = p.guards.size(), coordinates = static_cast<std::size_t>(p.coordinates);
  bool wanted = true;
  for (std::size_t i = 0; i < guards; ++i)
    wanted = wanted && *element.of(operands[i], static_cast<std::size_t>(p.guards[i])).as<bool>();
  if (!wanted) {
    for (const HostView& all : results)
      if (const HostView r = element.of(all); r.type.nbytes() > 0)
        std::memset(r.data, 0, static_cast<std::size_t>(r.type.nbytes()));
    return;
  }
  HostFunction::Coordinates at;
  for (std::size_t i = guards; i < guards + coordinates; ++i) at.push_back(*element.of(operands[i]).as<std::int32_t>());
  Arrays arguments;
  for (const HostView& x : operands.subspan(guards + coordinates)) arguments.push_back(array_of(element.of(x)));
  const Arrays made = p.function(arguments, at);
  if (made.size() != results.size())
    raise<ValueError>(p.function.what(),
                      "the function returned " + std::to_string(made.size()) + " arrays, and said that it would be " +
                          std::to_string(results.size()),
                      "Return the tree that result_shapes has.", p.function.loc());
  for (std::size_t k = 0; k < results.size(); ++k) {
    const HostView r = element.of(results[k]);
    check_made(p.function, k, made[k].type(), r.type);
    const HostPtr from = held_buffer_of(made.at(k), "callback");
    if (r.type.nbytes() > 0) std::memcpy(r.data, from->data(), static_cast<std::size_t>(r.type.nbytes()));
  }
}

void eval(const Call& c, std::span<const HostView> operands, std::span<const HostView> results) {
  const auto& p = c.get<Callback>();
  Elements element(p);
  for (std::int64_t n = element.count(); n > 0; --n, element.next()) call_element(p, element, operands, results);
}

Array with_one_in_front(const Array& x) {
  Shape shape = x.shape();
  shape.insert(0, 1);
  return lax::reshape(x, shape);
}

Batched batch_rule(const Call& c, const Arrays& operands, const std::vector<bool>& mapped, const BatchAxis& axis) {
  Callback p = c.get<Callback>();
  if (p.map == MapMethod::refuse)
    raise<UnsupportedError>(c.op.name, "it has no batching rule for vmap",
                            "Give {.vmap_method = VmapMethod::sequential}, which makes one call per element, or "
                            "expand_dims or broadcast_all for a function that takes all elements at once.");
  // The devices of a manual region, whose coordinate runs along its axis, are called one after the other, in order.
  const auto coordinate = mapped.begin() + static_cast<std::ptrdiff_t>(p.guards.size());
  const bool by_device = std::any_of(coordinate, coordinate + p.coordinates, [](bool m) { return m; });
  if (p.ordered && !p.results.empty() && !by_device)
    raise<ValueError>(c.op.name, "vmap cannot map a call whose order counts and whose results are used",
                      "Use lax::map, which takes one element after the other, or leave .ordered away.");
  Arrays all;
  for (std::size_t i = 0; i < operands.size(); ++i)
    all.push_back(mapped[i]                           ? operands[i]
                  : p.map == MapMethod::broadcast_all ? lax::broadcast(operands[i], Shape{axis.size})
                                                      : with_one_in_front(operands[i]));
  if (p.map == MapMethod::sequential) {
    p.batch.insert(p.batch.begin(), axis.size);
    for (int& dims : p.guards) ++dims;
  } else {
    for (auto& [dtype, shape] : p.results) shape.insert(0, axis.size);
  }
  const std::vector<bool> flags(p.results.size(), true);
  return {bind(c.op, Params(p), all), flags};
}

Op callback(std::string name) {
  Op op;
  op.name = std::move(name);
  op.host = true;
  op.infer = infer;
  op.eval = eval;
  op.own_weak = true;
  op.batch = batch_rule;
  op.without = {{"factors", "the function takes whole values"},
                {"samples", "it needs a function: tests/effects/callback_test.cpp"}};
  return op;
}

Op effect(std::string name) {
  Op op = callback(std::move(name));
  op.effect = true;
  op.each_device = [](const Params& p) { return p.get<Callback>().coordinates > 0; };
  op.guarded = [](const Params& params) {
    Callback p = params.get<Callback>();
    p.guards.insert(p.guards.begin(), 0);
    return Params(p);
  };
  return op;
}

}  // namespace

constinit const Home debug_callback = [] {
  Op op = effect("debug_callback");
  op.not_differentiable = "it has no results";
  return op;
};

constinit const Home io_callback = [] {
  Op op = effect("io_callback");
  op.not_differentiable = "what happens outside of the program has no derivative";
  return op;
};

constinit const Home pure_callback = [] {
  Op op = callback("pure_callback");
  op.not_differentiable =
      "the derivative of the function that it calls is unknown: give one with custom_jvp or custom_vjp around it";
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
