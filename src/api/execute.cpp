#include "api/execute.hpp"

#include <iterator>

#include "api/finite.hpp"
#include "array/pinned.hpp"
#include "base/environment.hpp"
#include "base/lru.hpp"
#include "distributed/agree.hpp"
#include "run/program_number.hpp"
#include "tutti/base/config.hpp"

namespace tutti {
namespace {

struct CachedPlan {
  LocalProgram program;
  std::vector<bool> donatable;
  unsigned long settings;
  std::shared_ptr<Executable> plan;
};

// Plans for the whole process, by content: a jit made anew in a loop traces again but does not compile again.
class PlanCache {
 public:
  std::shared_ptr<Executable> find_or_compile(const LocalProgram& program, const std::vector<bool>& donatable) {
    const unsigned long settings = config::generation();
    std::size_t h = hash_combine(content_hash(program), settings);
    for (bool d : donatable) h = hash_combine(h, d);
    auto same = [&](const CachedPlan& k) {
      return k.settings == settings && k.donatable == donatable && content_equal(k.program, program);
    };
    {
      std::lock_guard lock(mutex_);
      if (const CachedPlan* known = plans_.find(h, same)) return known->plan;
    }
    std::shared_ptr<Executable> plan = backend(config::backend()).compile(program, donatable);
    std::vector<CachedPlan> out;  // ends after the lock, with its machine code unless somebody still runs it
    std::lock_guard lock(mutex_);
    if (const CachedPlan* known = plans_.find(h, same)) return known->plan;  // another thread was quicker
    plans_.insert(h, {program, donatable, settings, plan});
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

// All processes come here with the same program: asked of each one before it runs for the first time, else on demand.
void check_number(const Prepared& p) {
  static const bool asked = environment::has_word(environment::check, "processes");
  if (asked) distributed::check_same(str(*p.between), p.what.c_str(), "the program of '" + p.what + "', called again,");
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
  if (p.number) check_number(p);
  const run::ProgramNumber number(p.number);
  Pinned pinned(inputs, donated, by, p.what.empty() ? "call" : p.what.c_str());
  const bool watched = finite_is_asked();  // then what was given has to be there still
  BufferPtr few[8];                        // most calls have few results
  std::vector<BufferPtr> many(p.out_types.size() > std::size(few) ? p.out_types.size() : 0);
  const std::span<BufferPtr> results = many.empty() ? std::span(few).first(p.out_types.size()) : std::span(many);
  p.executable->run_into(pinned.buffers(), watched ? std::span<const bool>() : donated, results);
  if (watched) check_finite(p.program, p.what, pinned.buffers(), results);
  std::vector<Array> out;
  out.reserve(results.size());
  for (std::size_t i = 0; i < results.size(); ++i)
    out.push_back(make_array(p.out_types[i], std::move(results[i]), p.out_shardings[i], p.out_committed[i]));
  return out;
}

}  // namespace tutti
