// Linear algebra of ops.json and surface.json.
#include <limits>
#include <regex>

#include "golden/ops_cases.hpp"
#include "tutti/fft/fft.hpp"
#include "tutti/linalg/linalg.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/numpy/numpy.hpp"

namespace golden {
namespace {

using namespace tutti;
namespace strict = tutti::lax::linalg;

OpFunction of_matrix(Array (*f)(const Array&)) {
  return [f](const Arrays& x, const json&) { return Arrays{f(x.at(0))}; };
}
linalg::Ord ord_of(const json& p, const char* name = "ord") {
  if (!p.contains(name) || p[name].is_null()) return none;
  if (!p[name].is_string()) return p[name].get<double>();
  const std::string text = p[name];
  const double infinity = std::numeric_limits<double>::infinity();
  return text == "inf" ? linalg::Ord(infinity) : text == "-inf" ? linalg::Ord(-infinity) : linalg::Ord(text.c_str());
}
std::optional<double> number(const json& p, const char* name) {
  return p.contains(name) && !p[name].is_null() ? std::optional(p[name].get<double>()) : std::nullopt;
}

Arrays norm_case(const Arrays& x, const json& p) {
  std::vector<int> axes;
  if (p.contains("axis") && p["axis"].is_array()) axes = p["axis"].get<std::vector<int>>();
  if (p.contains("axis") && p["axis"].is_number()) axes = {p["axis"].get<int>()};
  return {linalg::norm(x.at(0), ord_of(p), axes, p.value("keepdims", false))};
}
Arrays triangular_case(const Arrays& x, const json& p) {
  return {strict::triangular_solve(x.at(0), x.at(1),
                                   {.left_side = p.value("left_side", false),
                                    .lower = p.value("lower", false),
                                    .transpose_a = p.value("transpose_a", false),
                                    .conjugate_a = p.value("conjugate_a", false),
                                    .unit_diagonal = p.value("unit_diagonal", false)})};
}
Arrays qr_case(const Arrays& x, const json& p) {
  const auto [q, r] = linalg::qr(x.at(0), p.value("mode", "reduced"));
  return {q, r};
}
Arrays lstsq_case(const Arrays& x, const json& p) {
  const auto out = linalg::lstsq(x.at(0), x.at(1));
  if (!p.contains("expr")) return {out.x};
  return {out.x, out.residuals, out.rank, out.s};
}
Arrays lu_case(const Arrays& x, const json&) {
  const auto [p, l, u] = linalg::lu(x.at(0));
  return {p, l, u};
}
Arrays slogdet_case(const Arrays& x, const json&) {
  const auto [sign, logabsdet] = linalg::slogdet(x.at(0));
  return {sign, logabsdet};
}
Arrays cross_case(const Arrays& x, const json& p) {
  if (p.contains("axis")) return {cross(x.at(0), x.at(1), p["axis"].get<int>())};
  return {cross(x.at(0), x.at(1), CrossAxes{p.value("axisa", -1), p.value("axisb", -1), p.value("axisc", -1)})};
}
Arrays trace_case(const Arrays& x, const json& p) {
  Array out = trace(x.at(0), p.value("offset", 0), p.value("axis1", 0), p.value("axis2", 1));
  return {p.contains("dtype") ? out.astype(dtype_of(p["dtype"])) : out};
}
linalg::TriangularOptions triangular_options(const json& p) {
  return {.lower = p.value("lower", false),
          .trans = static_cast<linalg::Trans>(p.value("trans", 0)),
          .unit_diagonal = p.value("unit_diagonal", false)};
}

const OpFamily linalg_family(
    {
        {"norm", norm_case},
        {"vector_norm",
         [](const Arrays& x, const json& p) {
           return Arrays{linalg::vector_norm(x.at(0), ord_of(p), axes_of(p), p.value("keepdims", false))};
         }},
        {"matrix_norm",
         [](const Arrays& x, const json& p) {
           return Arrays{linalg::matrix_norm(x.at(0), ord_of(p), p.value("keepdims", false))};
         }},
        {"cond", [](const Arrays& x, const json& p) { return Arrays{linalg::cond(x.at(0), ord_of(p, "p"))}; }},
        {"cholesky",
         [](const Arrays& x, const json& p) {
           return Arrays{linalg::cholesky(x.at(0), p.value("upper", false), p.value("symmetrize_input", true))};
         }},
        {"solve",
         [](const Arrays& x, const json&) { return Arrays{linalg::solve(x.at(0), x.at(1))}; }},  // assume_a: a hint
        {"inv", of_matrix([](const Array& x) { return linalg::inv(x); })},
        {"det", of_matrix([](const Array& x) { return linalg::det(x); })},
        {"slogdet", slogdet_case},
        {"qr", qr_case},
        {"svdvals", of_matrix([](const Array& x) { return linalg::svdvals(x); })},
        {"eigvalsh", of_matrix([](const Array& x) { return linalg::eigvalsh(x); })},
        {"eigh",
         [](const Arrays& x, const json&) {
           const auto [w, v] = linalg::eigh(x.at(0));
           return Arrays{w, v};
         }},
        {"lu", lu_case},
        {"lu_factor",
         [](const Arrays& x, const json&) {
           const auto [lu, pivots] = linalg::lu_factor(x.at(0));
           return Arrays{lu, pivots};
         }},
        {"pinv",
         [](const Arrays& x, const json& p) {
           return Arrays{linalg::pinv(x.at(0), number(p, "rtol"), p.value("hermitian", false))};
         }},
        {"matrix_power",
         [](const Arrays& x, const json& p) { return Arrays{linalg::matrix_power(x.at(0), p.at("n").get<int>())}; }},
        {"matrix_rank",
         [](const Arrays& x, const json& p) { return Arrays{linalg::matrix_rank(x.at(0), number(p, "rtol"))}; }},
        {"expm", [](const Arrays& x,
                    const json& p) { return Arrays{linalg::expm(x.at(0), p.value("upper_triangular", false))}; }},
        {"lstsq", lstsq_case},
        {"triangular_solve", triangular_case},
        {"solve_triangular",
         [](const Arrays& x, const json& p) {
           return Arrays{linalg::solve_triangular(x.at(0), x.at(1), triangular_options(p))};
         }},
        {"cho_solve",
         [](const Arrays& x, const json& p) {
           return Arrays{linalg::cho_solve({x.at(0), p.value("lower", false)}, x.at(1))};
         }},
        {"kron", [](const Arrays& x, const json&) { return Arrays{kron(x.at(0), x.at(1))}; }},
        {"outer", [](const Arrays& x, const json&) { return Arrays{outer(x.at(0), x.at(1))}; }},
        {"inner", [](const Arrays& x, const json&) { return Arrays{inner(x.at(0), x.at(1))}; }},
        {"vdot", [](const Arrays& x, const json&) { return Arrays{vdot(x.at(0), x.at(1))}; }},
        {"cross", cross_case},
        {"trace", trace_case},
        {"diagonal",
         [](const Arrays& x, const json& p) {
           return Arrays{diagonal(x.at(0), p.value("offset", 0), p.value("axis1", 0), p.value("axis2", 1))};
         }},
        {"toeplitz",
         [](const Arrays& x, const json&) {
           return Arrays{x.size() > 1 ? linalg::toeplitz(x[0], x[1]) : linalg::toeplitz(x.at(0))};
         }},
        {"vander",
         [](const Arrays& x, const json& p) {
           return Arrays{vander(x.at(0), p.contains("N") ? std::optional(p["N"].get<int>()) : std::nullopt,
                                p.value("increasing", false))};
         }},
        {"vecdot", [](const Arrays& x, const json&) { return Arrays{vecdot(x.at(0), x.at(1))}; }},
        {"tensorinv",
         [](const Arrays& x, const json& p) { return Arrays{linalg::tensorinv(x.at(0), p.value("ind", 2))}; }},
        {"tensorsolve", [](const Arrays& x, const json&) { return Arrays{linalg::tensorsolve(x.at(0), x.at(1))}; }},
        {"tridiagonal_solve",
         [](const Arrays& x, const json&) {
           return Arrays{linalg::tridiagonal_solve(x.at(0), x.at(1), x.at(2), x.at(3))};
         }},
    },
    true);

Array turned(const Array& x) { return conj(swapaxes(x, -1, -2)); }

// R with a positive diagonal, Q to match.
Arrays positive_qr(const Arrays& x, const json&) {
  const auto [q, r] = linalg::qr(x.at(0));
  const Array s = sign(linalg::diagonal(r));
  return {q * expand_dims(s, -2), expand_dims(conj(s), -1) * r};
}
template <int part> Arrays eigh_vectors(const Arrays& x, const json&) {
  const auto [w, v] = part == 1 ? linalg::eigh(x.at(0), 'U', false) : linalg::eigh(x.at(0));
  return {w, abs(v)};
}
Arrays scaled_eigh(const Array& w, const Array& v) { return {matmul(v * expand_dims(w, -2), turned(v))}; }

const OpExpressions linalg_expressions({
    {"tuple(LA.slogdet(a))", slogdet_case},
    {"tuple(LA.slogdet(a, method='qr'))", slogdet_case},  // the method is ours
    {"(lambda q, r: q @ r)(*jnp.linalg.qr(a))",
     [](const Arrays& x, const json&) {
       const auto [q, r] = linalg::qr(x.at(0));
       return Arrays{matmul(q, r)};
     }},
    {"jnp.abs(jnp.linalg.qr(a, mode='r'))",
     [](const Arrays& x, const json&) { return Arrays{abs(linalg::qr(x.at(0), "r").r)}; }},
    {"(lambda q, r, s: (q * s, jnp.conj(s)[:, None] * r))(*(lambda q, r: (q, r, "
     "jnp.sign(jnp.diagonal(r))))(*jnp.linalg.qr(a)))",
     positive_qr},
    {"(lambda q, r, s: (q * s[..., None, :], jnp.conj(s)[..., None] * r))(*(lambda q, r: (q, r, "
     "jnp.sign(jnp.diagonal(r, axis1=-2, axis2=-1))))(*jnp.linalg.qr(a)))",
     positive_qr},
    {"(lambda q, r: (q[:, 2:] @ jnp.conj(q[:, 2:]).T, jnp.abs(r)))(*jnp.linalg.qr(a, mode='complete'))",
     [](const Arrays& x, const json&) {
       const auto [q, r] = linalg::qr(x.at(0), "complete");
       const Array rest = q(all, slice(2, none));
       return Arrays{matmul(rest, turned(rest)), abs(r)};
     }},
    {"jnp.linalg.svd(a, compute_uv=False)",
     [](const Arrays& x, const json&) { return Arrays{linalg::svdvals(x.at(0))}; }},
    {"jnp.linalg.svd(a, compute_uv=False, hermitian=True)",
     [](const Arrays& x, const json&) { return Arrays{linalg::svdvals(x.at(0), true)}; }},
    {"(lambda u, s, v: (jnp.abs(u), s, jnp.abs(v)))(*jnp.linalg.svd(a, full_matrices=False))",
     [](const Arrays& x, const json&) {
       const auto [u, s, vh] = linalg::svd(x.at(0), false);
       return Arrays{abs(u), s, abs(vh)};
     }},
    {"(lambda u, s, v: (u * s[..., None, :]) @ v)(*jnp.linalg.svd(a, full_matrices=False))",
     [](const Arrays& x, const json&) {
       const auto [u, s, vh] = linalg::svd(x.at(0), false);
       return Arrays{matmul(u * expand_dims(s, -2), vh)};
     }},
    {"u * s @ vt",
     [](const Arrays& x, const json&) {
       const auto [u, s, vh] = linalg::svd(x.at(0), false);
       return Arrays{matmul(u * s, vh)};
     }},
    {"(lambda u, s, v: (u[:, 2:] @ jnp.conj(u[:, 2:]).T, s, jnp.abs(v)))(*jnp.linalg.svd(a, full_matrices=True))",
     [](const Arrays& x, const json&) {
       const auto [u, s, vh] = linalg::svd(x.at(0), true);
       const Array rest = u(all, slice(2, none));
       return Arrays{matmul(rest, turned(rest)), s, abs(vh)};
     }},
    {"(lambda w, v: (w, jnp.abs(v)))(*jnp.linalg.eigh(a))", eigh_vectors<0>},
    {"(lambda w, v: (w, jnp.abs(v)))(*jnp.linalg.eigh(a, UPLO='U', symmetrize_input=False))", eigh_vectors<1>},
    {"(lambda w, v: (v * jnp.exp(w / 4)[..., None, :]) @ jnp.conj(jnp.swapaxes(v, -1, -2)))(*jnp.linalg.eigh(a))",
     [](const Arrays& x, const json&) {
       const auto [w, v] = linalg::eigh(x.at(0));
       return scaled_eigh(exp(w / 4), v);
     }},
    {"(lambda w, v: (v * w[None, :]) @ v.T)(*jnp.linalg.eigh(a))",
     [](const Arrays& x, const json&) {
       const auto [w, v] = linalg::eigh(x.at(0));
       return scaled_eigh(w, v);
     }},
    {"(lambda w: (jnp.sort(jnp.real(w)), jnp.sort(jnp.imag(w)), jnp.sort(jnp.abs(w))))(jnp.linalg.eigvals(a))",
     [](const Arrays& x, const json&) {
       const Array w = linalg::eigvals(x.at(0));
       return Arrays{sort(real(w)), sort(imag(w)), sort(abs(w))};
     }},
    {"(lambda w, v: (v * w[None, :]) @ jnp.linalg.inv(v))(*jnp.linalg.eig(a))",
     [](const Arrays& x, const json&) {
       const auto [w, v] = linalg::eig(x.at(0));
       return Arrays{matmul(v * expand_dims(w, 0), linalg::inv(v))};
     }},
    {"jnp.real(jnp.sum(jnp.exp(jnp.linalg.eigvals(a))))",
     [](const Arrays& x, const json&) { return Arrays{real(sum(exp(linalg::eigvals(x.at(0)))))}; }},
    {"jnp.sort(jnp.abs(jnp.linalg.eigvals(a)), -1)",
     [](const Arrays& x, const json&) { return Arrays{sort(abs(linalg::eigvals(x.at(0))), -1)}; }},
    {"jnp.linalg.lstsq(a, b)", lstsq_case},
    {"jnp.linalg.lstsq(a, b)[0]",
     [](const Arrays& x, const json&) { return Arrays{linalg::lstsq(x.at(0), x.at(1)).x}; }},
    {"(lambda x, res, k, s: (x, k))(*jnp.linalg.lstsq(a, b))",
     [](const Arrays& x, const json&) {
       const auto out = linalg::lstsq(x.at(0), x.at(1));
       return Arrays{out.x, out.rank};
     }},
    {"jsp.linalg.eigh_tridiagonal(a, b, eigvals_only=True)",
     [](const Arrays& x, const json&) { return Arrays{linalg::eigvalsh_tridiagonal(x.at(0), x.at(1))}; }},
    {"lax.linalg.lu(a)",
     [](const Arrays& x, const json&) {
       const auto [lu, pivots, permutation] = strict::lu(x.at(0));
       return Arrays{lu, pivots, permutation};
     }},
    {"lax.linalg.lu(a)[0]", [](const Arrays& x, const json&) { return Arrays{strict::lu(x.at(0)).lu}; }},
    {"jsp.linalg.lu(a)", lu_case},
    {"jsp.linalg.lu(a, permute_l=True)",
     [](const Arrays& x, const json&) {
       const auto [p, l, u] = linalg::lu(x.at(0));
       return Arrays{matmul(p, l), u};
     }},
    {"jsp.linalg.lu_solve(jsp.linalg.lu_factor(a), b, trans=trans)",
     [](const Arrays& x, const json& p) {
       return Arrays{
           linalg::lu_solve(linalg::lu_factor(x.at(0)), x.at(1), static_cast<linalg::Trans>(p.at("trans").get<int>()))};
     }},
    {"jnp.linalg.matrix_rank(a, rtol=0.05)",
     [](const Arrays& x, const json&) { return Arrays{linalg::matrix_rank(x.at(0), 0.05)}; }},
    {"jnp.linalg.trace(a, offset=1)", [](const Arrays& x, const json&) { return Arrays{linalg::trace(x.at(0), 1)}; }},
    {"jnp.linalg.diagonal(a, offset=-1)",
     [](const Arrays& x, const json&) { return Arrays{linalg::diagonal(x.at(0), -1)}; }},
    {"jnp.linalg.multi_dot([a, b, c])", [](const Arrays& x, const json&) { return Arrays{linalg::multi_dot(x)}; }},
    {"jnp.linalg.multi_dot([a, b, c, d])", [](const Arrays& x, const json&) { return Arrays{linalg::multi_dot(x)}; }},
    {"jsp.linalg.cho_solve((a, False), b)",
     [](const Arrays& x, const json&) {
       return Arrays{linalg::cho_solve({x.at(0), false}, x.at(1))};
     }},
    {"jsp.linalg.cho_solve((a, True), b)",
     [](const Arrays& x, const json&) {
       return Arrays{linalg::cho_solve({x.at(0), true}, x.at(1))};
     }},
    {"jsp.linalg.cho_solve(jsp.linalg.cho_factor(a), b)",
     [](const Arrays& x, const json&) { return Arrays{linalg::cho_solve(linalg::cho_factor(x.at(0)), x.at(1))}; }},
    {"jsp.linalg.block_diag(a, b, c)", [](const Arrays& x, const json&) { return Arrays{linalg::block_diag(x)}; }},
    {"jsp.linalg.block_diag(a, b)", [](const Arrays& x, const json&) { return Arrays{linalg::block_diag(x)}; }},
});

// Wrong calls, of zeros in the shapes that the case names.
void wrong_linalg_call(const json& test) {
  using Call = std::function<Array(const Arrays&)>;
  static const std::map<std::string, Call> calls = {
      {"error_det_not_square", [](const Arrays& x) { return linalg::det(x.at(0)); }},
      {"error_solve_not_square", [](const Arrays& x) { return linalg::solve(x.at(0), x.at(1)); }},
      {"error_triangular_solve_shapes",
       [](const Arrays& x) { return strict::triangular_solve(x.at(0), x.at(1), {.left_side = true}); }},
      {"error_qr_mode", [](const Arrays& x) { return linalg::qr(x.at(0), "thin").r; }},
      {"error_norm_vector_ord_fro", [](const Arrays& x) { return linalg::norm(x.at(0), "fro"); }},
      {"error_lstsq_shapes", [](const Arrays& x) { return linalg::lstsq(x.at(0), x.at(1)).x; }},
      {"error_multi_dot_one", [](const Arrays& x) { return linalg::multi_dot(x); }},
      {"error_cross_length", [](const Arrays& x) { return cross(x.at(0), x.at(1)); }},
      {"error_inv_singular", [](const Arrays& x) { return linalg::inv(x.at(0)); }},
      {"error_fft_axis", [](const Arrays& x) { return fft::fft(x.at(0), {}, 1); }},
      {"error_rfft_complex", [](const Arrays& x) { return fft::rfft(x.at(0)); }},
  };
  const auto call = calls.find(test.value("name", ""));
  if (test.value("op", "") != "error" || call == calls.end()) throw Unknown("no such wrong call");
  Arrays arguments;
  static const std::regex array_text("(zeros|ints|complexes)\\(([0-9, ]*)\\)");
  const std::string text = test.at("params").at("expr");
  for (std::sregex_iterator at(text.begin(), text.end(), array_text), end; at != end; ++at) {
    const std::string kind = (*at)[1];
    arguments.push_back(zeros(shape_of(json::parse("[" + (*at)[2].str() + "]")), kind == "zeros"  ? float32
                                                                                 : kind == "ints" ? int32
                                                                                                  : complex64));
  }
  if (test.contains("error") && !test["error"].is_null())
    return expect_error(test["error"], [&] { call->second(arguments); });
  const Array got = call->second(arguments);
  if (test.contains("outputs")) expect_equal(got, test["outputs"].at(0), {});
}

const Registration linalg_error_registration({"cases"}, "cases", wrong_linalg_call);

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
