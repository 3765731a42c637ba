#include "backend/cpu/kernel.hpp"

#include <algorithm>

#include "backend/cpu/emit.hpp"
#include "backend/cpu/flat_rows.hpp"
#include "backend/cpu/fold.hpp"
#include "backend/cpu/isa.hpp"
#include "backend/cpu/lanes.hpp"
#include "backend/cpu/short_rows.hpp"
#include "compile/passes.hpp"

namespace tutti::cpu {

using compile::Access;

std::string KernelSpec::text() const {
  static const char* walks[] = {"map", "reduce_row", "reduce_column"};
  static const char* kinds[] = {"load", "store", "index", "reduce"};
  static const char* steps[] = {"none", "one", "any"};
  std::string out = std::string(walks[static_cast<int>(walk)]) + (together ? " together" : "");
  if (lanes != kLanes) out += " lanes " + std::to_string(lanes);
  if (short_columns) out += " of " + std::to_string(short_columns);
  if (flat_columns) out += " flat " + std::to_string(flat_columns);
  if (shares_rows) out += " shares rows";
  out += "\n";
  for (const Access& a : accesses) {
    out += std::string(kinds[static_cast<int>(a.kind)]) + " " + std::string(a.dtype.name()) + " " +
           steps[static_cast<int>(a.step)];
    if (a.value >= 0) out += " r" + std::to_string(a.value);
    if (a.far) out += " far";
    if (a.apart) out += " apart " + std::to_string(a.apart);
    if (flat_columns) out += " rows " + std::to_string(static_cast<int>(a.flat));
    if (a.above >= 0) out += " above " + std::to_string(a.above);
    if (a.behind >= 0) out += " behind " + std::to_string(a.behind);
    if (a.combine != Op::Reduce::none)
      out += " " + std::to_string(static_cast<int>(a.combine)) + " " + std::string(a.accumulate.name());
    out += "\n";
  }
  return out + body.str();
}

Source source_of(const KernelSpec& spec) {
  Source s;
  s.text = spec.text();
  s.emit = [spec](llvm::Module& module, const std::string& name, bool wide) {
    (spec.short_columns ? emit_short_rows : spec.flat_columns ? emit_flat_rows : emit_kernel)(module, name, spec, wide);
  };
  for (const compile::Inst& i : spec.body.insts)
    if (i.name) s.library.push_back(i.name);
  return s;
}

namespace {

constexpr std::size_t kChain = 16;       // instructions that may well depend on each other
constexpr std::size_t kShortBody = 12;   // instructions that are written out once for each of several rows
constexpr std::int64_t kMany = 1 << 19;  // elements
constexpr std::int64_t kFarLoad = std::int64_t{4} << 20, kFarStore = std::int64_t{8} << 20,
                       kLastLevel = std::int64_t{32} << 20;
constexpr std::int64_t kMostApart = 4;

constexpr std::int64_t kShortRow = 128, kFewestRows = 16, kShortWork = 256;  // columns, rows; instructions of a row

// The columns of rows that are reduced sixteen at a time; 0: they are not.
std::int64_t short_columns(const compile::Loop& loop, const run::Nest& nest) {
  if (nest.walk != run::Walk::reduce_row || loop.reduced < 0 || nest.column_dim >= 0 || nest.rows < kFewestRows ||
      nest.columns > kShortRow ||
      static_cast<std::int64_t>(loop.body.insts.size()) * ((nest.columns + 15) / 16) > kShortWork)
    return 0;
  for (std::size_t k = 0; k < loop.accesses.size(); ++k) {
    const Access& a = loop.accesses[k];
    if (a.kind == Access::Kind::reduce && (nest.row_steps[k] != a.dtype.size() || a.dtype.is_bool())) return 0;
  }
  return nest.columns;
}

bool read_by(const compile::Plan& plan, const compile::Stage& stage, int storage) {
  std::vector<int> reads, writes;
  return std::any_of(stage.steps.begin(), stage.steps.end(), [&](int i) {
    compile::uses_of(plan.steps[i], reads, writes);
    return std::find(reads.begin(), reads.end(), storage) != reads.end();
  });
}

// Never where it may lie in a donated input (whose lines have just been read). A result that fills a cache, or one of
// many that do together; a temporary, which somebody reads soon, only when it is too large for every cache.
bool far_storage(const compile::Plan& plan, const compile::Storage& s) {
  using Kind = compile::Storage::Kind;
  if (s.takes >= 0 || (plan.within && s.kind == Kind::output)) return false;  // within a loop it may lie anywhere
  if (s.kind != Kind::output) return s.kind == Kind::temporary && s.bytes >= kLastLevel;
  if (s.bytes >= kFarStore) return true;
  return s.bytes >= kFarStore / 8 && plan.fresh_output_bytes >= kLastLevel;
}

// A result past the cache, in whole cache lines. `width`: bytes that a column writes side by side.
bool stores_far(const LoopInPlan& loop, const Access& a, std::size_t k, const run::Nest& nest, std::int64_t width) {
  if (!far_storage(loop.plan, loop.plan.storages[a.storage])) return false;
  if (loop.stage.rows && (read_by(loop.plan, loop.stage, a.storage) || a.strides[0] % 64 != 0)) return false;
  bool lines = a.dtype.size() >= 2 && nest.column_steps[k] == width && a.offset % 64 == 0 &&
               (nest.rows == 1 || nest.row_steps[k] % 64 == 0);
  for (std::size_t d = 0; d < nest.outer.size(); ++d) lines &= nest.steps[d * nest.accesses + k] % 64 == 0;
  return lines;
}

// Loads of more than a cache holds ask ahead.
bool loads_far(const compile::Plan& plan, const Access& a) {
  const compile::Storage& s = plan.storages[a.storage];
  return s.bytes >= kFarLoad && s.kind != compile::Storage::Kind::chunk;
}

KernelSpec::Step step_of(const Access& a, std::int64_t column_step) {
  using Step = KernelSpec::Step;
  if (a.kind == Access::Kind::reduce) return Step::one;
  if (column_step == 0) return a.kind == Access::Kind::store ? Step::one : Step::none;  // a row has one column
  return a.kind != Access::Kind::index && column_step == a.dtype.size() ? Step::one : Step::any;
}

int apart(const Access& a, KernelSpec::Step step, std::int64_t column_step) {
  if (step != KernelSpec::Step::any || a.kind == Access::Kind::index) return 0;
  const std::int64_t n = column_step / a.dtype.size();
  return n * a.dtype.size() == column_step && (n == -1 || (n >= 2 && n <= kMostApart)) ? static_cast<int>(n) : 0;
}

// Elementwise work on bytes fills vectors with as many of them as there are: each lane is what it is alone.
constexpr unsigned kBytes = 64;
constexpr std::int64_t kManyBytes = 128;  // columns
constexpr std::size_t kByteBody = 40;     // instructions: no tiles are needed for them

constexpr std::int64_t kRowsThatShare = 16;
constexpr std::size_t kSharingBody = 48;  // instructions: they are written out for each of several rows

// Rows of few columns do not compute lanes that they throw away.
constexpr unsigned kFewLanes = 8;

bool is_byte(DType d) { return d.is_bool() || d == int8 || d == uint8; }
unsigned lanes_for(const KernelSpec& s, const run::Nest& nest) {
  using Kind = compile::Inst::Kind;
  const bool calls = std::any_of(s.body.insts.begin(), s.body.insts.end(), [](const compile::Inst& i) {
    return i.kind == Kind::library || i.kind == Kind::rare;
  });
  if (s.walk == run::Walk::map && nest.columns <= kFewLanes && s.flat_columns == 0 && !s.together && !calls)
    return kFewLanes;
  if (isa() != Isa::avx512 || s.walk != run::Walk::map || nest.columns < kManyBytes || s.body.insts.size() > kByteBody)
    return kLanes;
  const bool bytes =
      std::all_of(s.accesses.begin(), s.accesses.end(),
                  [](const KernelSpec::Access& a) {
                    return a.kind != Access::Kind::index && is_byte(a.dtype) &&
                           (a.step != KernelSpec::Step::any || a.apart == -1);
                  }) &&
      std::all_of(s.body.insts.begin(), s.body.insts.end(), [](const compile::Inst& i) { return is_byte(i.dtype); });
  return bytes && !calls ? kBytes : kLanes;
}

// The load that finds in one row what number k finds in the next: that of a neighbour further down. -1: none does.
int load_above(const compile::Loop& loop, const run::Nest& nest, std::size_t k) {
  const Access& a = loop.accesses[k];
  if (a.kind != Access::Kind::load || nest.row_steps[k] == 0) return -1;
  for (std::size_t j = 0; j < loop.accesses.size(); ++j) {
    const Access& b = loop.accesses[j];
    if (b.kind == Access::Kind::load && b.storage == a.storage && b.dtype == a.dtype && b.strides == a.strides &&
        b.offset == a.offset + nest.row_steps[k])
      return static_cast<int>(j);
  }
  return -1;
}

// Stencils of bytes: where many loads of a row are those of the row before, several rows are computed at once. (Of
// floats that took a quarter longer: rows of 512 begin at the same place of every second page.)
void share_rows(KernelSpec& s, const compile::Loop& loop, const run::Nest& nest) {
  if (s.walk != run::Walk::map || nest.rows < kRowsThatShare || s.body.insts.size() > kSharingBody) return;
  std::size_t loads = 0, shared = 0;
  for (std::size_t k = 0; k < s.accesses.size(); ++k) {
    if (s.accesses[k].kind != Access::Kind::load || s.accesses[k].step == KernelSpec::Step::none) continue;
    ++loads;
    shared += (s.accesses[k].above = load_above(loop, nest, k)) >= 0;
  }
  s.shares_rows = shared >= 2 && 3 * shared >= loads;
  if (!s.shares_rows)
    for (KernelSpec::Access& a : s.accesses) a.above = -1;
}

// Loads and stores of real parts, and of the imaginary ones behind them.
void find_pairs(KernelSpec& s, const compile::Loop& loop) {
  for (std::size_t j = 0; j < s.accesses.size(); ++j)
    for (std::size_t k = 0; k < s.accesses.size() && s.accesses[j].apart == 2; ++k) {
      const Access &a = loop.accesses[j], &b = loop.accesses[k];
      if (s.accesses[k].apart != 2 || a.kind != b.kind || a.storage != b.storage || a.dtype != b.dtype ||
          a.strides != b.strides || b.offset != a.offset + a.dtype.size())
        continue;
      s.accesses[j].behind = static_cast<int>(k);
      s.accesses[k].before = static_cast<int>(j);
    }
}

}  // namespace

bool is_far(const compile::Plan& plan, const compile::Loop& loop) {
  for (const Access& a : loop.accesses)
    if (a.kind == Access::Kind::store) return far_storage(plan, plan.storages[a.storage]);
  return false;
}

KernelSpec kernel_spec(const LoopInPlan& where, const run::Nest& nest) {
  const compile::Loop& loop = where.part;
  KernelSpec s;
  s.walk = nest.walk;
  s.body = loop.body;
  s.short_columns = short_columns(loop, nest);
  const bool by_columns = nest.walk == run::Walk::reduce_column;
  s.together = nest.columns >= 64 && compile::product(where.whole.extents) >= kMany &&
               (by_columns ? loop.body.insts.size() <= kShortBody : loop.body.insts.size() >= kChain);
  for (std::size_t k = 0; k < loop.accesses.size(); ++k) {
    const Access& a = loop.accesses[k];
    const KernelSpec::Step step = step_of(a, nest.column_steps[k]);
    const bool far = a.kind == Access::Kind::store  ? stores_far(where, a, k, nest, a.dtype.size())
                     : a.kind == Access::Kind::load ? step == KernelSpec::Step::one && loads_far(where.plan, a)
                                                    : false;
    s.accesses.push_back(
        {a.kind, a.dtype, step, a.value, a.combine, a.accumulate, far, apart(a, step, nest.column_steps[k])});
  }
  find_pairs(s, loop);
  for (std::size_t k = 0; k < s.accesses.size(); ++k)
    if (const Access& a = loop.accesses[k]; a.kind == Access::Kind::store && s.accesses[k].behind >= 0)
      s.accesses[k].far = stores_far(where, a, k, nest, 2 * a.dtype.size());
  fold(s);
  find_flat_rows(s, nest);
  s.lanes = lanes_for(s, nest);
  if (s.lanes > kLanes) {
    s.together = false;  // rows have few such vectors
    share_rows(s, loop, nest);
  }
  return s;
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
