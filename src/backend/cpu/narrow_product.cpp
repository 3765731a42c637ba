#include "backend/cpu/narrow_product.hpp"

#if !TUTTI_ONEDNN
namespace tutti::cpu {
std::unique_ptr<NarrowProduct> narrow_product(const NarrowShape&) { return nullptr; }
}  // namespace tutti::cpu
#else

#include <algorithm>
#include <string_view>
#include <dnnl.hpp>

#include "backend/cpu/isa.hpp"
#include "backend/cpu/one_thread.hpp"
#include "device/buffer.hpp"

namespace tutti::cpu {
namespace {

using dnnl::memory;

const dnnl::engine& engine() {
  static const dnnl::engine* e = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *e;
}

class Product final : public NarrowProduct {
 public:
  explicit Product(const dnnl::matmul::primitive_desc& d)
      : product_(d), a_(d.src_desc()), b_(d.weights_desc()), c_(d.dst_desc()), scratch_(d.scratchpad_desc()) {}

  void run(const void* a, const void* b, void* c) const override {
    OneThread guard;
    HostPtr scratch = allocate_buffer(
        std::max<std::size_t>(scratch_.get_size(), 64));  // the library's own would be shared by threads
    dnnl::stream stream(engine());
    product_.execute(stream, {{DNNL_ARG_SRC, memory(a_, engine(), const_cast<void*>(a))},
                              {DNNL_ARG_WEIGHTS, memory(b_, engine(), const_cast<void*>(b))},
                              {DNNL_ARG_DST, memory(c_, engine(), c)},
                              {DNNL_ARG_SCRATCHPAD, memory(scratch_, engine(), scratch->data())}});
    stream.wait();
  }

 private:
  dnnl::matmul product_;
  memory::desc a_, b_, c_, scratch_;
};

}  // namespace

std::unique_ptr<NarrowProduct> narrow_product(const NarrowShape& s) {
  if (s.operand != bfloat16 || (s.result != bfloat16 && s.result != float32)) return nullptr;
  if (isa() != Isa::avx512 || dnnl::get_effective_cpu_isa() < dnnl::cpu_isa::avx512_core_bf16) return nullptr;
  try {
    OneThread guard;  // the number of threads is fixed here
    using Type = memory::data_type;
    const memory::desc a({s.m, s.k}, Type::bf16, memory::dims{s.a_m, s.a_k}),
        b({s.k, s.n}, Type::bf16, memory::dims{s.b_k, s.b_n}),
        c({s.m, s.n}, s.result == float32 ? Type::f32 : Type::bf16, memory::dims{s.c_m, 1});
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
#if DNNL_VERSION_MAJOR >= 3
    const dnnl::matmul::primitive_desc d(engine(), a, b, c, attributes);
#else
    const dnnl::matmul::primitive_desc d(dnnl::matmul::desc(a, b, c), attributes, engine());
#endif
    if (std::string_view(d.impl_info_str()).find("ref") != std::string_view::npos) return nullptr;
    return std::make_unique<Product>(d);
  } catch (const dnnl::error&) {
    return nullptr;
  }
}

}  // namespace tutti::cpu
#endif

// SPDX-License-Identifier: Apache-2.0
