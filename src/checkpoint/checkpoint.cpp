#include "tutti/checkpoint/checkpoint.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>

#include "array/node.hpp"
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

// A checkpoint that is read, while other processes may replace or remove it.
struct Reading {
  std::string path;
  std::optional<InputFolder> folder;
  Manifest manifest;
  std::uint64_t sum = 0;  // of the manifest's text

  void open(const std::string& from, std::optional<std::int64_t> step) {
    path = step_path(from, chosen(from, step));
    folder.emplace(path);
    const InputFile file = folder->file(kManifestName);
    std::string text(static_cast<std::size_t>(file.size()), '\0');
    file.read(0, std::as_writable_bytes(std::span(text)));
    manifest = parse_manifest(file.path(), text);
    sum = sum_of(text.data(), text.size());
  }
  // Whether what went wrong may be the work of another process.
  bool changed() const {
    std::error_code ignored;
    return folder ? folder->replaced() : !path.empty() && !std::filesystem::exists(path, ignored);
  }
};

constexpr int kMostReadings = 100;  // of checkpoints that are replaced while they are read

// What `read` makes of a checkpoint. When that fails because another process has replaced or removed it, it is chosen
// and read again; `any` says whether this holds on one of the processes that read together.
template <class Any, class Read> auto reading(const Any& any, const Read& read) {
  for (int left = kMostReadings;; --left) {
    Reading from;
    try {
      return read(from);
    } catch (const DistributedError&) {
      throw;
    } catch (...) {
      if (!any(left > 1 && from.changed())) throw;
    }
  }
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
    raise<FileError>(call_name("save"),
                     "the folder " + path + (process_index() > 0 ? " that process 0 made is not here" : " is gone"),
                     process_index() > 0 ? "Save to a folder that all processes see."
                                         : "Folders that are being written must not be removed.");
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

std::vector<Array> arrays_of(const Reading& from, const Leaves& like, bool partial) {
  std::vector<StoredLeaf> stored;
  for (const SavedLeaf& leaf : from.manifest.leaves) stored.push_back({leaf.path, leaf.dtype, leaf.shape});
  BlockReader reader(*from.folder, from.manifest);
  std::vector<Array> out;
  for (std::size_t i = 0; const int at : match_leaves(from.path, like, stored, partial)) {
    const Array& x = like[i++].second;
    if (at < 0) {
      out.push_back(x);
      continue;
    }
    const SavedLeaf& leaf = from.manifest.leaves[static_cast<std::size_t>(at)];
    out.push_back(
        array_like(x, [&](std::span<std::byte> bytes) { reader.read(leaf, region_for_this_process(x), bytes); }));
  }
  return out;
}

// The step that the first process chooses; the one that is asked for when it finds none: each process says that itself.
std::optional<std::int64_t> agreed_step(const Agreement& agreement, const std::string& folder,
                                        std::optional<std::int64_t> step) {
  const std::string text = agreement.first([&] {
    try {
      return std::to_string(chosen(folder, step));
    } catch (const Error&) {
      return std::string();
    }
  });
  return text.empty() ? step : std::stoll(text);
}

}  // namespace

std::vector<Array> restore_leaves(const std::string& folder, const Leaves& like, const RestoreOptions& options) {
  if (process_count() > 1) {
    std::string described = place_text(folder, options.step);
    for (const auto& [path, x] : like) described += "\n" + x.type().str() + " " + x.sharding().str();
    distributed::check_same(described, call_name("restore").c_str(), "what is restored");
  }
  const Agreement agreement;
  return reading([&](bool changed) { return agreement.any(changed); },
                 [&](Reading& from) {
                   const auto step = agreed_step(agreement, folder, options.step);
                   if (step && !options.step) from.path = step_path(folder, *step);  // may be gone already
                   agreement.together([&] { from.open(folder, step); });
                   const std::string sum = agreement.first([&] { return std::to_string(from.sum); });
                   std::vector<Array> out;
                   agreement.together([&] {
                     if (sum != std::to_string(from.sum))
                       raise_content<FileError>(from.path, "the processes see different checkpoints there",
                                                "Restore from a folder that all processes see.");
                     out = arrays_of(from, like, options.partial);
                   });
                   return out;
                 });
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
  return detail::reading([](bool changed) { return changed; },
                         [&](detail::Reading& from) {
                           from.open(folder, step);
                           return from.manifest.extra;
                         });
}

}  // namespace tutti::checkpoint

// SPDX-License-Identifier: Apache-2.0
