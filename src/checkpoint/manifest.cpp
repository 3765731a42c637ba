#include "checkpoint/manifest.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <nlohmann/json.hpp>

#include "io/content.hpp"
#include "io/dtypes.hpp"
#include "io/file.hpp"
#include "io/quoted.hpp"

namespace tutti::checkpoint::detail {
namespace {
using Json = nlohmann::json;
using io::detail::raise_content;

constexpr const char* kFormat = "tutti checkpoint";
constexpr int kVersion = 1;
constexpr const char* kSum = "xxhash64";

// Objects and arrays within each other that a JSON text has at most: nlohmann writes them by recursion.
constexpr int kDeepest = 1000;
bool too_deep(std::string_view json) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{') && ++depth > kDeepest)
      return true;
    else if (!quoted && (c == ']' || c == '}'))
      --depth;
  }
  return false;
}

std::string hex(std::uint64_t sum) { return fmt::format("{:016x}", sum); }
std::uint64_t from_hex(const Json& value) {
  const std::string& text = value.get_ref<const std::string&>();
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, 16);
  if (text.size() != 16 || error != std::errc() || end != text.data() + 16)
    throw Json::other_error::create(500, "a checksum is not 16 hexadecimal digits", &value);
  return out;
}
std::string own_sum(const Json& manifest) {
  const std::string text = manifest.dump();
  return hex(sum_of(text.data(), text.size()));
}

Json json_of(const Block& block) {
  Json sums = Json::array();
  for (std::uint64_t s : block.sums) sums.push_back(hex(s));
  return {{"file", block.file},
          {"name", block.name},
          {"start", block.region.start.dims()},
          {"shape", block.region.extent.dims()},
          {kSum, sums}};
}

Block block_of(const Json& json) {
  Block out{json.at("file").get<std::string>(), json.at("name").get<std::string>(), {}, {}};
  out.region = {Shape(json.at("start").get<std::vector<std::int64_t>>()),
                Shape(json.at("shape").get<std::vector<std::int64_t>>())};
  for (const Json& s : json.at(kSum)) out.sums.push_back(from_hex(s));
  return out;
}

// Whether blocks that lie within a shape and have as many elements together overlap nowhere: then the corners of all of
// them, counted with alternating signs, are those of the whole. That takes 2^dims steps a block, dims that none cuts
// not counted; where these are more than the blocks, each is compared with each.
bool tile(const std::vector<Block>& blocks, const Shape& shape) {
  std::vector<std::size_t> cut;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (std::any_of(blocks.begin(), blocks.end(), [&](const Block& b) { return b.region.extent[d] != shape[d]; }))
      cut.push_back(d);
  if (cut.size() >= 60 || std::size_t(1) << cut.size() > blocks.size()) {
    for (std::size_t i = 0; i < blocks.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (common(blocks[i].region, blocks[j].region)) return false;
    return true;
  }
  std::map<std::vector<std::int64_t>, std::int64_t> corners;
  const auto count = [&](const Region& r, std::int64_t sign) {
    for (std::size_t ends = 0; ends < std::size_t(1) << cut.size(); ++ends) {
      std::vector<std::int64_t> at;
      std::int64_t signed_one = sign;
      for (std::size_t i = 0; i < cut.size(); ++i) {
        const bool end = ends >> i & 1;
        at.push_back(r.start[cut[i]] + (end ? r.extent[cut[i]] : 0));
        if (end) signed_one = -signed_one;
      }
      corners[at] += signed_one;
    }
  };
  for (const Block& b : blocks) count(b.region, 1);
  count(Region::whole(shape), -1);
  return std::all_of(corners.begin(), corners.end(), [](const auto& corner) { return corner.second == 0; });
}

// The parts of a leaf lie within it, and each element in one of them.
void check_blocks(const std::string& path, const SavedLeaf& leaf, std::uint64_t piece_bytes) {
  const std::string name = io::detail::printable(leaf.path);
  std::int64_t elements = 0;
  for (const Block& b : leaf.blocks) {
    if (b.file.empty() || b.file.find_first_of(std::string_view("/\0", 2)) != b.file.npos || b.file[0] == '.')
      raise_content(path, "the file of a block of " + name + " is " + io::detail::quoted_name(b.file));
    if (!b.region.within(leaf.shape))
      raise_content(path, "the block " + b.region.str() + " of " + name + leaf.shape.str() + " is outside");
    elements = extent::add(elements, b.region.num_elements());
    const auto bytes = static_cast<std::uint64_t>(b.region.num_elements() * leaf.dtype.size());
    if (b.sums.size() != (bytes + piece_bytes - 1) / piece_bytes)
      raise_content(path, "the block " + b.region.str() + " of " + name + " has the wrong number of checksums");
  }
  if (elements != leaf.shape.num_elements())
    raise_content(path, "the blocks of " + name + " are " + std::to_string(elements) + " elements of " +
                            std::to_string(leaf.shape.num_elements()));
  if (elements > 0 && !tile(leaf.blocks, leaf.shape)) raise_content(path, "two blocks of " + name + " overlap");
}

SavedLeaf leaf_of(const std::string& path, const Json& json, std::uint64_t piece_bytes) {
  SavedLeaf out;
  out.path = json.at("path").get<std::string>();
  const auto dtype = io::detail::dtype_named(json.at("dtype").get<std::string>());
  if (!dtype) raise_content(path, io::detail::printable(out.path) + " is of a dtype that this tutti does not have");
  out.dtype = *dtype;
  out.shape = Shape(json.at("shape").get<std::vector<std::int64_t>>());
  if (io::detail::bytes_of(out.dtype, out.shape) < 0)
    raise_content<ShapeError>(path,
                              "the shape of " + io::detail::printable(out.path) + " has more elements than any memory");
  out.sharding = json.at("sharding").get<std::string>();
  for (const Json& b : json.at("blocks")) out.blocks.push_back(block_of(b));
  check_blocks(path, out, piece_bytes);
  return out;
}

}  // namespace

std::uint64_t sum_of(const void* data, std::size_t bytes) { return XXH64(data, bytes, 0); }

void check_extra(const std::string& extra) {
  if (too_deep(extra))
    raise<ValueError>(call_name("save"), "`extra` is nested more than 1000 deep", "Give a flatter JSON text.");
  if (!extra.empty() && !Json::accept(extra))
    raise<ValueError>(call_name("save"), "`extra` is no JSON: " + io::detail::printable(extra),
                      "Give a JSON text, or none.");
}

std::string blocks_text(const PlacedBlocks& blocks) {
  Json out = Json::array();
  for (const auto& [leaf, block] : blocks) out.push_back({leaf, json_of(block)});
  try {
    return out.dump();
  } catch (const Json::exception&) {
    raise<ValueError>(call_name("save"), "a path of the tree is not UTF-8", "Give UTF-8.");
  }
}

PlacedBlocks parse_blocks(const std::string& text) {
  PlacedBlocks out;
  for (const Json& b : Json::parse(text)) out.emplace_back(b.at(0).get<std::size_t>(), block_of(b.at(1)));
  return out;
}

std::string manifest_text(const Manifest& manifest) {
  Json leaves = Json::array();
  for (const SavedLeaf& leaf : manifest.leaves) {
    Json blocks = Json::array();
    for (const Block& b : leaf.blocks) blocks.push_back(json_of(b));
    leaves.push_back({{"path", leaf.path},
                      {"dtype", leaf.dtype.name()},
                      {"shape", leaf.shape.dims()},
                      {"sharding", leaf.sharding},
                      {"blocks", blocks}});
  }
  Json out = {{"format", kFormat},
              {"version", kVersion},
              {"tutti", manifest.tutti},
              {"step", manifest.step},
              {"piece_bytes", manifest.piece_bytes},
              {"leaves", leaves}};
  if (!manifest.extra.empty()) out["extra"] = Json::parse(manifest.extra);
  try {
    out[kSum] = own_sum(out);
    return out.dump(1) + "\n";
  } catch (const Json::exception&) {
    raise<ValueError>(call_name("save"), "a path of the tree is not UTF-8", "Give UTF-8.");
  }
}

Manifest parse_manifest(const std::string& path, const std::string& text) {
  if (too_deep(text)) raise_content(path, "it is nested too deeply");
  try {
    Json json = Json::parse(text);
    if (!json.is_object() || json.value("format", "") != kFormat) raise_content(path, "it is no manifest of tutti's");
    if (json.at("version") != kVersion)
      raise_content(
          path,
          "it is of version " + json.at("version").dump() + ", this tutti reads version " + std::to_string(kVersion),
          "Read it with the version of tutti that it names: " + json.value("tutti", ""));
    const std::string sum = json.at(kSum).get<std::string>();
    json.erase(kSum);
    if (own_sum(json) != sum) raise_content(path, "its checksum differs");
    Manifest out;
    out.step = json.at("step").get<std::int64_t>();
    out.piece_bytes = json.at("piece_bytes").get<std::uint64_t>();
    if (out.piece_bytes < 1 || out.piece_bytes > 1u << 30) raise_content(path, "piece_bytes makes no sense");
    out.tutti = json.at("tutti").get<std::string>();
    if (json.contains("extra")) out.extra = json["extra"].dump();
    for (const Json& leaf : json.at("leaves")) out.leaves.push_back(leaf_of(path, leaf, out.piece_bytes));
    return out;
  } catch (const Json::exception& e) {
    raise_content(path, "it makes no sense: " + io::detail::printable(e.what()));
  }
}

}  // namespace tutti::checkpoint::detail

// SPDX-License-Identifier: Apache-2.0
