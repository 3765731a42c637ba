#include "api/execute.hpp"

#include <algorithm>
#include <iterator>
#include <new>

#include "api/finite.hpp"
#include "array/pinned.hpp"
#include "base/lru.hpp"
#include "device/client.hpp"
#include "distributed/agree.hpp"
#include "ir/pass_list.hpp"
#include "ir/user_calls.hpp"
#include "mesh/places.hpp"
#include "run/program_number.hpp"
#include "tutti/base/config.hpp"

namespace tutti {
namespace {

struct CachedPlan {
  LocalProgram program;
  std::vector<bool> donatable;
  unsigned long settings;
  PassSet left_out;
  std::shared_ptr<Executable> plan;
};

// Plans for the whole process, by content: a jit made anew in a loop traces again but does not compile again.
class PlanCache {
 public:
  std::shared_ptr<Executable> find_or_compile(const LocalProgram& program, const std::vector<bool>& donatable) {
    const unsigned long settings = config::generation();
    const PassSet left_out = passes_left_out();
    std::size_t h = hash_combine(content_hash(program), settings);
    for (bool d : donatable) h = hash_combine(h, d);
    auto same = [&](const CachedPlan& k) {
      return k.settings == settings && k.left_out == left_out && k.donatable == donatable &&
             content_equal(k.program, program);
    };
    {
      std::lock_guard lock(mutex_);
      if (const CachedPlan* known = plans_.find(h, same)) return known->plan;
    }
    std::shared_ptr<Executable> plan = backend(config::backend()).compile(program, donatable);
    std::vector<CachedPlan> out;  // ends after the lock, with its machine code unless somebody still runs it
    std::lock_guard lock(mutex_);
    if (const CachedPlan* known = plans_.find(h, same)) return known->plan;  // another thread was quicker
    plans_.insert(h, {program, donatable, settings, left_out, plan});
    out = plans_.shrink(config::cache_bounds().plans);
    return plan;
  }

  std::size_t size() {
    std::lock_guard lock(mutex_);
    return plans_.size();
  }

 private:
  std::mutex mutex_;
  LruCache<CachedPlan> plans_;
};

PlanCache& plans() {
  static auto* cache = new PlanCache;  // lives as long as the process: arrays of static storage end after it would
  return *cache;
}

thread_local std::size_t runs = 0;

// All processes come here with the same program, and with the same values of what each has whole: asked at each call on
// demand, of a program that sends before it runs for the first time in any case.
void check_call(const Prepared& p, std::span<const Array> inputs, std::span<const BufferPtr> buffers) {
  if (!p.between || !distributed::compares_all()) return;
  const std::string name = "the program of '" + p.what + "', called again,";
  distributed::check_same(common_text(*p.between, p.sharded->mesh), p.what.c_str(), name);
  std::string values;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Type& type = inputs[i].node()->type;
    if (held_of(inputs[i].node()->sharding, type.shape)) continue;
    const std::vector<std::string>& names = p.program->input_names;
    values += (i < names.size() && !names[i].empty() ? names[i] : "argument " + std::to_string(i)) + ": " + type.str() +
              " with hash " + distributed::hash_text(on_host(buffers[i]).data(), buffers[i]->bytes()) + "\n";
  }
  distributed::check_same(values, p.what.c_str(), "what '" + p.what + "' is given whole");
}

// Of what an operation needs besides its arrays, whose allocations say it themselves.
[[noreturn]] void raise_out_of_memory_of(const Prepared& p) {
  std::string results;
  std::int64_t bytes = 0;
  for (const Type& t : p.out_types) {
    results += (results.empty() ? "" : ", ") + t.str();
    bytes += t.nbytes();
  }
  raise<Error>(p.what.empty() ? "call" : p.what,
               "out of memory: there is no room to compute " + results + " (" + std::to_string(bytes) + " bytes)",
               "Use smaller arrays, or cut them over more devices.");
}

}  // namespace

std::size_t programs_run() { return runs; }
std::size_t plans_kept() { return plans().size(); }

Placement placement_of(const Array& x) {
  const ArrayNode& n = *x.node();
  return {n.sharding, n.committed, ""};
}

std::shared_ptr<Executable> compiled(const LocalProgram& program, const std::vector<bool>& donatable) {
  return plans().find_or_compile(program, donatable);
}

std::vector<Array> execute(const Prepared& p, std::span<const Array> inputs, std::span<const bool> donated,
                           const Takers& by) {
  ++runs;
  const run::ProgramNumber number(p.number);
  Pinned pinned(inputs, donated, by, p.what.empty() ? "call" : p.what.c_str());
  check_call(p, inputs, pinned.buffers());
  std::span<const BufferPtr> given = pinned.buffers();
  std::vector<BufferPtr> brought;
  if (p.on_host && std::any_of(given.begin(), given.end(), [](const BufferPtr& b) { return b->memory != nullptr; })) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      const Type& type = inputs[i].node()->type;
      brought.push_back(fetched(given[i], type.dtype, type.shape));
    }
    given = brought;
  }
  const bool watched = finite_is_asked();  // then what was given has to be there still
  BufferPtr few[8];                        // most calls have few results
  std::vector<BufferPtr> many(p.out_types.size() > std::size(few) ? p.out_types.size() : 0);
  const std::span<BufferPtr> results = many.empty() ? std::span(few).first(p.out_types.size()) : std::span(many);
  try {
    p.executable->run_into(given, watched ? std::span<const bool>() : donated, results);
  } catch (const std::bad_alloc&) {
    if (calls_user(*p.program)) throw;  // it may be the user's own
    raise_out_of_memory_of(p);
  }
  if (watched) check_finite(p.program, p.what, given, results);
  std::vector<Array> out;
  out.reserve(results.size());
  for (std::size_t i = 0; i < results.size(); ++i)
    out.push_back(make_array(p.out_types[i], std::move(results[i]), p.out_shardings[i], p.out_committed[i]));
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
