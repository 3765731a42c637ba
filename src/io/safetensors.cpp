#include "tutti/io/safetensors.hpp"

#include "io/quoted.hpp"
#include "io/safetensors_format.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::io {
using namespace detail;

struct SafetensorsFile::Open {
  explicit Open(const std::string& path) : file(path), header(read_safetensors_header(file)) {
    for (const Tensor& t : header.tensors) names.push_back(t.name);
  }
  const Tensor& at(const std::string& name) const {
    if (const Tensor* t = header.find(name)) return *t;
    raise<ValueError>(call_name("get"), file.path() + " has no array " + quoted_name(name),
                      "names() lists what it has.");
  }
  InputFile file;
  SafetensorsHeader header;
  std::vector<std::string> names;
};

SafetensorsFile::SafetensorsFile(const std::string& path, Loc loc) {
  CallScope scope(loc);
  open_ = std::make_shared<const Open>(path);
}
const std::vector<std::string>& SafetensorsFile::names() const { return open_->names; }
const Metadata& SafetensorsFile::metadata() const { return open_->header.metadata; }
bool SafetensorsFile::has(const std::string& name) const { return open_->header.find(name) != nullptr; }
const Shape& SafetensorsFile::shape(const std::string& name, Loc loc) const {
  CallScope scope(loc);
  return open_->at(name).shape;
}
DType SafetensorsFile::dtype(const std::string& name, Loc loc) const {
  CallScope scope(loc);
  return dtype_of_tensor(open_->file, open_->at(name));
}
Array SafetensorsFile::get(const std::string& name, Loc loc) const {
  CallScope scope(loc);
  const Tensor& t = open_->at(name);
  return array_of_bytes(dtype_of_tensor(open_->file, t), t.shape,
                        [&](std::span<std::byte> out) { open_->file.read_large(t.begin, out); });
}

void save_safetensors(const std::string& path, const Arrays& arrays, const Metadata& metadata, Loc loc) {
  CallScope scope(loc);
  std::vector<NamedContent> contents;
  for (const auto& [name, x] : arrays) contents.push_back({name, content_of(x)});
  Replacement replacement(path);
  OutputFile file(replacement.path());
  write_safetensors(file, contents, metadata);
  file.close();
  replacement.commit();
}

Arrays load_safetensors(const std::string& path, Loc loc) {
  CallScope scope(loc);
  const SafetensorsFile file(path);
  Arrays out;
  for (const std::string& name : file.names()) out.emplace(name, file.get(name));
  return out;
}

}  // namespace tutti::io

// SPDX-License-Identifier: Apache-2.0
