// Functions of many operands, branches, leaves, files' arrays or calls, beyond those of lists_test.cpp.
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "growth/growth.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

using Call = std::function<void()>;
using List = std::vector<Array>;

List ones_of(int n) {
  List out;
  for (int i = 0; i < n; ++i) out.push_back(full({2}, Array(static_cast<float>(i % 5) + 1)));
  return out;
}
Dict entries(int n) {
  Dict out;
  for (int i = 0; i < n; ++i) out["w" + std::to_string(i)] = ones({2});
  return out;
}
auto of_list(const std::function<void(const List&)>& f) {
  return [=](int n) -> Call { return [=, xs = ones_of(n)] { f(xs); }; };
}
auto of_entries(const std::function<void(const Dict&)>& f) {
  return [=](int n) -> Call { return [=, x = entries(n)] { f(x); }; };
}
// A program of n operations.
auto of_program(const std::function<void(const std::function<Array(Array)>&)>& f) {
  return [=](int n) -> Call {
    return [=] {
      f([=](Array x) {
        for (int i = 0; i < n; ++i) x = i % 2 ? sin(x) : x * 1.25f;
        return x;
      });
    };
  };
}
std::vector<std::function<Array(const Array&)>> branches(int n) {
  std::vector<std::function<Array(const Array&)>> out;
  for (int i = 0; i < n; ++i) out.push_back([i](const Array& x) { return x * static_cast<float>(i + 2); });
  return out;
}
std::string file_of(const char* name) {
  return (std::filesystem::temp_directory_path() / ("tutti_growth_" + std::to_string(::getpid()) + name)).string();
}

}  // namespace

TUTTI_GROWTH(Branches, ({
                           {"jit of switch", 40,
                            [](int n) -> Call {
                              return [=, fs = branches(n)] {
                                jit([=](const Array& i, const Array& x) { return lax::switch_(i, fs, x); })(array(1),
                                                                                                            ones({2}));
                              };
                            }},
                           {"grad of switch of many", 40,
                            [](int n) -> Call {
                              return [=, fs = branches(n)] {
                                jit(grad([=](const Array& x, const Array& i) { return lax::switch_(i, fs, x).sum(); }))(
                                    ones({2}), array(1));
                              };
                            }},
                       }));

TUTTI_GROWTH(Calls, ({
                        {"callbacks in a jit", 100,
                         [](int n) -> Call {
                           return [=] {
                             jit([=](const Array& x) {
                               for (int i = 0; i < n; ++i) debug::callback([](const Array&) {}, x);
                               return x;
                             })(ones({2}));
                           };
                         }},
                        {"explanation", 200, of_program([](const auto& f) {
                           const Array x = device_put(ones({8}), NamedSharding(make_mesh({1}, {"x"}), P("x")));
                           std::ostringstream() << jit(f).explain(x);
                         })},
                        {"nested jits", 200,
                         [](int n) -> Call {
                           return [=] {
                             auto f = jit([](const Array& x) { return sin(x); });
                             jit([=](Array x) {
                               for (int i = 0; i < n; ++i) x = f(x);
                               return x;
                             })(ones({2}));
                           };
                         }},
                    }));

TUTTI_GROWTH(ManyOperands,
             ({
                 {"column_stack", 200, of_list([](const List& xs) { column_stack(xs); })},
                 {"hstack", 200, of_list([](const List& xs) { hstack(xs); })},
                 {"dict leaves", 1000, of_entries([](const Dict& d) { tree::leaves(d); })},
                 {"dict map", 1000, of_entries([](const Dict& d) { tree::map([](const Array& x) { return x; }, d); })},
                 {"dict copy", 1000, of_entries([](const Dict& d) { Dict copy = d; })},
                 {"jit of a dict", 300, of_entries([](const Dict& d) {
                    jit([](const Dict& x) { return tree::map([](const Array& a) { return a * 2.f; }, x); })(d);
                  })},
             }));

TUTTI_GROWTH(FilesOfMany, ({
                              {"io save and load", 300, of_entries([](const Dict& d) {
                                 const std::string path = file_of(".safetensors");
                                 io::save(path, d);
                                 io::load(path, d);
                                 std::filesystem::remove(path);
                               })},
                              {"checkpoint save and restore", 300, of_entries([](const Dict& d) {
                                 const std::string folder = file_of("_checkpoint");
                                 checkpoint::save(folder, d, {.step = 1});
                                 checkpoint::restore(folder, d);
                                 std::filesystem::remove_all(folder);
                               })},
                          }));

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
