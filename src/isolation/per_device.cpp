#include "isolation/per_device.hpp"

#include <cstring>

#include "array/literal.hpp"
#include "isolation/traffic.hpp"
#include "ops/collective/collective.hpp"
#include "run/evaluate.hpp"
#include "tutti/base/error.hpp"

namespace tutti::run {
namespace {

using Blocks = std::vector<BufferPtr>;  // one per device

// Copies the elements of `box` between a dense array and a block that starts at box.start.
void copy_box(const Box& box, const Shape& whole, const Shape& block, std::int64_t item, const void* from, void* to,
              bool into_block) {
  if (box.empty()) return;
  int rank = box.ndim();
  std::vector<std::int64_t> at(static_cast<std::size_t>(rank), 0);
  Shape extent = box.shape();
  std::int64_t run = rank > 0 ? extent[rank - 1] * item : item;
  for (bool more = true; more;) {
    std::int64_t in_whole = 0, in_block = 0;
    for (int d = 0; d < rank; ++d) {
      in_whole = in_whole * whole[d] + box.start[d] + at[d];
      in_block = in_block * block[d] + at[d];
    }
    std::int64_t source = (into_block ? in_whole : in_block) * item, goal = (into_block ? in_block : in_whole) * item;
    std::memcpy(static_cast<char*>(to) + goal, static_cast<const char*>(from) + source, static_cast<std::size_t>(run));
    more = false;
    for (int d = rank - 2; d >= 0 && !more; --d) {
      if (++at[d] < extent[d])
        more = true;
      else
        at[d] = 0;
    }
  }
}

struct Axes {
  std::vector<std::string> names;
  std::vector<std::int64_t> sizes;
};

Axes axes_of(const Eqn& e) {
  if (e.op == &ops::all_gather || e.op == &ops::reduce_scatter)
    return {e.params.get<ops::GatherOver>().axes, e.params.get<ops::GatherOver>().sizes};
  if (e.op == &ops::all_to_all) return {e.params.get<ops::Exchange>().axes, e.params.get<ops::Exchange>().sizes};
  if (e.op == &ops::ppermute) return {e.params.get<ops::Permute>().axes, e.params.get<ops::Permute>().sizes};
  return {e.params.get<ops::ReduceOver>().axes, e.params.get<ops::ReduceOver>().sizes};
}

const char* kind_of(const Op* op) {
  if (op == &ops::all_gather) return "all_gather";
  if (op == &ops::reduce_scatter) return "reduce_scatter";
  if (op == &ops::all_to_all) return "all_to_all";
  if (op == &ops::ppermute) return "permute";
  return "all_reduce";
}

class Devices {
 public:
  explicit Devices(const LocalProgram& local)
      : local_(local), p_(*local.program), n_(static_cast<int>(local.mesh.size())), values_(p_.types.size()) {}

  std::vector<BufferPtr> run(std::span<const BufferPtr> inputs) {
    for (std::size_t i = 0; i < p_.inputs.size(); ++i)
      values_[p_.inputs[i]] = scatter_blocks(local_.inputs[i], local_.mesh, local_.input_types[i], inputs[i]->data());
    std::vector<int> last(p_.types.size(), -1);
    for (std::size_t i = 0; i < p_.eqns.size(); ++i)
      for (const Atom& a : p_.eqns[i].operands)
        if (!a.is_literal()) last[a.id] = static_cast<int>(i);
    for (const Atom& a : p_.outputs)
      if (!a.is_literal()) last[a.id] = static_cast<int>(p_.eqns.size());
    for (std::size_t i = 0; i < p_.eqns.size(); ++i) {
      step(p_.eqns[i]);
      for (const Atom& a : p_.eqns[i].operands)
        if (!a.is_literal() && last[a.id] == static_cast<int>(i)) values_[a.id].clear();
    }
    std::vector<BufferPtr> out;
    for (std::size_t i = 0; i < p_.outputs.size(); ++i) {
      const Type& type = local_.output_types[i];
      out.push_back(allocate_buffer(static_cast<std::size_t>(type.nbytes())));
      gather_blocks(local_.outputs[i], local_.mesh, type, of(p_.outputs[i]), out.back()->data());
    }
    return out;
  }

 private:
  Blocks of(const Atom& a) {
    if (!a.is_literal()) return values_[a.id];
    Blocks out;
    for (int d = 0; d < n_; ++d) {
      out.push_back(allocate_buffer(static_cast<std::size_t>(a.literal.dtype.size())));
      write_scalar(a.literal, a.literal.dtype, out.back()->data());
    }
    return out;
  }

  void step(const Eqn& e) {
    std::vector<Type> types;
    std::vector<Blocks> operands;
    for (const Atom& a : e.operands) {
      types.push_back(p_.type(a));
      operands.push_back(of(a));
    }
    for (ValueId r : e.results) {
      Blocks blocks;
      for (int d = 0; d < n_; ++d) blocks.push_back(allocate_buffer(static_cast<std::size_t>(p_.types[r].nbytes())));
      values_[r] = std::move(blocks);
    }
    if (e.op->collective) return collective(e, types, operands);
    for (int d = 0; d < n_; ++d) {
      std::vector<HostView> in, out;
      for (std::size_t o = 0; o < operands.size(); ++o) in.push_back({types[o], operands[o][d]->data()});
      for (ValueId r : e.results) out.push_back({p_.types[r], values_[r][d]->data()});
      evaluate(e, types, in, out);
    }
  }

  // Position of every device within its group, and the groups: devices that differ along the axes only, row-major over
  // them.
  void collective(const Eqn& e, const std::vector<Type>& types, const std::vector<Blocks>& operands) {
    Axes axes = axes_of(e);
    std::int64_t size = 1;
    AxisRefs refs;
    for (std::size_t i = 0; i < axes.names.size(); ++i) {
      int axis = local_.mesh.axis_index(axes.names[i]);
      if (axis < 0) throw InternalError("per_device: the mesh has no axis " + axes.names[i]);
      refs.push_back(whole_axis(local_.mesh, axis));
      size *= axes.sizes[i];
    }
    std::vector<char> done(static_cast<std::size_t>(n_), 0);
    double most_bytes = 0;
    std::int64_t most_messages = 0;
    for (int first = 0; first < n_; ++first) {
      if (done[first]) continue;
      std::vector<int> group(static_cast<std::size_t>(size), -1);
      std::vector<std::int64_t> home = coordinates(local_.mesh, first);
      for (int d = 0; d < n_; ++d) {
        std::vector<std::int64_t> at = coordinates(local_.mesh, d), other = at;
        for (const AxisRef& r : refs) other[r.axis] = home[r.axis];
        if (other == home) group[block_number(refs, local_.mesh, at)] = d;
      }
      std::vector<HostView> in, out;
      for (int d : group) {
        done[d] = 1;
        if (!types.empty()) in.push_back({types[0], operands[0][d]->data()});
        out.push_back({p_.types[e.results[0]], values_[e.results[0]][d]->data()});
      }
      if (e.op == &ops::axis_index) {
        for (std::size_t k = 0; k < group.size(); ++k) *out[k].as<std::int32_t>() = static_cast<std::int32_t>(k);
        continue;
      }
      ops::eval_collective(Call{*e.op, e.params, types, e.subs}, in, out);
      auto [bytes, messages] = received(e, size, in[0], out[0]);
      most_bytes = std::max(most_bytes, bytes);
      most_messages = std::max(most_messages, messages);
    }
    if (!sends(e)) return;
    std::string text;
    for (const std::string& name : axes.names) text += (text.empty() ? "" : ",") + name;
    count_traffic(kind_of(e.op), text, most_bytes, most_messages);
  }

  // What one device of a group receives: counted from the buffers that took part, by the ring (or pairwise) execution.
  std::pair<double, std::int64_t> received(const Eqn& e, std::int64_t n, const HostView& in,
                                           const HostView& out) const {
    auto sent = static_cast<double>(in.type.nbytes()), got = static_cast<double>(out.type.nbytes());
    double others = static_cast<double>(n - 1);
    if (e.op == &ops::all_gather) return {others * sent, n - 1};
    if (e.op == &ops::reduce_scatter) return {others * got, n - 1};
    if (e.op == &ops::all_to_all) return {got / static_cast<double>(n) * others, n - 1};
    if (e.op == &ops::ppermute) return {got, 1};
    return {2 * others * got / static_cast<double>(n), 2 * (n - 1)};
  }

  const LocalProgram& local_;
  const Program& p_;
  int n_;
  std::vector<Blocks> values_;
};

}  // namespace

std::vector<BufferPtr> scatter_blocks(const Layout& layout, const Mesh& mesh, const Type& type, const void* dense) {
  std::vector<BufferPtr> out;
  Shape block = block_shape(layout, type.shape);
  auto bytes = static_cast<std::size_t>(block.num_elements() * type.dtype.size());
  for (std::int64_t d = 0; d < mesh.size(); ++d) {
    out.push_back(allocate_buffer(bytes));
    std::memset(out.back()->data(), type.dtype.is_bool() ? 1 : 0xff, bytes);
    copy_box(box_of(layout, mesh, type.shape, d), type.shape, block, type.dtype.size(), dense, out.back()->data(),
             true);
  }
  return out;
}

void gather_blocks(const Layout& layout, const Mesh& mesh, const Type& type, std::span<const BufferPtr> blocks,
                   void* dense) {
  Shape block = block_shape(layout, type.shape);
  // Backwards, so that where several devices hold a block the one with the lowest coordinates has the last word.
  for (std::int64_t d = mesh.size(); d-- > 0;)
    copy_box(box_of(layout, mesh, type.shape, d), type.shape, block, type.dtype.size(), blocks[d]->data(), dense,
             false);
}

std::vector<BufferPtr> run_per_device(const LocalProgram& program, std::span<const BufferPtr> inputs) {
  return Devices(program).run(inputs);
}

}  // namespace tutti::run
