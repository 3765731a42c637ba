#include "api/execute.hpp"

#include "api/distributed.hpp"
#include "array/pinned.hpp"
#include "base/lru.hpp"
#include "ops/placement/inspect_sharding.hpp"
#include "ops/region/calls.hpp"
#include "partition/manual_regions.hpp"
#include "propagate/sharded_program.hpp"
#include "propagate/sites.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/base/config.hpp"

namespace tutti {
namespace {

struct CachedPlan {
  ProgramPtr program;
  std::vector<bool> donatable;
  unsigned long settings;
  std::shared_ptr<Executable> plan;
};

// Plans for the whole process, by content: a jit made anew in a loop traces again but does not compile again.
class PlanCache {
 public:
  std::shared_ptr<Executable> find_or_compile(const ProgramPtr& program, const std::vector<bool>& donatable) {
    const unsigned long settings = config::generation();
    std::size_t h = hash_combine(content_hash(*program), settings);
    for (bool d : donatable) h = hash_combine(h, d);
    auto same = [&](const CachedPlan& k) {
      return k.settings == settings && k.donatable == donatable && content_equal(*k.program, *program);
    };
    {
      std::lock_guard lock(mutex_);
      if (const CachedPlan* known = plans_.find(h, same)) return known->plan;
    }
    std::shared_ptr<Executable> plan = backend(config::backend()).compile(*program, donatable);
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

// Tells those who inspect values of a program on one device, and takes them out.
ProgramPtr inspected_on(const Sharding& device, const ProgramPtr& program) {
  ProgramPtr flat = inlined(program);
  std::vector<Inspected> inspected = inspected_values(*flat);
  for (const Inspected& i : inspected)
    i.params.get<ops::InspectSharding>().inspector(device, flat->type(i.value).shape);
  return inspected.empty() ? program : without_inspections(flat);
}

// A reverse rule, asked for a derivative forwards.
void refuse_reverse_only(const Program& program) {
  for (const Eqn& e : program.eqns) {
    if (e.op == &ops::custom_tangent)
      raise<TypeError>("custom_vjp", "a function with a reverse rule has no forward-mode derivative",
                       "Use grad, vjp or jacrev, or give a forward rule with custom_jvp.", e.loc);
    for (const ProgramPtr& sub : e.subs) refuse_reverse_only(*sub);
  }
}

}  // namespace

std::size_t programs_run() { return runs; }
std::size_t plans_kept() { return plans().size(); }

Placement placement_of(const Array& x) {
  const ArrayNode& n = *x.node();
  return {n.sharding, n.committed, ""};
}

Prepared prepare(ProgramPtr program, const std::vector<Placement>& placements, ExecuteOptions options) {
  Prepared out;
  out.program = program;
  out.out_types = program->output_types();
  out.options = std::move(options);
  out.distributed = distribute(program, placements, out.options);
  if (out.distributed) {
    out.out_shardings = out.distributed->out_shardings();
    out.out_committed = out.distributed->out_committed();
  } else {
    bool committed = false;
    Sharding where;
    for (const Placement& p : placements)
      if (p.committed) {
        committed = true;
        where = p.sharding;
      }
    out.out_shardings.assign(out.out_types.size(), where);
    out.out_committed.assign(out.out_types.size(), committed);
    program = inspected_on(where.has_value() ? where : SingleDeviceSharding(devices()[0]), program);
  }
  refuse_reverse_only(*program);
  if (!(out.distributed && out.distributed->isolated())) {
    ProgramPtr global =
        inlined(open_manual_regions(out.distributed ? out.distributed->global_program()
                                                    : program));  // all places of this process share their memory
    out.executable = plans().find_or_compile(global, out.options.donatable);
  }
  return out;
}

std::vector<Array> execute(const Prepared& p, std::span<const Array> inputs, std::span<const bool> donated,
                           const Takers& by) {
  ++runs;
  Pinned pinned(inputs, donated, by, p.options.what.empty() ? "call" : p.options.what.c_str());
  std::vector<BufferPtr> results =
      p.executable ? p.executable->run(pinned.buffers(), donated) : p.distributed->run(pinned.buffers());
  std::vector<Array> out;
  out.reserve(results.size());
  for (std::size_t i = 0; i < results.size(); ++i)
    out.push_back(make_array(p.out_types[i], std::move(results[i]), p.out_shardings[i], p.out_committed[i]));
  return out;
}

}  // namespace tutti
