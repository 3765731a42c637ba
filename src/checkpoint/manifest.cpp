#include "checkpoint/manifest.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <charconv>
#include <optional>
#include <nlohmann/json.hpp>

#include "io/content.hpp"
#include "io/dtypes.hpp"
#include "io/file.hpp"

namespace tutti::checkpoint::detail {
namespace {
using Json = nlohmann::json;
using io::detail::raise_content;

constexpr const char* kFormat = "tutti checkpoint";
constexpr int kVersion = 1;
constexpr const char* kSum = "xxhash64";

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

// The parts of a leaf lie within it, and each element in one of them.
void check_blocks(const std::string& path, const SavedLeaf& leaf, std::uint64_t piece_bytes) {
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < leaf.blocks.size(); ++i) {
    const Block& b = leaf.blocks[i];
    if (b.file.empty() || b.file.find('/') != b.file.npos || b.file[0] == '.')
      raise_content(path, "the file of a block of " + leaf.path + " is '" + b.file + "'");
    if (!b.region.within(leaf.shape))
      raise_content(path, "the block " + b.region.str() + " of " + leaf.path + leaf.shape.str() + " lies outside");
    for (std::size_t j = 0; j < i; ++j)
      if (common(b.region, leaf.blocks[j].region)) raise_content(path, "two blocks of " + leaf.path + " overlap");
    elements = extent::add(elements, b.region.num_elements());
    const auto bytes = static_cast<std::uint64_t>(b.region.num_elements() * leaf.dtype.size());
    if (b.sums.size() != (bytes + piece_bytes - 1) / piece_bytes)
      raise_content(path, "the block " + b.region.str() + " of " + leaf.path + " has the wrong number of checksums");
  }
  if (elements != leaf.shape.num_elements())
    raise_content(path, "the blocks of " + leaf.path + " are " + std::to_string(elements) + " elements of " +
                            std::to_string(leaf.shape.num_elements()));
}

SavedLeaf leaf_of(const std::string& path, const Json& json, std::uint64_t piece_bytes) {
  SavedLeaf out;
  out.path = json.at("path").get<std::string>();
  const auto dtype = io::detail::dtype_named(json.at("dtype").get<std::string>());
  if (!dtype) raise_content(path, out.path + " is of a dtype that this tutti does not have");
  out.dtype = *dtype;
  out.shape = Shape(json.at("shape").get<std::vector<std::int64_t>>());
  if (io::detail::bytes_of(out.dtype, out.shape) < 0)
    raise_content<ShapeError>(path, "the shape of " + out.path + " has more elements than any memory");
  out.sharding = json.at("sharding").get<std::string>();
  for (const Json& b : json.at("blocks")) out.blocks.push_back(block_of(b));
  check_blocks(path, out, piece_bytes);
  return out;
}

}  // namespace

std::uint64_t sum_of(const void* data, std::size_t bytes) { return XXH64(data, bytes, 0); }

void check_extra(const std::string& extra) {
  if (!extra.empty() && !Json::accept(extra))
    raise<ValueError>(call_name("save"), "`extra` is no JSON: " + extra.substr(0, 100), "Give a JSON text, or none.");
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
    raise_content(path, std::string("it makes no sense: ") + e.what());
  }
}

}  // namespace tutti::checkpoint::detail
