#include "run/transport.hpp"

namespace tutti::run {
namespace {
std::unique_ptr<Transport>& held() {
  static auto* one = new std::unique_ptr<Transport>;  // until the process is gone: it is closed, not destroyed
  return *one;
}
}  // namespace

Transport* transport() { return held().get(); }
void set_transport(std::unique_ptr<Transport> transport) { held() = std::move(transport); }

}  // namespace tutti::run
