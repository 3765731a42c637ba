// Checkpoints of 1 GiB beside what dd reaches on the same disk. They run only when --filter names them: each writes or
// reads that much in every round, in the folder for temporary files (TMPDIR). And opening files that are in the page
// cache: many small arrays, a few large ones.
#include <memory>

#include "case.hpp"
#include "disk.hpp"

namespace bench {
namespace {

Batch write_by_dd(const Setup&) {
  return [disk = std::make_shared<Disk>(new_folder())](std::int64_t n) {
    while (n-- > 0) dd("if=/dev/zero count=1024 conv=fsync of=" + disk->path() + "/dd");
  };
}
Batch save(const Setup& s) {
  return [disk = std::make_shared<Disk>(new_folder()), tree = gibibyte(s)](std::int64_t n) {
    while (n-- > 0) checkpoint::save(disk->path() + "/run", tree);
  };
}
Batch read_by_dd(const Setup&) {
  auto disk = std::make_shared<Disk>(new_folder());
  dd("if=/dev/zero count=1024 conv=fsync of=" + disk->path() + "/dd");
  return [disk](std::int64_t n) {
    while (n-- > 0) {
      forget_all(disk->path());
      dd("of=/dev/null if=" + disk->path() + "/dd");
    }
  };
}
Batch restore(const Setup& s) {
  auto disk = std::make_shared<Disk>(new_folder());
  auto like = gibibyte(s);
  checkpoint::save(disk->path() + "/run", like);
  for (Array& x : like) x.delete_();
  return [disk, like](std::int64_t n) {
    while (n-- > 0) {
      forget_all(disk->path());
      checkpoint::restore(disk->path() + "/run", like);
    }
  };
}

// So many arrays of so many floats, in a file of that name; `load` is timed.
template <class Save, class Load>
Case opened(std::string name, const char* file, int count, int size, Save save, Load load) {
  return {std::move(name), [=](const Setup&) -> Batch {
            auto disk = std::make_shared<Disk>(new_folder());
            const std::string path = disk->path() + "/" + file;
            io::Arrays arrays;
            for (int i = 0; i < count; ++i) arrays.emplace("layer" + std::to_string(i), full({size}, i, float32));
            save(path, arrays);
            return [disk, path, load](std::int64_t n) {
              while (n-- > 0) load(path);
            };
          }};
}
void save_safetensors(const std::string& path, const io::Arrays& arrays) { io::save_safetensors(path, arrays); }
void save_npz(const std::string& path, const io::Arrays& arrays) { io::save_npz(path, arrays); }
void read_names(const std::string& path) { (void)io::SafetensorsFile(path).names(); }
void load_safetensors(const std::string& path) { block_until_ready(io::load_safetensors(path)); }
void load_npz(const std::string& path) { block_until_ready(io::load_npz(path)); }

Case slow(std::string name, std::function<Batch(const Setup&)> make) {
  return {.name = std::move(name), .make = std::move(make), .once = true, .by_name = true};
}

}  // namespace

std::vector<Case> file_cases() {
  return {slow("files_dd_write_1GiB", write_by_dd),
          slow("files_save_1GiB", save),
          slow("files_dd_read_1GiB", read_by_dd),
          slow("files_restore_1GiB", restore),
          opened("open_safetensors_20k", "many.safetensors", 20000, 4, save_safetensors, read_names),
          opened("load_safetensors_5k", "many.safetensors", 5000, 4, save_safetensors, load_safetensors),
          opened("load_safetensors_16x4MiB", "large.safetensors", 16, 1 << 20, save_safetensors, load_safetensors),
          opened("load_npz_500", "many.npz", 500, 4, save_npz, load_npz),
          opened("load_npz_16x4MiB", "large.npz", 16, 1 << 20, save_npz, load_npz)};
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
