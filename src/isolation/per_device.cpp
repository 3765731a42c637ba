#include "isolation/per_device.hpp"

#include <cstring>
#include <map>

#include "array/evaluate.hpp"
#include "array/literal.hpp"
#include "ir/collective.hpp"
#include "isolation/traffic.hpp"
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

class Devices {
 public:
  explicit Devices(const LocalProgram& local)
      : local_(local), p_(*local.program), n_(static_cast<int>(local.mesh.size())), values_(p_.types.size()) {}

  IsolatedRun run(std::span<const BufferPtr> inputs) {
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
    return {std::move(out), std::move(sent_)};
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

  // The groups of a collective: devices that differ along its axes only, row-major over them.
  std::vector<std::vector<int>> groups(const Group& axes) const {
    AxisRefs refs;
    for (const std::string& name : axes.axes) {
      int axis = local_.mesh.axis_index(name);
      if (axis < 0) throw InternalError("per_device: the mesh has no axis " + name);
      refs.push_back(whole_axis(local_.mesh, axis));
    }
    std::map<std::vector<std::int64_t>, std::vector<int>> by_home;
    for (int d = 0; d < n_; ++d) {
      std::vector<std::int64_t> at = coordinates(local_.mesh, d), home = at;
      for (const AxisRef& r : refs) home[r.axis] = 0;
      std::vector<int>& group = by_home[home];
      group.resize(static_cast<std::size_t>(axes.size()));
      group[block_number(refs, local_.mesh, at)] = d;
    }
    std::vector<std::vector<int>> out;
    for (auto& [home, group] : by_home) out.push_back(std::move(group));
    return out;
  }

  void collective(const Eqn& e, const std::vector<Type>& types, const std::vector<Blocks>& operands) {
    const Collective& c = *e.op->collective;
    const Group& axes = c.group(e.params);
    Received most;  // of the group whose devices receive most
    for (const std::vector<int>& group : groups(axes)) {
      std::vector<HostView> in, out;
      for (int d : group) {
        if (!types.empty()) in.push_back({types[0], operands[0][d]->data()});
        out.push_back({p_.types[e.results[0]], values_[e.results[0]][d]->data()});
      }
      Messages messages(axes.size());
      c.eval(Call{*e.op, e.params, types, e.subs}, in, out, messages);
      Received got = messages.mean();
      most = {std::max(most.bytes, got.bytes), std::max(most.messages, got.messages)};
    }
    if (c.kind.empty()) return;
    std::string text;
    for (const std::string& name : axes.axes) text += (text.empty() ? "" : ",") + name;
    add(sent_, {c.kind, text, 1, most.messages, most.bytes});
  }

  const LocalProgram& local_;
  const Program& p_;
  int n_;
  std::vector<Blocks> values_;
  Traffic sent_;
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

IsolatedRun run_per_device(const LocalProgram& program, std::span<const BufferPtr> inputs) {
  IsolatedRun out = Devices(program).run(inputs);
  count_traffic(out.sent);
  return out;
}

}  // namespace tutti::run
