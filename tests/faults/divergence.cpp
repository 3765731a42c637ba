// Jobs of two processes of which the second does something else, for divergence.py: `mpirun -n 2 fault_divergence K`
// runs case K, `fault_divergence list` prints name, environment and expected text of each. A process that
// notices nothing says so.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>

#include <tutti/tutti.hpp>

namespace {

using namespace tutti;

bool other = false;  // in process 1

Mesh line(bool turned = false) {
  std::vector<Device> d = devices();
  if (turned) std::reverse(d.begin(), d.end());
  return Mesh(d, {static_cast<std::int64_t>(d.size())}, {"x"});
}
Array cut(const Shape& shape = {8, 4}, const P& spec = P("x"), const Mesh& mesh = line()) {
  return device_put(ones(shape), NamedSharding(mesh, spec));
}
void use(const Array& x) { (void)x.sum().item<float>(); }
// Programs that all know.
const auto& largest() {
  static auto f = jit([](const Array& v) { return v.max(); });
  return f;
}
const auto& rows() {
  static auto f = jit([](const Array& v) { return v.sum(0); });
  return f;
}
void know() {
  (void)largest()(cut());
  (void)rows()(cut());
}
std::string folder() { return std::getenv("FAULT_FOLDER"); }

struct Case {
  const char *name, *environment, *expected;  // a regular expression
  std::function<void()> act;
};

#define SAME "is not the same here, in process [01], as in process [01]"

const Case cases[] = {
    {"devices of a mesh in another order", "", SAME ".*on devices",
     [] {
       use(cut({8, 4}, P("x"), line(other)));
     }},
    {"devices in another order, large arrays", "", SAME ".*on devices",
     [] {
       use(cut({512, 512}, P("x"), line(other)));
     }},
    {"devices in another order, gathered", "", SAME ".*on devices",
     [] {
       (void)multihost::process_allgather(cut({8, 4}, P("x"), line(other)));
     }},
    {"devices in another order, blocks", "TUTTI_CHECK=processes", SAME,
     [] {
       (void)make_array_from_callback({8}, NamedSharding(line(other), P("x")),
                                      [](const ShardIndex&) { return ones({4}); });
     }},
    {"devices in another order, device_put", "TUTTI_CHECK=processes", SAME,
     [] { (void)cut({8}, P("x"), line(other)); }},
    {"devices in another order, parts", "", SAME,
     [] { (void)make_array_from_process_local_data(NamedSharding(line(other), P("x")), ones({4})); }},
    {"another shape of the mesh", "TUTTI_CPU_DEVICES=2", SAME,
     [] {
       const Mesh m = make_mesh(other ? Shape{2, 2} : Shape{4, 1}, {"x", "y"});
       use(device_put(ones({8, 4}), NamedSharding(m, P("x"))));
     }},
    {"other names of axes", "", SAME,
     [] {
       const Mesh m = make_mesh({2}, {other ? "y" : "x"});
       use(device_put(ones({8}), NamedSharding(m, P(other ? "y" : "x"))));
     }},
    {"another spec", "", SAME,
     [] {
       use(cut({8, 4}, other ? P(none, "x") : P("x")));
     }},
    {"another shape", "", SAME,
     [] {
       use(cut({other ? 16 : 8, 4}));
     }},
    {"another dtype", "", SAME, [] { (void)(cut() * (other ? 2 : 3)).astype(other ? float16 : float32).sum(); }},
    {"another program", "", SAME, [] { other ? (void)cut().max() : (void)cut().sum(); }},
    {"another literal", "", SAME,
     [] { (void)jit([](const Array& x) { return (x * (other ? 2.f : 3.f)).sum(); })(cut()); }},
    {"another number of steps in a loop", "", SAME,
     [] {
       (void)jit([](const Array& x) {
         return lax::fori_loop(
             0, other ? 3 : 4, [](const Array&, const Array& c) { return c + c.sum(); }, x);
       })(cut());
     }},
    {"another branch", "", SAME,
     [] { (void)jit([](const Array& x) { return other ? x.sum() : x.sum() + x.max(); })(cut()); }},
    {"another reduction in shard_map", "", SAME,
     [] {
       (void)jit(shard_map([](const Array& v) { return other ? lax::pmax(v.sum(), "x") : lax::psum(v.sum(), "x"); },
                           {.mesh = line(), .in_specs = P("x"), .out_specs = P()}))(cut());
     }},
    {"other out_shardings", "TUTTI_CHECK=processes", SAME,
     [] {
       (void)jit([](const Array& v) { return v * 2; },
                 {.out_shardings = NamedSharding(line(), other ? P() : P("x"))})(cut());
     }},
    {"a program for another one that is known", "",
     "waits in pmax over x .*, process 1 in the comparison of the program of|" SAME,
     [] {
       know();
       other ? (void)jit([](const Array& v) { return v.min(); })(cut()) : (void)largest()(cut());
     }},
    {"known programs in another order", "",
     "the wait limit, in p\\w+ over x \\(divergence.cpp:\\d+\\) for process [01]\n.*waits in p\\w+ over x",
     [] {
       know();
       if (other) (void)rows()(cut());
       (void)largest()(cut());
       if (!other) (void)rows()(cut());
     }},
    {"collectives that wait for each other", "",
     "waits in p\\w+ over x \\(divergence.cpp:\\d+\\), process 1 in p\\w+ over x",
     [] {
       know();
       other ? (void)rows()(cut()) : (void)largest()(cut());
     }},
    {"known programs in another order, compared", "TUTTI_CHECK=processes", SAME,
     [] {
       know();
       if (other) (void)rows()(cut());
       (void)largest()(cut());
     }},
    {"one program fewer", "", "for process 1, which has left main",
     [] {
       know();
       if (!other) (void)largest()(cut());
     }},
    {"one program more", "", "for process 0, which has left main",
     [] {
       know();
       if (other) (void)largest()(cut());
     }},
    {"a new program more", "", "for process 0, which has left main",
     [] {
       if (other) (void)cut().sum();
     }},
    {"a barrier for a program", "", SAME, [] { other ? multihost::sync_global_devices("here") : use(cut()); }},
    {"a barrier for a known program", "", "the wait limit, in .*\n.*waits in",
     [] {
       know();
       other ? multihost::sync_global_devices("here") : (void)largest()(cut());
     }},
    {"other names of barriers", "", SAME, [] { multihost::sync_global_devices(other ? "there" : "here"); }},
    {"a barrier for a comparison", "", SAME,
     [] { other ? multihost::sync_global_devices("here") : multihost::assert_equal(ones({3})); }},
    {"values that ought to be equal", "", SAME, [] { multihost::assert_equal(full({3}, other ? 1 : 2), "rates"); }},
    {"another source", "", SAME ".*of process [01]", [] { (void)multihost::broadcast_one_to_all(ones({3}), other); }},
    {"another type is broadcast", "", SAME, [] { (void)multihost::broadcast_one_to_all(ones({other ? 3 : 4})); }},
    {"a broadcast for a gather", "", SAME,
     [] {
       other ? (void)multihost::broadcast_one_to_all(ones({3}))
             : (void)multihost::process_allgather(ones({3}), {.tiled = false});
     }},
    {"own values without saying so", "", "tiled = false.*" SAME,
     [] { (void)multihost::process_allgather(full({3}, other ? 1.f : 2.f)); }},
    {"own values of other shapes", "", "do not fit together: process 0 float32\\(3,\\), process 1 float32\\(4,\\)",
     [] { (void)multihost::process_allgather(ones({other ? 4 : 3}), {.tiled = false}); }},
    {"own values of other dtypes", "", "do not fit together",
     [] { (void)multihost::process_allgather(ones({3}).astype(other ? int32 : float32), {.tiled = true}); }},
    {"parts that are no blocks", "", "no blocks of one array.*process 0 \\(1, 2\\), process 1 \\(3, 2\\)",
     [] {
       (void)make_array_from_process_local_data(NamedSharding(line(), P("x")), ones({other ? 3 : 1, 2}));
     }},
    {"parts of other dtypes", "", SAME,
     [] {
       (void)make_array_from_process_local_data(NamedSharding(line(), P("x")),
                                                ones({2, 2}).astype(other ? int32 : float32));
     }},
    {"parts of other global shapes", "", SAME,
     [] {
       const Shape part{4, other ? 3 : 2}, whole{8, other ? 3 : 2};
       use(make_array_from_process_local_data(NamedSharding(line(), P("x")), ones(part), whole));
     }},
    {"another value is cut", "TUTTI_CHECK=processes", SAME,
     [] { (void)device_put(full({8}, other ? 1 : 2), NamedSharding(line(), P("x"))); }},
    {"another seed", "TUTTI_CHECK=processes", SAME,
     [] {
       (void)jit([](const Array& key, const Array& x) {
         return (x * random::normal(key, {8, 4})).sum();
       })(random::key(other ? 1 : 2), cut());
     }},
    {"another learning rate", "TUTTI_CHECK=processes", "is given whole " SAME,
     [] { (void)jit([](const Array& w, const Array& rate) { return w * rate; })(cut(), array(other ? 0.1f : 0.2f)); }},
    {"another folder of a checkpoint", "", SAME ".*folder",
     [] { checkpoint::save(folder() + (other ? "/a" : "/b"), cut(), {.step = 1}); }},
    // Both go on, and mean the same checkpoint again.
    {"a save that one refuses", "",
     "^(?=(.|\n)*process 0 noticed nothing)(?=(.|\n)*process 1 noticed nothing)(.|\n)*exits with 7",
     [] {
       try {
         checkpoint::save(folder() + "/j", cut(), {.step = other ? -1 : 1});
         if (!other) std::_Exit(8);
       } catch (const DistributedError&) {
       } catch (const ValueError&) {
         try {
           multihost::sync_global_devices("instead");
         } catch (const DistributedError&) {
         }
       }
       checkpoint::save(folder() + "/j", cut(), {.step = 2});
       std::fprintf(stderr, "process %d noticed nothing\n", process_index());
       multihost::sync_global_devices("end");
       if (other) std::exit(7);
     }},
    {"another step of a checkpoint", "", SAME,
     [] { checkpoint::save(folder() + "/c", cut(), {.step = other ? 1 : 2}); }},
    {"another tree in a checkpoint", "", SAME,
     [] {
       other ? checkpoint::save(folder() + "/d", cut(), {.step = 1})
             : checkpoint::save(folder() + "/d", std::pair(cut(), cut()), {.step = 1});
     }},
    {"another folder is restored", "", SAME ".*folder",
     [] {
       checkpoint::save(folder() + "/e", cut(), {.step = 1});
       checkpoint::save(folder() + "/f", cut(), {.step = 1});
       (void)checkpoint::restore(folder() + (other ? "/e" : "/f"), cut());
     }},
    {"another step is restored", "", SAME,
     [] {
       checkpoint::save(folder() + "/g", cut(), {.step = 1});
       checkpoint::save(folder() + "/g", cut(), {.step = 2});
       (void)checkpoint::restore(folder() + "/g", cut(), {.step = other ? 1 : 2});
     }},
    {"one saves", "", "the wait limit, in .*|for process 1, which has left main",
     [] {
       if (!other) checkpoint::save(folder() + "/h", cut(), {.step = 1});
     }},
    {"one restores, one goes on", "", "for process \\d, which has left main|the wait limit",
     [] {
       checkpoint::save(folder() + "/i", cut(), {.step = 1});
       know();
       other ? (void)checkpoint::restore(folder() + "/i", cut()) : (void)largest()(cut());
     }},
    {"an exception", "", "process 1 of 2 ends by an exception: .*of its own",
     [] {
       if (other) throw ValueError("of its own");
       use(cut());
     }},
    {"an exception that is caught", "", SAME,
     [] {
       try {
         if (other) throw ValueError("of its own");
         use(cut());
       } catch (const ValueError&) {
         multihost::sync_global_devices("after");
       }
     }},
    {"exit with a code", "", "process 1 of 2 exits with 3",
     [] {
       if (other) std::exit(3);
       use(cut());
     }},
    {"exit with 0", "", "which has left main",
     [] {
       if (other) std::exit(0);
       use(cut());
     }},
    {"one is busy", "", "tutti: process 0 has waited \\d+ s, the wait limit, in .*divergence.cpp:\\d+.* for process 1",
     [] {
       while (other) usleep(100000);
       use(cut());
     }},
    {"one is busy, and the limit is an option",
     "TUTTI_WAIT_LIMIT=", "has waited \\d+ s, the wait limit, in .* for process 1",
     [] {
       while (other) usleep(100000);
       use(cut());
     }},
    {"one is busy with a known program ahead", "",
     "the wait limit, in pmax over x \\(divergence.cpp:\\d+\\) for process 1",
     [] {
       know();
       while (other) usleep(100000);
       (void)largest()(cut());
     }},
    {"loops that end at other steps", "", "which has left main",
     [] {
       know();
       for (int i = 0; i < (other ? 5 : 7); ++i) (void)largest()(cut());
     }},
    {"loops that end at other steps, then a barrier", "", "the wait limit",
     [] {
       know();
       for (int i = 0; i < (other ? 5 : 7); ++i) (void)largest()(cut());
       multihost::sync_global_devices("end");
     }},
    {"one never calls initialize", "", "the wait limit, in distributed::initialize", [] {}},
};

}  // namespace

int main(int, char** argv) {
  if (std::strcmp(argv[1], "list") == 0) {
    for (const Case& c : cases) {
      std::string text = c.expected;
      for (std::size_t at; (at = text.find('\n')) != std::string::npos;) text.replace(at, 1, "\\n");
      std::printf("%s\t%s\t%s\n", c.name, c.environment, text.c_str());
    }
    return 0;
  }
  const Case& c = cases[std::stoul(argv[1])];
  const char* index = std::getenv("OMPI_COMM_WORLD_RANK");
  if (!index) index = std::getenv("PMI_RANK");
  while (std::strstr(c.name, "never calls initialize") && index && std::strcmp(index, "1") == 0) usleep(100000);
  distributed::initialize({.quiet_others = false, .wait_limit = 4});
  other = process_index() == 1;
  c.act();
  std::fprintf(stderr, "process %d noticed nothing\n", process_index());
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
