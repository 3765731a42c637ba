// Checkpoints of 1 GiB beside what dd reaches on the same disk. They run only when --filter names them: each writes or
// reads that much in every round, in the folder for temporary files (TMPDIR).
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "case.hpp"

namespace bench {
namespace {
namespace fs = std::filesystem;

// A folder that goes with the last case that uses it.
class Disk {
 public:
  Disk() : path_(fs::temp_directory_path() / fmt::format("tutti_bench_{}_{}", ::getpid(), next()++)) {
    fs::create_directories(path_);
  }
  ~Disk() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Disk(const Disk&) = delete;
  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  static int& next() {
    static int n = 0;
    return n;
  }
  fs::path path_;
};

void dd(const std::string& arguments) {
  if (std::system(("dd bs=1M status=none " + arguments).c_str()) != 0) throw std::runtime_error("dd failed");
}
// From here on it is read from the disk.
void forget(const std::string& file) {
  const int fd = ::open(file.c_str(), O_RDONLY);
  if (fd < 0) throw std::runtime_error("cannot open " + file);
  ::fdatasync(fd);
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  ::close(fd);
}

std::vector<Array> gibibyte(const Setup& s) {
  std::vector<Array> out;
  for (int i = 0; i < 16; ++i)
    out.push_back(device_put(random::normal(random::key(i), {4096, 4096}), s.at(P("x", "y"))));
  return out;
}

Batch write_by_dd(const Setup&) {
  return [disk = std::make_shared<Disk>()](std::int64_t n) {
    while (n-- > 0) dd("if=/dev/zero count=1024 conv=fsync of=" + *disk / "dd");
  };
}
Batch save(const Setup& s) {
  return [disk = std::make_shared<Disk>(), tree = gibibyte(s)](std::int64_t n) {
    while (n-- > 0) checkpoint::save(*disk / "run", tree);
  };
}
Batch read_by_dd(const Setup&) {
  auto disk = std::make_shared<Disk>();
  dd("if=/dev/zero count=1024 conv=fsync of=" + *disk / "dd");
  return [disk](std::int64_t n) {
    while (n-- > 0) {
      forget(*disk / "dd");
      dd("of=/dev/null if=" + *disk / "dd");
    }
  };
}
Batch restore(const Setup& s) {
  auto disk = std::make_shared<Disk>();
  auto like = gibibyte(s);
  checkpoint::save(*disk / "run", like);
  for (Array& x : like) x.delete_();
  return [disk, like](std::int64_t n) {
    while (n-- > 0) {
      forget(*disk / "run/step_000000/arrays.safetensors");
      checkpoint::restore(*disk / "run", like);
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
