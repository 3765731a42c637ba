// All of an array on every process: of one that is placed, and of what each process has of its own.
#include <algorithm>
#include <cstring>
#include <sstream>

#include "array/node.hpp"
#include "array/runtime.hpp"
#include "distributed/agree.hpp"
#include "mesh/places.hpp"
#include "mesh/process.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/distributed/distributed.hpp"

namespace tutti::multihost {
namespace {

constexpr const char* kGather = "process_allgather";
// Arrays that ought to be equal are compared up to here, larger ones on demand.
constexpr std::size_t kCompared = 64 << 10;  // bytes

void check_equal(const Array& x) {
  if (this_process().count == 1) return;
  const HostPtr mine = held_buffer_of(x, kGather);
  std::string text = x.type().str();
  if (mine->bytes() <= kCompared || distributed::compares_all())
    text += " with hash " + distributed::hash_text(mine->data(), mine->bytes());
  distributed::check_same(text, kGather,
                          "the array, which is not placed on several processes (gather what each has with "
                          "{.tiled = false} or {.tiled = true}),");
}

// What each process gives, by process.
struct Given {
  std::vector<Shape> shapes;
  std::string text;  // `process 0 float32[3], process 1 ...`
  bool fit = true;   // one dtype, and one shape but for dim 0 of arrays that are joined
};
Given given_by_all(const Array& x, bool joined) {
  std::string mine = std::string(x.dtype().name()) + "\n";
  for (std::int64_t n : x.shape()) mine += " " + std::to_string(n);
  Given out;
  for (const std::string& theirs : distributed::texts_of_all(mine, kGather, "the array that each process gives")) {
    std::istringstream in(theirs);
    std::string dtype;
    std::vector<std::int64_t> extents;
    std::getline(in, dtype);
    for (std::int64_t n; in >> n;) extents.push_back(n);
    out.text += (out.text.empty() ? "process " : ", process ") + std::to_string(out.shapes.size()) + " " + dtype +
                Shape(extents).str();
    Shape alike(extents);
    if (joined && alike.ndim() == x.ndim()) alike[0] = x.shape()[0];
    out.fit &= dtype == x.dtype().name() && alike == x.shape();
    out.shapes.push_back(Shape(extents));
  }
  return out;
}

Array gathered(const Array& x, bool tiled) {
  const bool joined = tiled && x.ndim() > 0;
  const HostPtr mine = held_buffer_of(x, kGather);
  const Given given = given_by_all(x, joined);
  if (!given.fit)
    raise<DistributedError>(kGather, "the arrays do not fit together: " + given.text,
                            "Give arrays of one dtype and one shape; with {.tiled = true} dim 0 may differ.");
  Shape shape{static_cast<std::int64_t>(given.shapes.size())};
  if (joined) shape[0] = 0;
  for (int d = joined ? 1 : 0; d < x.ndim(); ++d) shape.push_back(x.shape()[d]);
  std::int64_t longest = 0;
  for (const Shape& s : given.shapes) {
    longest = std::max(longest, s.num_elements());
    if (joined) shape[0] += s[0];
  }
  const auto item = static_cast<std::int64_t>(x.dtype().size());
  std::string bytes(static_cast<const char*>(mine->data()), mine->bytes());
  bytes.resize(static_cast<std::size_t>(longest * item), '\0');
  const std::vector<std::string> all = distributed::all_gather_bytes(bytes, kGather);
  HostPtr out = allocate_buffer(static_cast<std::size_t>(shape.num_elements() * item));
  char* at = static_cast<char*>(out->data());
  for (std::size_t p = 0; p < all.size(); ++p) {
    const auto n = static_cast<std::size_t>(given.shapes[p].num_elements() * item);
    std::memcpy(at, all[p].data(), n);
    at += n;
  }
  Type type = x.type();
  type.shape = shape;
  return make_array(std::move(type), std::move(out));
}

}  // namespace

Array detail::allgather_leaf(const Array& x, const AllgatherOptions& options, Loc loc) {
  CallScope scope(loc, Loc{"", kGather});
  const Array value = concrete(x, kGather);
  const Sharding& sharding = value.node()->sharding;
  if (!sharding.has_value() || !places_of(mesh_of(sharding))) {
    if (options.tiled) return gathered(value, *options.tiled);
    check_equal(value);
    return value;
  }
  if (options.tiled == false)
    raise<ValueError>(kGather, "the array is placed on the devices of several processes: " + sharding.str(),
                      "Parts of a placed array are joined, not stacked: leave `tiled` out, or give true.");
  const std::optional<Held> held = held_of(sharding, value.shape());
  return held ? relocated(value, NamedSharding(held->places->devices, P()), true) : value;
}

}  // namespace tutti::multihost

// SPDX-License-Identifier: Apache-2.0
