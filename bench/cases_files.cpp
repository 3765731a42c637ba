// Checkpoints of 1 GiB beside what dd reaches on the same disk. They run only when --filter names them: each writes or
// reads that much in every round, in the folder for temporary files (TMPDIR).
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

Case slow(std::string name, std::function<Batch(const Setup&)> make) {
  return {.name = std::move(name), .make = std::move(make), .once = true, .by_name = true};
}

}  // namespace

std::vector<Case> file_cases() {
  return {slow("files_dd_write_1GiB", write_by_dd), slow("files_save_1GiB", save),
          slow("files_dd_read_1GiB", read_by_dd), slow("files_restore_1GiB", restore)};
}

}  // namespace bench
