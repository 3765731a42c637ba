// Fourier transforms of ops.json and surface.json.
#include "golden/ops_cases.hpp"
#include "tutti/fft/fft.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/numpy/numpy.hpp"

namespace golden {
namespace {

using namespace tutti;

fft::Norm norm_of(const json& p) {
  const std::string name = p.contains("norm") && p["norm"].is_string() ? p["norm"] : "backward";
  if (name == "backward") return fft::Norm::backward;
  if (name == "ortho") return fft::Norm::ortho;
  if (name == "forward") return fft::Norm::forward;
  throw Unknown("norm " + name);
}
using Along = Array (*)(const In&, std::optional<Dim>, int, OneOf<fft::Norm>);
OpFunction along(Along f) {
  return [f](const Arrays& x, const json& p) {
    std::optional<Dim> n;
    if (p.contains("n") && !p["n"].is_null()) n = p["n"].get<int>();
    return Arrays{f(x.at(0), n, p.value("axis", -1), norm_of(p))};
  };
}
using Over = Array (*)(const In&, const fft::Axes&);
OpFunction over(Over f) {
  return [f](const Arrays& x, const json& p) {
    fft::Axes options{.norm = norm_of(p)};
    if (p.contains("s") && !p["s"].is_null()) options.s = p["s"].get<std::vector<std::int64_t>>();
    if (p.contains("axes") && !p["axes"].is_null()) options.axes = p["axes"].get<std::vector<int>>();
    return Arrays{f(x.at(0), options)};
  };
}
OpFunction shift(Array (*f)(const In&, const Axes&)) {
  return [f](const Arrays& x, const json& p) {
    Axes axes;
    if (p.contains("axes") && p["axes"].is_number()) axes = p["axes"].get<int>();
    if (p.contains("axes") && p["axes"].is_array()) axes = p["axes"].get<std::vector<std::int64_t>>();
    return Arrays{f(x.at(0), axes)};
  };
}
OpFunction frequencies(Array (*f)(Dim, double, Loc)) {
  return [f](const Arrays&, const json& p) { return Arrays{f(p.at("n").get<int>(), p.value("d", 1.), Loc())}; };
}

const OpFamily fft_family(
    {
        {"fft", along(fft::fft)},
        {"ifft", along(fft::ifft)},
        {"rfft", along(fft::rfft)},
        {"irfft", along(fft::irfft)},
        {"hfft", along(fft::hfft)},
        {"ihfft", along(fft::ihfft)},
        {"fft2", over(fft::fft2)},
        {"ifft2", over(fft::ifft2)},
        {"rfft2", over(fft::rfft2)},
        {"irfft2", over(fft::irfft2)},
        {"fftn", over(fft::fftn)},
        {"ifftn", over(fft::ifftn)},
        {"rfftn", over(fft::rfftn)},
        {"irfftn", over(fft::irfftn)},
        {"fftfreq", frequencies(fft::fftfreq)},
        {"rfftfreq", frequencies(fft::rfftfreq)},
        {"fftshift", shift(fft::fftshift)},
        {"ifftshift", shift(fft::ifftshift)},
    },
    true);

Array power_of(const Array& x) { return square(abs(fft::rfft(x))); }

const OpExpressions fft_expressions({
    {"jnp.fft.irfft(jnp.fft.rfft(a), n=n)",
     [](const Arrays& x, const json& p) { return Arrays{fft::irfft(fft::rfft(x.at(0)), p.at("n").get<int>())}; }},
    {"jnp.sum(jnp.abs(jnp.fft.rfft(a)) ** 2, -1)",
     [](const Arrays& x, const json&) { return Arrays{sum(power_of(x.at(0)), -1)}; }},
    {"abs(rfft(x)) ** 2", [](const Arrays& x, const json&) { return Arrays{power_of(x.at(0))}; }},
    {"irfft(complex(x, 2 x))",
     [](const Arrays& x, const json&) { return Arrays{fft::irfft(lax::complex(x.at(0), 2 * x.at(0)))}; }},
    {"jnp.real(jnp.fft.ifft(1j * jnp.fft.fftfreq(8, 1 / 8) * jnp.fft.fft(a)))",
     [](const Arrays& x, const json&) {
       const Array frequency = lax::complex(zeros({8}, float32), fft::fftfreq(8, 1. / 8));
       return Arrays{real(fft::ifft(frequency * fft::fft(x.at(0))))};
     }},
    {"jnp.fft.irfft(jnp.fft.rfft(a, 8) * jnp.fft.rfft(b, 8), 8)",
     [](const Arrays& x, const json&) { return Arrays{fft::irfft(fft::rfft(x.at(0), 8) * fft::rfft(x.at(1), 8), 8)}; }},
    {"lax.fft(a, lax.FftType.FFT, (3, 4))",
     [](const Arrays& x, const json&) {
       return Arrays{lax::fft(x.at(0), lax::FftType::fft, {3, 4})};
     }},
    {"lax.fft(a, lax.FftType.IRFFT, (6,))",
     [](const Arrays& x, const json&) { return Arrays{lax::fft(x.at(0), lax::FftType::irfft, {6})}; }},
});

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
