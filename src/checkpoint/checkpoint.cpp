#include "tutti/checkpoint/checkpoint.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>

#include "checkpoint/step_folder.hpp"
#include "checkpoint/write.hpp"
#include "distributed/agree.hpp"
#include "io/leaves.hpp"
#include "tutti/distributed/distributed.hpp"

namespace tutti::checkpoint {
namespace detail {
namespace {
using namespace io::detail;

// The step that is meant.
std::int64_t chosen(const std::string& folder, std::optional<std::int64_t> step) {
  const std::vector<std::int64_t> all = complete_steps(folder);
  if (all.empty())
    raise<ValueError>(call_name("restore"), "there is no complete checkpoint in " + folder,
                      "Ask latest() first, or check the path.");
  if (!step) return all.back();
  if (std::find(all.begin(), all.end(), *step) == all.end())
    raise<ValueError>(call_name("restore"),
                      "there is no complete checkpoint of step " + std::to_string(*step) + " in " + folder,
                      "steps() lists what there is; the latest is " + std::to_string(all.back()) + ".");
  return *step;
}

Manifest read_manifest(const std::string& step_folder) {
  const InputFile file(step_folder + "/" + kManifestName);
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return parse_manifest(file.path(), text);
}

}  // namespace

namespace {

// A folder and a step that all processes mean, as they name them.
std::string place_text(const std::string& folder, std::optional<std::int64_t> step) {
  return "folder " + std::filesystem::path(folder).lexically_normal().string() +
         (step ? ", step " + std::to_string(*step) : std::string(", the last step"));
}

}  // namespace

Snapshot snapshot_of(const std::string& folder, const Leaves& leaves, const SaveOptions& options) {
  if (options.step < 0)
    raise<ValueError>(call_name("save"), "the step is " + std::to_string(options.step), "Give 0 or more.");
  check_extra(options.extra);
  const std::vector<std::string> names = leaf_names(leaves);
  std::string described = place_text(folder, options.step);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Array& x = leaves[i].second;
    described += "\n" + names[i] + " " + std::string(x.dtype().name()) + x.shape().str() + " " + x.sharding().str();
  }
  distributed::check_same(described, call_name("save").c_str(), "what is saved");
  Snapshot out;  // with an agreement, which all make or none
  out.manifest.step = options.step;
  out.manifest.piece_bytes = kPieceBytes;
  out.manifest.tutti = TUTTI_VERSION;
  out.manifest.extra = options.extra;
  out.part = part_of_this_process(leaves);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Array& x = leaves[i].second;
    out.manifest.leaves.push_back({names[i], x.dtype(), x.shape(), x.sharding().str()});
  }
  return out;
}

namespace {

// The blocks that this process wrote to the folder of a checkpoint.
PlacedBlocks write_part(const std::string& path, const Snapshot& snapshot) {
  const Part& part = snapshot.part;
  if (part.blocks.empty() && process_index() > 0) return {};
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored))
    raise<FileError>(call_name("save"), "the folder " + path + " that process 0 made is not here",
                     "Save to a folder that all processes see.");
  const std::vector<Block> blocks =
      write_blocks(path, part.file, snapshot.manifest.leaves, part.blocks, snapshot.manifest.piece_bytes);
  PlacedBlocks out;
  for (std::size_t i = 0; i < blocks.size(); ++i) out.emplace_back(part.blocks[i].leaf, blocks[i]);
  return out;
}

}  // namespace

void write_snapshot(const std::string& folder, Snapshot snapshot, std::optional<int> keep) {
  Manifest& manifest = snapshot.manifest;
  std::optional<StepFolder> to;  // the first process's
  const std::string path = snapshot.agreement.first([&] {
    to.emplace(folder, manifest.step);
    return to->path();
  });
  std::vector<std::string> parts;
  std::exception_ptr failure;
  try {
    parts = snapshot.agreement.gathered([&] { return blocks_text(write_part(path, snapshot)); });
  } catch (...) {
    failure = std::current_exception();
  }
  snapshot.agreement.first([&] {
    if (failure) std::rethrow_exception(failure);
    for (const std::string& part : parts)
      for (auto& [leaf, block] : parse_blocks(part)) manifest.leaves[leaf].blocks.push_back(std::move(block));
    OutputFile file(path + "/" + kManifestName);
    file.write(manifest_text(manifest));
    file.sync();
    file.close();
    to->commit();
    if (keep) tidy(folder, *keep);
    return std::string();
  });
}

void save_leaves(const std::string& folder, const Leaves& leaves, const SaveOptions& options) {
  write_snapshot(folder, snapshot_of(folder, leaves, options));
}

namespace {

// The first process says which step is the last: others may look a little later, when there is one more.
std::optional<std::int64_t> step_for_all(const Agreement& agreement, const std::string& folder,
                                         const RestoreOptions& options) {
  if (options.step || process_count() == 1) return options.step;
  const std::string last = agreement.first([&] {
    const std::vector<std::int64_t> all = complete_steps(folder);
    return all.empty() ? std::string() : std::to_string(all.back());
  });
  return last.empty() ? std::nullopt : std::optional<std::int64_t>(std::stoll(last));
}

std::vector<Array> restore_here(const std::string& folder, std::optional<std::int64_t> step, const Leaves& like,
                                const RestoreOptions& options) {
  const std::string from = step_path(folder, chosen(folder, step));
  const Manifest manifest = read_manifest(from);
  std::vector<StoredLeaf> stored;
  for (const SavedLeaf& leaf : manifest.leaves) stored.push_back({leaf.path, leaf.dtype, leaf.shape});
  BlockReader reader(from, manifest);
  std::vector<Array> out;
  for (std::size_t i = 0; const int at : match_leaves(from, like, stored, options.partial)) {
    const Array& x = like[i++].second;
    if (at < 0) {
      out.push_back(x);
      continue;
    }
    const SavedLeaf& leaf = manifest.leaves[static_cast<std::size_t>(at)];
    out.push_back(
        array_like(x, [&](std::span<std::byte> bytes) { reader.read(leaf, region_for_this_process(x), bytes); }));
  }
  return out;
}

}  // namespace

std::vector<Array> restore_leaves(const std::string& folder, const Leaves& like, const RestoreOptions& options) {
  if (process_count() > 1) {
    std::string described = place_text(folder, options.step);
    for (const auto& [path, x] : like) described += "\n" + x.type().str() + " " + x.sharding().str();
    distributed::check_same(described, call_name("restore").c_str(), "what is restored");
  }
  const Agreement agreement;
  const std::optional<std::int64_t> step = step_for_all(agreement, folder, options);
  std::vector<Array> out;
  agreement.together([&] { out = restore_here(folder, step, like, options); });
  return out;
}

}  // namespace detail

std::vector<std::int64_t> steps(const std::string& folder, Loc loc) {
  CallScope scope(loc);
  return detail::complete_steps(folder);
}

std::optional<std::int64_t> latest(const std::string& folder, Loc loc) {
  CallScope scope(loc);
  const std::vector<std::int64_t> all = detail::complete_steps(folder);
  return all.empty() ? std::nullopt : std::optional(all.back());
}

std::string extra(const std::string& folder, std::optional<std::int64_t> step, Loc loc) {
  CallScope scope(loc);
  return detail::read_manifest(detail::step_path(folder, detail::chosen(folder, step))).extra;
}

}  // namespace tutti::checkpoint
