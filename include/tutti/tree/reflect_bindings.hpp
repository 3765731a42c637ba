// The tables behind reflect: C++20 can neither bind a pack of names nor expand one to empty braces, so each member
// count from 1 to 64 is written out (by a script).
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace tutti::reflect::detail {

template <std::size_t N> using Count = std::integral_constant<std::size_t, N>;

/// References to the members of an aggregate that has exactly N.
template <class S> constexpr auto bind(S&, Count<0>) { return std::tuple<>(); }
template <class S> constexpr auto bind(S& self, Count<1>) {
  auto& [a] = self;
  return std::tie(a);
}
template <class S> constexpr auto bind(S& self, Count<2>) {
  auto& [a, b] = self;
  return std::tie(a, b);
}
template <class S> constexpr auto bind(S& self, Count<3>) {
  auto& [a, b, c] = self;
  return std::tie(a, b, c);
}
template <class S> constexpr auto bind(S& self, Count<4>) {
  auto& [a, b, c, d] = self;
  return std::tie(a, b, c, d);
}
template <class S> constexpr auto bind(S& self, Count<5>) {
  auto& [a, b, c, d, e] = self;
  return std::tie(a, b, c, d, e);
}
template <class S> constexpr auto bind(S& self, Count<6>) {
  auto& [a, b, c, d, e, f] = self;
  return std::tie(a, b, c, d, e, f);
}
template <class S> constexpr auto bind(S& self, Count<7>) {
  auto& [a, b, c, d, e, f, g] = self;
  return std::tie(a, b, c, d, e, f, g);
}
template <class S> constexpr auto bind(S& self, Count<8>) {
  auto& [a, b, c, d, e, f, g, h] = self;
  return std::tie(a, b, c, d, e, f, g, h);
}
template <class S> constexpr auto bind(S& self, Count<9>) {
  auto& [a, b, c, d, e, f, g, h, i] = self;
  return std::tie(a, b, c, d, e, f, g, h, i);
}
template <class S> constexpr auto bind(S& self, Count<10>) {
  auto& [a, b, c, d, e, f, g, h, i, j] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j);
}
template <class S> constexpr auto bind(S& self, Count<11>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k);
}
template <class S> constexpr auto bind(S& self, Count<12>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
}
template <class S> constexpr auto bind(S& self, Count<13>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
}
template <class S> constexpr auto bind(S& self, Count<14>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
}
template <class S> constexpr auto bind(S& self, Count<15>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
}
template <class S> constexpr auto bind(S& self, Count<16>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
}
template <class S> constexpr auto bind(S& self, Count<17>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
}
template <class S> constexpr auto bind(S& self, Count<18>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
}
template <class S> constexpr auto bind(S& self, Count<19>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
}
template <class S> constexpr auto bind(S& self, Count<20>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
}
template <class S> constexpr auto bind(S& self, Count<21>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
}
template <class S> constexpr auto bind(S& self, Count<22>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
}
template <class S> constexpr auto bind(S& self, Count<23>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
}
template <class S> constexpr auto bind(S& self, Count<24>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
}
template <class S> constexpr auto bind(S& self, Count<25>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y);
}
template <class S> constexpr auto bind(S& self, Count<26>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z);
}
template <class S> constexpr auto bind(S& self, Count<27>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A);
}
template <class S> constexpr auto bind(S& self, Count<28>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B);
}
template <class S> constexpr auto bind(S& self, Count<29>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C);
}
template <class S> constexpr auto bind(S& self, Count<30>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D);
}
template <class S> constexpr auto bind(S& self, Count<31>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E);
}
template <class S> constexpr auto bind(S& self, Count<32>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F);
}
template <class S> constexpr auto bind(S& self, Count<33>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G);
}
template <class S> constexpr auto bind(S& self, Count<34>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H);
}
template <class S> constexpr auto bind(S& self, Count<35>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I] =
      self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I);
}
template <class S> constexpr auto bind(S& self, Count<36>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J] =
      self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J);
}
template <class S> constexpr auto bind(S& self, Count<37>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J,
         K] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K);
}
template <class S> constexpr auto bind(S& self, Count<38>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L);
}
template <class S> constexpr auto bind(S& self, Count<39>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M);
}
template <class S> constexpr auto bind(S& self, Count<40>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N);
}
template <class S> constexpr auto bind(S& self, Count<41>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O);
}
template <class S> constexpr auto bind(S& self, Count<42>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P);
}
template <class S> constexpr auto bind(S& self, Count<43>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q);
}
template <class S> constexpr auto bind(S& self, Count<44>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R);
}
template <class S> constexpr auto bind(S& self, Count<45>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T);
}
template <class S> constexpr auto bind(S& self, Count<46>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U);
}
template <class S> constexpr auto bind(S& self, Count<47>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U, V] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U, V);
}
template <class S> constexpr auto bind(S& self, Count<48>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U, V, W] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U, V, W);
}
template <class S> constexpr auto bind(S& self, Count<49>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U, V, W, X] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U, V, W, X);
}
template <class S> constexpr auto bind(S& self, Count<50>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U, V, W, X, Y] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U, V, W, X, Y);
}
template <class S> constexpr auto bind(S& self, Count<51>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z);
}
template <class S> constexpr auto bind(S& self, Count<52>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa);
}
template <class S> constexpr auto bind(S& self, Count<53>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab);
}
template <class S> constexpr auto bind(S& self, Count<54>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac);
}
template <class S> constexpr auto bind(S& self, Count<55>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad);
}
template <class S> constexpr auto bind(S& self, Count<56>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad, ae] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad, ae);
}
template <class S> constexpr auto bind(S& self, Count<57>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad, ae, af] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad, ae, af);
}
template <class S> constexpr auto bind(S& self, Count<58>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad, ae, af, ag] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad, ae, af, ag);
}
template <class S> constexpr auto bind(S& self, Count<59>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad, ae, af, ag, ah] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad, ae, af, ag, ah);
}
template <class S> constexpr auto bind(S& self, Count<60>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad, ae, af, ag, ah, ai] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad, ae, af, ag, ah, ai);
}
template <class S> constexpr auto bind(S& self, Count<61>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad, ae, af, ag, ah, ai, aj] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad, ae, af, ag, ah, ai, aj);
}
template <class S> constexpr auto bind(S& self, Count<62>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak);
}
template <class S> constexpr auto bind(S& self, Count<63>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak, al] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak, al);
}
template <class S> constexpr auto bind(S& self, Count<64>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H, I, J, K,
         L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak, al, am] = self;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H,
                  I, J, K, L, M, N, O, P, Q, R, T, U, V, W, X, Y, Z, aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak, al,
                  am);
}

}  // namespace tutti::reflect::detail

// SPDX-License-Identifier: Apache-2.0
