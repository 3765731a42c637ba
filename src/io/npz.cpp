// .npz: a zip archive of .npy files, by libzip.
#include <zip.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

#include "io/file.hpp"
#include "io/npy.hpp"
#include "io/quoted.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/io/npy.hpp"

namespace tutti::io {
namespace {
using namespace detail;

constexpr std::string_view kEnding = ".npy";
constexpr std::size_t kLongestName = 65535 - kEnding.size();  // a member's name is as long as 16 bits can say

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

// What libzip says of a failure: of the system, or of the archive.
[[noreturn]] void raise_zip(std::string_view doing, const std::string& path, zip_error_t* error) {
  if (zip_error_system_type(error) == ZIP_ET_SYS) raise_file_error(doing, path, zip_error_code_system(error));
  const std::string text = zip_error_strerror(error);
  raise_content(path, text);
}

Archive open_archive(const std::string& path, int flags) {
  int code = 0;
  if (zip_t* archive = zip_open(path.c_str(), flags, &code)) return Archive(archive);
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::unique_ptr<zip_error_t, decltype(&zip_error_fini)> guard(&error, zip_error_fini);
  raise_zip("cannot open", path, &error);
}

// One member of an archive, read from its beginning on.
class Member {
 public:
  Member(zip_t* archive, std::uint64_t index, std::string path)
      : file_(zip_fopen_index(archive, index, 0), zip_fclose), path_(std::move(path)) {
    if (!file_) raise_zip("cannot read", path_, zip_get_error(archive));
  }
  void read(std::uint64_t offset, std::span<std::byte> out) {
    if (offset != at_) throw InternalError("an archive's member is read in order only");
    while (!out.empty()) {
      const auto n = zip_fread(file_.get(), out.data(), out.size());
      if (n < 0) raise_zip("cannot read", path_, zip_file_get_error(file_.get()));
      if (n == 0) raise_content(path_, "it ends at byte " + std::to_string(at_) + ", before its contents do");
      at_ += static_cast<std::uint64_t>(n);
      out = out.subspan(static_cast<std::size_t>(n));
    }
  }
  /// Behind the last byte libzip compares the checksum.
  void finish() {
    std::byte more{};
    if (zip_fread(file_.get(), &more, 1) < 0) raise_zip("cannot read", path_, zip_file_get_error(file_.get()));
  }

 private:
  std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file_;
  std::string path_;
  std::uint64_t at_ = 0;
};

}  // namespace

struct NpzFile::Open {
  std::string path;
  Archive archive;
  std::vector<std::string> names, others;
  std::map<std::string, std::uint64_t> arrays, files;  // members by the names of arrays, and by their own
  std::mutex mutex;                                    // libzip serves one thread at a time
};

namespace {

bool is_ascii(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 128; });
}

// As it stands in the archive; libzip takes texts of ASCII with control characters for another encoding.
std::string name_of(zip_t* archive, std::uint64_t index) {
  const char* raw = zip_get_name(archive, index, ZIP_FL_ENC_RAW);
  const std::string name = raw ? raw : "";
  if (is_ascii(name)) return name;
  const char* text = zip_get_name(archive, index, ZIP_FL_ENC_GUESS);
  return text ? text : name;
}

std::string compression_name(int method) {
  switch (method) {
    case 9: return "deflate64";
    case 12: return "bzip2";
    case 14: return "lzma";
    case 93: return "zstd";
    case 95: return "xz";
    default: return "method " + std::to_string(method) + " of zip";
  }
}

// The size of a member, which may be trusted before anything is allocated.
std::uint64_t size_of(zip_t* archive, std::uint64_t index, const std::string& path) {
  zip_stat_t status;
  if (zip_stat_index(archive, index, 0, &status) != 0) raise_zip("cannot read", path, zip_get_error(archive));
  const bool known = status.valid & ZIP_STAT_COMP_METHOD;
  if (known && !zip_compression_method_supported(status.comp_method, 0))
    raise_content(path, "it is compressed by " + compression_name(status.comp_method) + ", which cannot be read here",
                  "Write it by numpy.savez_compressed, which uses deflate; the others can be read.");
  // Deflate makes 1032 bytes of one at most, the others many more: a member that says more lies.
  const bool deflate = !known || status.comp_method == ZIP_CM_STORE || status.comp_method == ZIP_CM_DEFLATE;
  const std::uint64_t most = deflate ? 1100 : 1 << 20;
  if (!(status.valid & ZIP_STAT_SIZE) || !(status.valid & ZIP_STAT_COMP_SIZE) ||
      status.size / most > status.comp_size + 1)
    raise_content(path, "it says that it holds more than it can");
  return status.size;
}

}  // namespace

NpzFile::NpzFile(const std::string& path, Loc loc) : open_(std::make_shared<Open>()) {
  CallScope scope(loc);
  (void)InputFile(path);  // whose errors are clearer
  open_->path = path;
  open_->archive = open_archive(path, ZIP_RDONLY);
  const auto count = zip_get_num_entries(open_->archive.get(), 0);
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(std::max<zip_int64_t>(count, 0)); ++i) {
    std::string name = name_of(open_->archive.get(), i);
    open_->files[name] = i;  // of equal names the last one counts
    if (!name.ends_with(kEnding)) continue;
    name.resize(name.size() - kEnding.size());
    open_->arrays[name] = i;
  }
  for (const auto& [name, i] : open_->arrays) open_->names.push_back(name);
  for (const auto& [name, i] : open_->files)
    if (!name.ends_with(kEnding)) open_->others.push_back(name);
}

const std::vector<std::string>& NpzFile::names() const { return open_->names; }
const std::vector<std::string>& NpzFile::others() const { return open_->others; }

Array NpzFile::get(const std::string& name, Loc loc) const {
  CallScope scope(loc);
  auto found = open_->arrays.find(name);
  if (found == open_->arrays.end() && (found = open_->files.find(name)) == open_->files.end())
    raise<ValueError>(call_name("get"), open_->path + " has no array " + quoted_name(name),
                      "names() lists what it has.");
  const std::string path = open_->path + "[" + printable(name) + "]";
  std::lock_guard lock(open_->mutex);
  zip_t* archive = open_->archive.get();
  const std::uint64_t size = size_of(archive, found->second, path);
  Member member(archive, found->second, path);
  const auto read = [&](std::uint64_t offset, std::span<std::byte> out) { member.read(offset, out); };
  const NpyHeader header = read_npy_header(path, size, read);
  Array out = npy_array(header, read);
  member.finish();
  return out;
}

std::string NpzFile::bytes(const std::string& member, Loc loc) const {
  CallScope scope(loc);
  const auto found = open_->files.find(member);
  if (found == open_->files.end())
    raise<ValueError>(call_name("bytes"), open_->path + " has no member " + quoted_name(member),
                      "others() lists those that are no arrays; that of an array ends in .npy.");
  const std::string path = open_->path + "[" + printable(member) + "]";
  std::lock_guard lock(open_->mutex);
  std::string out(static_cast<std::size_t>(size_of(open_->archive.get(), found->second, path)), '\0');
  Member file(open_->archive.get(), found->second, path);
  file.read(0, std::as_writable_bytes(std::span(out)));
  file.finish();
  return out;
}

Arrays load_npz(const std::string& path, Loc loc) {
  CallScope scope(loc);
  const NpzFile file(path);
  Arrays out;
  for (const std::string& name : file.names()) out.emplace(name, file.get(name));
  return out;
}

namespace {

// Names that an archive would cut, or not take back.
void check_name(const std::string& name) {
  const bool nul = name.find('\0') != name.npos;
  if (nul || name.size() > kLongestName)
    raise<ValueError>(call_name("save_npz"),
                      "the name " + quoted_name(name) + (nul ? " has a NUL byte in it" : " is longer than 65531 bytes"),
                      "An archive cannot hold it: give another name, or use the safetensors format.");
}

}  // namespace

void save_npz(const std::string& path, const Arrays& arrays, const NpzOptions& options, Loc loc) {
  CallScope scope(loc);
  for (const auto& [name, x] : arrays) check_name(name);
  struct Parts {
    Content content;
    std::string header;
    std::array<zip_buffer_fragment_t, 2> fragments{};
  };
  std::vector<Parts> parts;  // lives until the archive is written
  parts.reserve(arrays.size());
  Replacement replacement(path);
  if (replacement.path() == path)
    raise<FileError>(call_name("save_npz"), "cannot write " + path + ": an archive cannot go to a device or a pipe",
                     "Give the name of a file.");
  Archive archive = open_archive(replacement.path(), ZIP_CREATE | ZIP_TRUNCATE);
  for (const auto& [name, x] : arrays) {
    Parts& p = parts.emplace_back(Parts{content_of(x), {}});
    p.header = npy_text_for(path + "[" + printable(name) + "]", p.content);
    const auto bytes = p.content.bytes();
    // libzip reads from what it is given, though it takes it as not const.
    p.fragments[0] = {reinterpret_cast<zip_uint8_t*>(p.header.data()), p.header.size()};
    p.fragments[1] = {reinterpret_cast<zip_uint8_t*>(const_cast<std::byte*>(bytes.data())), bytes.size()};
    zip_source_t* source = zip_source_buffer_fragment(archive.get(), p.fragments.data(), bytes.empty() ? 1 : 2, 0);
    const auto encoding = is_ascii(name) ? ZIP_FL_ENC_GUESS : ZIP_FL_ENC_UTF_8;
    const auto index =
        source ? zip_file_add(archive.get(), (name + std::string(kEnding)).c_str(), source, encoding) : -1;
    if (index < 0) {
      if (source) zip_source_free(source);
      const std::string why = zip_strerror(archive.get());
      raise<ValueError>(call_name("save_npz"),
                        "the array " + quoted_name(name) + " cannot be stored in " + path + ": " + why,
                        "Names are UTF-8, without control characters beside letters that are not ASCII.");
    }
    const auto at = static_cast<zip_uint64_t>(index);
    zip_set_file_compression(archive.get(), at, options.compress ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
    zip_file_set_dostime(archive.get(), at, 0, 0x21, 0);  // 1980: equal arrays make equal files
  }
  if (zip_close(archive.get()) != 0) raise_zip("cannot write", path, zip_get_error(archive.get()));
  (void)archive.release();
  if (arrays.empty()) {  // libzip writes no file then: an archive of nothing is the end of a directory
    OutputFile file(replacement.path());
    file.write(std::string_view("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22));
    file.close();
  }
  replacement.commit();
}

}  // namespace tutti::io

// SPDX-License-Identifier: Apache-2.0
