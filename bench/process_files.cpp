// Checkpoints of 1 GiB by several processes, beside dd by one of them on the same disk.
#include <memory>
#include <tutti/checkpoint/checkpoint.hpp>
#include <tutti/distributed/distributed.hpp>

#include "disk.hpp"
#include "process_cases.hpp"

namespace bench {
namespace {

// A folder of all processes, which goes with the first one's.
std::shared_ptr<Disk> shared_disk() {
  std::vector<int> letters(256);
  const std::string mine = new_folder();
  for (std::size_t i = 0; i < mine.size(); ++i) letters[i] = mine[i];
  std::string path;
  for (int c : multihost::broadcast_one_to_all(array(letters, {256})).to_vector<int>())
    if (c) path += static_cast<char>(c);
  return std::make_shared<Disk>(path);
}

// What the first process does while the others wait.
template <class F> void alone(F work) {
  if (process_index() == 0) work();
  multihost::sync_global_devices("done");
}

std::function<void()> write_by_dd() {
  return
      [disk = shared_disk()] { alone([&] { dd("if=/dev/zero count=1024 conv=fsync of=" + disk->path() + "/dd"); }); };
}
std::function<void()> read_by_dd() {
  auto disk = shared_disk();
  alone([&] { dd("if=/dev/zero count=1024 conv=fsync of=" + disk->path() + "/dd"); });
  return [disk] {
    alone([&] {
      forget_all(disk->path());
      dd("of=/dev/null if=" + disk->path() + "/dd");
    });
  };
}
std::function<void()> save() {
  return [disk = shared_disk(), tree = gibibyte(setup_of(8))] { checkpoint::save(disk->path() + "/run", tree); };
}
std::function<void()> restore() {
  auto disk = shared_disk();
  auto like = gibibyte(setup_of(8));
  checkpoint::save(disk->path() + "/run", like);
  for (Array& x : like) x.delete_();
  return [disk, like] {
    alone([&] { forget_all(disk->path()); });
    checkpoint::restore(disk->path() + "/run", like);
  };
}

}  // namespace

std::vector<ProcessCase> process_file_cases() {
  std::vector<ProcessCase> out{{"files_dd_write_1GiB", 0, write_by_dd},
                               {"files_save_1GiB", 0, save, "files_dd_write_1GiB", 0.7},
                               {"files_dd_read_1GiB", 0, read_by_dd},
                               {"files_restore_1GiB", 0, restore, "files_dd_read_1GiB", 0.7}};
  for (ProcessCase& c : out) {
    c.by_name = true;
    c.ours_alone = c.beside.empty();  // JAX saves by Orbax
  }
  return out;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
