// What travels together, and when: local programs of several processes.
#include "ir/pass_list.hpp"
#include "ops/collective/collective.hpp"
#include "partition/programs.hpp"

namespace tutti::testing {
namespace {

// A local program on one axis "x" of 4, with a Cause for each collective as partition counts them.
LocalProgram local_program(const std::vector<Type>& inputs, const Function& f) {
  LocalProgram out;
  out.program = record(inputs, f);
  out.mesh = grid({4}, {"x"});
  out.input_types = out.program->input_types();
  out.output_types = out.program->output_types();
  for (const Type& t : out.input_types) out.inputs.push_back(Layout::replicated(t.ndim()));
  for (const Type& t : out.output_types) out.outputs.push_back(Layout::replicated(t.ndim()));
  for (const Eqn& e : out.program->eqns) {
    if (!sends(e)) continue;
    const auto bytes = static_cast<double>(out.program->type(e.operands[0]).nbytes());
    const Received r = e.op->collective->received(bytes, 4);
    Cause c;
    c.kind = e.op->collective->kind;
    c.axes = {"x"};
    c.group = 4;
    c.bytes = r.bytes;
    c.messages = r.messages;
    c.inputs = {static_cast<int>(out.causes.size())};
    out.causes.push_back(c);
  }
  verify(out);
  return out;
}

Array over_x(const Op& op, const Array& a) { return bind1(op, Group{{"x"}, {4}}, {a}); }
Array sum_of(const Array& a) { return over_x(ops::psum, a); }
int count(const LocalProgram& p, const std::string& op) {
  return static_cast<int>(
      std::count_if(p.program->eqns.begin(), p.program->eqns.end(), [&](const Eqn& e) { return e.op->name == op; }));
}
std::vector<std::string> names(const LocalProgram& p) {
  std::vector<std::string> out;
  for (const Eqn& e : p.program->eqns) out.push_back(e.op->name);
  return out;
}

TEST(Combine, SmallSumsAreOneMessage) {
  const LocalProgram p = local_program({type({8, 4}), type({12}), type({})}, [](const Arrays& in) {
    return Arrays{sum_of(in[0]) * 2, sum_of(in[1]), sum_of(in[2]) + 1};
  });
  const LocalProgram q = combine_collectives(send_early(p));
  verify(q);
  ASSERT_EQ(q.causes.size(), 1u) << str(q);
  EXPECT_EQ(total_messages(q), 2 * 3);
  EXPECT_DOUBLE_EQ(total_bytes(q), total_bytes(p));
  EXPECT_EQ(q.causes[0].inputs, (std::vector{0, 1, 2}));
}

TEST(Combine, OnlyOfOneKindAndDtype) {
  const LocalProgram p = local_program({type({8}), type({8}, int32), type({8})}, [](const Arrays& in) {
    return Arrays{sum_of(in[0]), sum_of(in[1]), over_x(ops::pmax, in[2])};
  });
  EXPECT_EQ(str(*combine_collectives(p).program), str(*p.program));
}

TEST(Combine, NotWhatNeedsAnother) {
  const LocalProgram p = local_program({type({8}), type({8})}, [](const Arrays& in) {
    const Array first = sum_of(in[0]);
    return Arrays{first, sum_of(first * in[1])};
  });
  EXPECT_EQ(combine_collectives(p).causes.size(), 2u);
}

TEST(Combine, LargeOnesTravelAlone) {
  const LocalProgram p = local_program({type({1 << 16}), type({1 << 16}), type({8}), type({8})}, [](const Arrays& in) {
    return Arrays{sum_of(in[0]), sum_of(in[1]), sum_of(in[2]), sum_of(in[3])};
  });
  EXPECT_EQ(combine_collectives(p).causes.size(), 3u);
}

TEST(Combine, EqualOnesAreOne) {
  const LocalProgram p = local_program({type({1 << 16})}, [](const Arrays& in) {
    return Arrays{sum_of(in[0]) * 2, sum_of(in[0]) * 3};
  });
  EXPECT_EQ(combine_collectives(p).causes.size(), 1u);
}

TEST(SendEarly, ASumStartsWhereItsOperandIsThere) {
  const LocalProgram p = local_program({type({256, 256}), type({256, 256})}, [](const Arrays& in) {
    const Array a = dot(in[0], in[1]), b = dot(in[1], in[0]), c = dot(b, in[0]);
    return Arrays{sum_of(a) + 1, sum_of(b), c};
  });
  EXPECT_EQ(names(send_early(p)),
            (std::vector<std::string>{"dot_general", "psum", "dot_general", "psum", "dot_general", "add"}));
}

TEST(SendEarly, ReadersWaitBehindWhatIsNear) {
  const LocalProgram p = local_program({type({512, 512}), type({512, 512})}, [](const Arrays& in) {
    const Array a = sum_of(in[0]);
    const Array read = dot(a, in[1]);
    return Arrays{read, dot(in[1], in[1])};
  });
  const LocalProgram q = send_early(p);
  ASSERT_EQ(q.program->eqns.size(), 3u);
  EXPECT_EQ(q.program->eqns[0].op->name, "psum");
  EXPECT_EQ(q.program->eqns[2].operands[0].id, q.program->eqns[0].results[0]) << str(q);
}

TEST(SendEarly, NoMoreThanTwoGathersAheadOfTheirReaders) {
  const LocalProgram p = local_program(std::vector<Type>(7, type({64, 64})), [](const Arrays& in) {
    Array x = in[6];
    for (int i = 0; i < 6; ++i)
      x = dot(x, bind1(ops::all_gather, ops::GatherOver{{{"x"}, {4}}, 1, true}, {in[i]}))[0].sum() + in[6];
    return Arrays{x};
  });
  const LocalProgram q = send_early(p);
  verify(q);
  int ahead = 0, most = 0;
  for (const Eqn& e : q.program->eqns) {
    ahead += e.op->name == "all_gather";
    ahead -= e.op->name == "dot_general";
    most = std::max(most, ahead);
  }
  EXPECT_EQ(most, 2) << str(q);
}

TEST(AtPlace, ABlockAtAKnownPlaceIsASlice) {
  const Mesh mesh = grid({4}, {"x"});
  const ProgramPtr p = record({type({8, 8})}, [](const Arrays& in) { return Arrays{in[0] * 2}; });
  ShardedProgram sharded = propagate(p, {named(mesh, P())}, {named(mesh, P("x"))});
  const LocalProgram local = partition(sharded);
  ASSERT_EQ(count(local, "dynamic_slice"), 1) << str(local);
  Places places{mesh, mesh, {}, {}, 3};
  const LocalProgram here = at_place(local, places);
  verify(here);
  EXPECT_EQ(count(here, "dynamic_slice"), 0);
  EXPECT_NE(str(*here.program).find("start=(6, 0)"), std::string::npos) << str(*here.program);
}

// The passes between processes: values do not need them (the others: tests/api/left_out_test.cpp).
TEST(LeftOutOfProcesses, BitsStay) {
  const LocalProgram p = local_program({type({64, 64}), type({64, 64}), type({12}), type({12})}, [](const Arrays& in) {
    const Array a = dot(in[0], in[1]), b = dot(in[1], in[0]), c = dot(b, in[0]);
    return Arrays{sum_of(a) + 1, sum_of(b), c, sum_of(in[2]) * 2, sum_of(in[2]) - sum_of(in[3] + c(0, 0))};
  });
  std::mt19937 rng(1);
  std::vector<BufferPtr> inputs;
  for (const Type& t : p.program->input_types()) inputs.push_back(random_buffer(t, rng));
  const simulated::Run plain = simulated::run(p, inputs);
  const std::string whole = str(*scheduled(p).program);
  for (PassId id : {PassId::send_early, PassId::combine, PassId::send_early_again}) {
    SCOPED_TRACE(pass(id).name);
    const WithoutPasses without(PassSet{1} << static_cast<unsigned>(id));
    const LocalProgram q = scheduled(p);
    verify(q);
    if (id != PassId::send_early_again) {  // here the order is good already
      EXPECT_NE(str(*q.program), whole);
    }
    const simulated::Run got = simulated::run(q, inputs);
    for (std::size_t i = 0; i < plain.outputs.size(); ++i)
      EXPECT_EQ(
          std::memcmp(on_host(got.outputs[i]).data(), on_host(plain.outputs[i]).data(), plain.outputs[i]->bytes()), 0)
          << i;
  }
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
