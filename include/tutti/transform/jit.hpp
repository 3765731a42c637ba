// jit: a function, traced once per signature, compiled as a whole.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/transform/callable.hpp"
#include "tutti/transform/explanation.hpp"
#include "tutti/transform/prefix.hpp"
#include "tutti/transform/program_view.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {

/// Arguments that a call donates, in addition to donate_argnums.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"  // of GCC 12: by enumerators, which are in a scope of their own
enum class Donate { none, all, all_except_first };
#pragma GCC diagnostic pop
constexpr Choices choices_of(Donate) { return {"jit", "donate", "none all all_except_first|all-except-first"}; }

/// Limits of a program on its mesh. They apply to the plan, also where devices share their memory.
///
///     jit(step, {.strict = {.no_gather = true, .max_bytes = 4e6, .max_flop_inflation = 1.05}})
struct Strict {
  bool no_gather = false;         // refuse every all_gather that the user did not write
  double max_bytes = -1;          // received per device and call; negative: any number
  double max_flop_inflation = 0;  // work of all devices, divided by that of one device alone; 0: any number
};

struct JitOptions {
  TreeOf<Sharding> in_shardings{};
  TreeOf<Sharding> out_shardings{};
  std::vector<int> donate_argnums{};
  OneOf<Donate> donate = Donate::none;
  /// A program that exceeds it is a ShardingError before anything runs, which names line and remedy.
  Strict strict = {};
};

/// Bytes of a compiled call on this process.
struct MemoryAnalysis {
  std::size_t argument_bytes = 0, output_bytes = 0, temporary_bytes = 0, peak_bytes = 0;
  std::string str() const;
};
/// Work of a compiled call.
struct CostAnalysis {
  double flops = 0;
  std::size_t bytes_accessed = 0;
  int eqns = 0, tasks = 0, kernels = 0;
};

namespace detail {

/// What a traced function returned: its arrays, its structure, and the value itself, whose static leaves a result gets.
struct JitResult {
  tree::Flat flat;
  std::shared_ptr<const void> value;
};

/// The arguments of one call: their arrays, structure, how many arrays each argument has, and paths when an error needs
/// them.
struct JitArguments {
  tree::Flat flat;
  std::vector<int> counts;
  std::function<std::vector<std::pair<int, tree::Path>>()> paths;  // (argument, path in it) per leaf
  JitArguments();
  JitArguments(JitArguments&&) noexcept;
  ~JitArguments();
};

/// A call of a jitted function, its types forgotten. What is made for each function and its types is JitCallOf.
struct JitCall {
  struct Result {
    std::shared_ptr<const void> value;
    tree::detail::Ref tree;
  };
  std::span<const tree::detail::Ref> trees;
  bool has_callable;                                                    // the first of the trees is the callable itself
  Result (*again)(const JitCall& self, std::span<const Array> leaves);  // the function on other arrays

  JitArguments arguments() const;  // refers to this, as the body does
  std::function<JitResult(const std::vector<Array>&)> body() const;
};

using JitBody = std::function<JitResult(const std::vector<Array>&)>;

struct JitEntry;
struct PlanRequest;

class JitCore {
 public:
  /// `what`: the transformation that errors name.
  JitCore(const JitOptions& options, Loc made, const char* what = "jit");
  ~JitCore();
  /// The entry for a signature; on a miss `body` is traced.
  std::shared_ptr<const JitEntry> find(const JitArguments& args, const JitBody& body);
  /// The same for arguments that are arrays and nothing else; nullptr on a miss.
  std::shared_ptr<const JitEntry> find_arrays(std::span<const Array* const> args);
  /// Refuses arguments that `entry` was not compiled for.
  void check(const JitEntry& entry, const JitArguments& args, Loc loc) const;
  /// Reports captured values that have changed since `entry` was recorded, where config::check_captures is on.
  void check_captures(const JitEntry& entry, const JitArguments& args, const JitBody& body) const;
  /// The report of a call that is recorded and planned, and neither compiled nor kept.
  Explanation plan(const JitCall& call) const;
  /// Runs the entry, or records it in the trace that is open.
  std::vector<Array> run(const JitEntry& entry, std::span<const Array> leaves);
  /// The same where the function returns an Array; it is empty when the function returned none.
  Array run_one(const JitEntry& entry, std::span<const Array> leaves);
  /// The entry for a call, and its run.
  std::shared_ptr<const JitEntry> find(const JitCall& call);
  /// The program of a call and what is said of places, recorded and not kept.
  std::shared_ptr<const PlanRequest> request(const JitCall& call) const;
  std::vector<Array> call(const JitCall& call, std::shared_ptr<const JitEntry>& entry);
  Array call_one(const JitCall& call);
  /// Runs the entry of a compiled call, and refuses arguments that it was not compiled for.
  std::vector<Array> run_checked(const JitEntry& entry, const JitCall& call, Loc loc);
  std::size_t size() const;
  /// How many entries were compared with arguments so far.
  std::size_t comparisons() const;
  void clear();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::shared_ptr<JitCore> make_jit_core(const JitOptions& options, Loc made, const char* what);
const void* jit_value(const JitEntry& entry);
std::string jit_text(const JitEntry& entry);
ProgramView jit_view(const JitEntry& entry);
Explanation jit_explain(const JitEntry& entry);
std::string jit_plan(const JitEntry& entry);
MemoryAnalysis jit_memory(const JitEntry& entry);
CostAnalysis jit_cost(const JitEntry& entry);
std::vector<Sharding> jit_output_shardings(const JitEntry& entry);

template <class F, class... A>
inline constexpr bool only_arrays = (std::same_as<A, Array> && ...) && !std::is_aggregate_v<F>;

// A callable that is itself a tree (a model with operator()) is an input, not a constant.
template <class F> inline constexpr bool callable_is_tree = std::is_aggregate_v<F>&& Tree<F> && !std::is_empty_v<F>;

template <class F, class... A> class JitCallOf : public JitCall {
 public:
  JitCallOf(const F& fn, const A&... args) : fn_(fn), refs_(refs(fn, args...)) {
    trees = refs_;
    has_callable = callable_is_tree<F>;
    again = &run;
  }
  JitCallOf(const JitCallOf&) = delete;

 private:
  static constexpr std::size_t self = callable_is_tree<F> ? 1 : 0;
  using Refs = std::array<tree::detail::Ref, self + sizeof...(A)>;

  static Refs refs(const F& fn, const A&... args) {
    if constexpr (self)
      return {tree::detail::ref(fn), tree::detail::ref(args)...};
    else
      return {tree::detail::ref(args)...};
  }
  static Result run(const JitCall& call, std::span<const Array> leaves) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return on(static_cast<const JitCallOf&>(call).fn_, leaves,
                tree::detail::copy_of(*static_cast<const A*>(call.trees[self + I].object))...);
    }
    (std::index_sequence_for<A...>{});
  }
  static Result on(const F& fn, std::span<const Array> leaves, A... copies) {
    if constexpr (self) {
      F model = tree::detail::copy_of(fn);
      return keep(model, leaves, copies...);
    } else {
      return keep(fn, leaves, copies...);
    }
  }
  static Result keep(const F& fn, std::span<const Array> leaves, const A&... copies) {
    const Refs trees = refs(fn, copies...);
    tree::detail::assign_all(trees, leaves);
    auto value = std::make_shared<call_result_t<F, A...>>(invoke(fn, copies...));
    return {value, tree::detail::ref(*value)};
  }

  const F& fn_;
  Refs refs_;
};

template <class R> R jit_result(const JitEntry& entry, std::vector<Array>&& leaves) {
  if constexpr (std::same_as<R, Array>)
    return leaves.empty() ? Array{} : std::move(leaves[0]);  // none: the function returned no array
  else
    return tree::rebuild(*static_cast<const R*>(jit_value(entry)), std::span<const Array>(leaves));
}

}  // namespace detail

namespace detail {

/// The compiled program of one signature, independent of types.
class CompiledProgram {
 public:
  CompiledProgram(std::shared_ptr<JitCore> core, std::shared_ptr<const JitEntry> entry)
      : core_(std::move(core)), entry_(std::move(entry)) {}
  /// The program as it is compiled.
  std::string text() const { return jit_text(*entry_); }
  /// The communication over its mesh, with causes.
  Explanation explain() const { return jit_explain(*entry_); }
  /// The kernels and tasks it runs; empty in isolation.
  std::string plan() const { return jit_plan(*entry_); }
  MemoryAnalysis memory_analysis() const { return jit_memory(*entry_); }
  CostAnalysis cost_analysis() const { return jit_cost(*entry_); }
  std::vector<Sharding> output_shardings() const { return jit_output_shardings(*entry_); }

 protected:
  std::shared_ptr<JitCore> core_;
  std::shared_ptr<const JitEntry> entry_;
};

[[noreturn]] void throw_empty_function();

}  // namespace detail

/// A signature, compiled: call it with arguments of the same structure (static leaves included), dtypes, shapes and
/// placements; others are a TypeError, other placements a ShardingError, traced arrays a TracerError.
/// Threads: many may call one object at once.
template <class F, class... A> class Compiled : public detail::CompiledProgram {
 public:
  Compiled(F fn, std::shared_ptr<detail::JitCore> core, std::shared_ptr<const detail::JitEntry> entry)
      : detail::CompiledProgram(std::move(core), std::move(entry)), fn_(std::move(fn)) {}
  using tutti_params = ParamList<A...>;
  auto operator()(const A&... args, Loc loc = Loc::current()) const {
    using R = call_result_t<F, A...>;
    return detail::jit_result<R>(*entry_, core_->run_checked(*entry_, detail::JitCallOf<F, A...>(fn_, args...), loc));
  }

 private:
  F fn_;
};

/// A signature, traced.
/// Threads: many may call one object at once.
template <class F, class... A> class Lowered {
 public:
  explicit Lowered(Compiled<F, A...> compiled) : compiled_(std::move(compiled)) {}
  std::string text() const { return compiled_.text(); }
  Explanation explain() const { return compiled_.explain(); }
  Compiled<F, A...> compile() const { return compiled_; }

 private:
  Compiled<F, A...> compiled_;
};

/// The result of jit. Copies share one cache.
/// Threads: many may call one object at once, for the first time too. clear_cache excludes calls.
template <class F> class Jitted : public CallWith<Jitted<F>, params_t<F>> {
 public:
  Jitted(F fn, const JitOptions& options, Loc made, const char* what = "jit")
      : fn_(std::move(fn)), core_(detail::make_jit_core(options, made, what)) {
    detail::refuse_empty(fn_, what, made);
  }

  template <class... A> auto call(const A&... args) const {
    if constexpr (detail::check_call<F, A...>()) {
      using R = call_result_t<F, A...>;
      static_assert(Tree<R>, "tutti: jit: the result must be a tree of arrays");
      if constexpr (detail::only_arrays<F, A...> && sizeof...(A) > 0) {
        const Array* arrays[] = {&args...};
        if (auto entry = core_->find_arrays(arrays)) {
          const Array leaves[] = {args...};
          if constexpr (std::same_as<R, Array>)
            return core_->run_one(*entry, leaves);
          else
            return detail::jit_result<R>(*entry, core_->run(*entry, leaves));
        }
      }
      const detail::JitCallOf<F, A...> call(fn_, args...);
      if constexpr (std::same_as<R, Array>) {
        return core_->call_one(call);
      } else {
        std::shared_ptr<const detail::JitEntry> entry;
        std::vector<Array> leaves = core_->call(call, entry);
        return detail::jit_result<R>(*entry, std::move(leaves));
      }
    } else {
      return detail::FailedCall();
    }
  }
  /// The program for such arguments, recorded and compiled but not run. A ShapeDtypeStruct stands for an array of its
  /// shape and dtype that lies nowhere in particular: text, explain and the analyses need no more, and what `compile`
  /// gives takes arrays.
  ///
  ///     auto step = jit(f).lower(ShapeDtypeStruct({32, 784}), params).compile();
  ///     std::cout << step.memory_analysis().str();
  template <class... A> auto lower(const A&... args) const {
    return own([&](const auto&... a) { return lower_as(a...); }, params_t<F>{}, args...);
  }
  /// The communication of a call over its mesh, with causes.
  template <class... A> Explanation explain(const A&... args) const { return lower(args...).explain(); }
  /// The same ahead of time: nothing is compiled, and neither arrays nor devices have to be there. Arguments may be
  /// ShapeDtypeStructs (eval_shape, device_put), meshes abstract ones.
  ///
  ///     Mesh mesh = abstract_mesh({12500, 8}, {"data", "model"});
  ///     std::cout << step.plan(device_put(eval_shape(init, key), mesh, {{"**", P()}}),
  ///                            ShapeDtypeStruct({1 << 20, 784}, float32, NamedSharding(mesh, P("data"))));
  template <class... A> Explanation plan(const A&... args) const {
    return own([&](const auto&... a) { return plan_as(a...); }, params_t<F>{}, args...);
  }
  /// What is jitted, and how: for who plans its calls (search.hpp).
  const F& function() const { return fn_; }
  detail::JitCore& core() const { return *core_; }
  std::size_t cache_size() const { return core_->size(); }
  void clear_cache() const { core_->clear(); }

 private:
  template <class... A> auto lower_as(const A&... args) const {
    return Lowered<F, A...>(Compiled<F, A...>(fn_, core_, core_->find(detail::JitCallOf<F, A...>(fn_, args...))));
  }
  template <class... A> Explanation plan_as(const A&... args) const {
    return core_->plan(detail::JitCallOf<F, A...>(fn_, args...));
  }
  // `act` on the arguments as values of the parameter types.
  template <class Act, class... A> static auto own(const Act& act, UnknownParams, const A&... args) {
    return act(static_cast<const own_t<A>&>(args)...);
  }
  template <class Act, class... Q, class... A> static auto own(const Act& act, ParamList<Q...>, const A&... args) {
    if constexpr (sizeof...(Q) == sizeof...(A))
      return act(static_cast<own_t<Q>>(args)...);
    else
      return act(static_cast<const own_t<A>&>(args)...);
  }

  F fn_;
  std::shared_ptr<detail::JitCore> core_;
};

/// Compiles `fn` for each signature it is called with: structure and static leaves of the arguments, dtypes, shapes and
/// placements of their arrays. Computation follows data: where arguments are committed to shardings, the whole program
/// is split accordingly.
///
///     auto step = jit([](const Array& w, const Array& x) { return sin(matmul(x, w)); });
///     Array y = step(w, x);              // traced and compiled
///     y = step(w, x2);                   // runs
///
/// Throws DeviceError when committed arguments lie on different devices. Source: jax.jit, equinox.filter_jit.
template <class F> Jitted<std::decay_t<F>> jit(F&& fn, const JitOptions& options = {}, Loc made = Loc::current()) {
  return Jitted<std::decay_t<F>>(std::forward<F>(fn), options, made);
}

/// The program of a call, to be printed or walked: tutti's jaxpr.
///
///     std::cout << jit_program(f)(x);
template <class F> auto jit_program(F fn, Loc made = Loc::current()) {
  return [fn = std::move(fn), made](const auto&... args) {
    detail::JitCore core({}, made);
    return detail::jit_view(*core.find(
        detail::JitCallOf<F, own_t<decltype(args)>...>(fn, static_cast<const own_t<decltype(args)>&>(args)...)));
  };
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
