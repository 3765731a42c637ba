#include "fuzz/builder.hpp"

namespace tutti::fuzz {

void Builder::step(const Step& s) {
  switch (s.kind) {
    case Kind::binary:
    case Kind::unary:
    case Kind::choose:
    case Kind::convert: elementwise(s); break;
    case Kind::product:
    case Kind::batched: contraction(s); break;
    case Kind::reduce:
    case Kind::arg:
    case Kind::cumulative:
    case Kind::sort:
    case Kind::transform:
    case Kind::window: reduction(s); break;
    case Kind::permute:
    case Kind::reshape:
    case Kind::slice:
    case Kind::shift:
    case Kind::constraint: movement(s); break;
    case Kind::join:
    case Kind::pad:
    case Kind::spread: joining(s); break;
    case Kind::take:
    case Kind::take_along:
    case Kind::scatter:
    case Kind::dynamic:
    case Kind::update: indexing(s); break;
    default: loop(s);
  }
}

void Builder::run(const std::vector<Step>& steps) {
  for (const Step& s : steps) step(s);
}

Builder::Inside Builder::inside(std::vector<Value> pool, const std::vector<Step>& steps) {
  std::swap(pool, pool_);
  std::vector<std::string> lines;
  std::swap(lines, lines_);
  indent_ += "  ";
  run(steps);
  Inside out{small(pool_.back(), 31), {}};
  indent_.resize(indent_.size() - 2);
  std::swap(pool, pool_);
  std::swap(lines, lines_);
  out.lines = std::move(lines);
  return out;
}

// Bodies end with a value that is brought to the type of what they are to give: `fitting` adds lines to the program
// around, so what it makes is made inside, by a last step.
void Builder::loop(const Step& s) {
  const Value a = any(s.choice[0]), first = small(any(s.choice[1]), 31), other = any(s.choice[2]);
  std::vector<std::string> body;
  std::string result;
  // What the body gives, made to fit: lines and value are added to the body's.
  auto ended = [&](std::vector<Value> pool, const Value& like) {
    Inside in = inside(pool, s.body);
    std::vector<std::string> outer;
    std::swap(outer, lines_);
    const std::vector<Value> kept = pool_;
    indent_ += "  ";
    const Value y = small(fitting(in.last, like.shape(), like.integer()), 31);
    indent_.resize(indent_.size() - 2);
    body = in.lines;
    body.insert(body.end(), lines_.begin(), lines_.end());
    std::swap(outer, lines_);
    pool_ = kept;
    return std::pair{y, in.last};
  };
  auto print_body = [&](const std::string& head, const std::string& tail) {
    line(head);
    lines_.insert(lines_.end(), body.begin(), body.end());
    line("  return " + result + ";");
    line(tail);
  };
  auto argument = [&](const char* name) { return name + std::to_string(next_++); };

  if (s.kind == Kind::scan) {
    if (a.ndim() == 0) return;
    const std::string c = argument("c"), x = argument("x"), made = fresh("s");
    const bool reverse = s.choice[3] % 2;
    const double n = static_cast<double>(a.shape()[0]);
    auto step = [&](const Arrays& carry, const Array& slice) {
      const auto [y, last] = ended(
          {other, {carry[0], c + "[0]", first.bound + 31 * n}, {carry[1], c + "[1]", 31}, {slice, x, a.bound}}, first);
      result = "std::pair{Arrays{" + c + "[0] + " + y.name + ", fmod(" + c + "[1] * 2 + " + y.name + ", 31)}, " +
               last.name + "}";
      return std::pair{Arrays{carry[0] + y.array, fmod(carry[1] * 2 + y.array, 31)}, last.array};
    };
    const auto out = lax::scan(step, Arrays{first.array, first.array}, a.array, {.reverse = reverse});
    print_body("const auto " + made + " = lax::scan([&](const Arrays& " + c + ", const Array& " + x + ") {",
               "}, Arrays{" + first.name + ", " + first.name + "}, " + a.name +
                   ", {.reverse = " + (reverse ? "true" : "false") + "});");
    put(out.first[0], made + ".first[0]", first.bound + 31 * n);
    put(out.first[1], made + ".first[1]", 31);
    put(out.second, made + ".second", 31);
    return;
  }
  const int turns = 1 + static_cast<int>(s.choice[3] % 4);
  if (s.kind == Kind::counted || (s.kind == Kind::until && recipe_.gradient)) {
    const std::string i = argument("i"), c = argument("c");
    auto step = [&](const Array& at, const Array& carry) {
      const Value y = ended({other, {at, i, 4}, {carry, c, 31}}, first).first;
      result = "fmod(" + c + " + " + y.name + ", 31)";
      return fmod(carry + y.array, 31);
    };
    const Array out = lax::fori_loop(0, turns, step, first.array);
    const std::string made = fresh("f");
    print_body("const Array " + made + " = lax::fori_loop(0, " + std::to_string(turns) + ", [&](const Array& " + i +
                   ", const Array& " + c + ") {",
               "}, " + first.name + ");");
    pool_.push_back({out, made, 31});
    return;
  }
  if (s.kind == Kind::until) {
    const std::string c = argument("c"), made = fresh("w");
    auto goes_on = [&](const Arrays& carry) { return logical_and(carry[0] < turns, sum(carry[1]) < 40); };
    auto step = [&](const Arrays& carry) {
      const Value y = ended({other, {carry[1], c + "[1]", 31}}, first).first;
      result = "Arrays{" + c + "[0] + 1, fmod(" + c + "[1] + " + y.name + ", 31)}";
      return Arrays{carry[0] + 1, fmod(carry[1] + y.array, 31)};
    };
    const Arrays out = lax::while_loop(goes_on, step, Arrays{Array(0), first.array});
    print_body("const Arrays " + made + " = lax::while_loop([&](const Arrays& k) { return logical_and(k[0] < " +
                   std::to_string(turns) + ", sum(k[1]) < 40); }, [&](const Arrays& " + c + ") {",
               "}, Arrays{Array(0), " + first.name + "});");
    put(out[1], made + "[1]", 31);
    return;
  }
  const std::string u = argument("u"), made = fresh("b");
  auto yes = [&](const Array& x) {
    const Value y = ended({other, {x, u, 31}}, first).first;
    result = "fmod(" + u + " + " + y.name + ", 31)";
    return fmod(x + y.array, 31);
  };
  const Array out = lax::cond(
      sum(a.array) > 3, yes, [](const Array& x) { return x * 1; }, first.array);
  print_body("const Array " + made + " = lax::cond(sum(" + a.name + ") > 3, [&](const Array& " + u + ") {",
             "}, [](const Array& x) { return x * 1; }, " + first.name + ");");
  pool_.push_back({out, made, 31});
}

Arrays Builder::outputs(const Arrays& in) {
  pool_.clear();
  for (std::size_t i = 0; i < in.size(); ++i) pool_.push_back({in[i], "in[" + std::to_string(i) + "]", 4});
  run(recipe_.steps);
  Arrays out;
  std::string list;
  for (const Recipe::Output& o : recipe_.outputs) {
    const Value& v = pool_[pool_.size() - 1 - o.which % pool_.size()];
    out.push_back(v.array);
    list += (list.empty() ? "" : ", ") + v.name;
  }
  line("return Arrays{" + list + "};");
  return out;
}

Arrays Builder::gradients(const Arrays& in) {
  auto loss = [&](const Arrays& x) {
    lines_.clear();
    indent_ = "  ";
    next_ = 0;
    pool_.clear();
    for (std::size_t i = 0; i < x.size(); ++i) pool_.push_back({x[i], "in[" + std::to_string(i) + "]", 4});
    run(recipe_.steps);
    const Value v = small(floating(0), 31), w = small(floating(3), 31);
    line("return sum(" + v.name + " * " + v.name + ") + sum(" + w.name + ");");
    return sum(v.array * v.array) + sum(w.array);
  };
  auto [value, g] = value_and_grad(loss)(in);
  indent_.clear();
  lines_.insert(lines_.begin(), "auto loss = [&](const Arrays& in) {");
  line("};");
  line("const auto both = value_and_grad(loss)(in);");
  Arrays out{value};
  std::string list = "both.first";
  for (std::size_t i = 0; i < in.size(); ++i)
    if (in[i].dtype() == float32) {
      out.push_back(g[i]);
      list += ", both.second[" + std::to_string(i) + "]";
    }
  line("return Arrays{" + list + "};");
  return out;
}

Arrays Builder::operator()(const Arrays& in) {
  lines_.clear();
  indent_.clear();
  next_ = 0;
  Arrays out = recipe_.gradient ? gradients(in) : outputs(in);
  ranks_.clear();
  for (const Array& x : out) ranks_.push_back(x.ndim());
  return out;
}

}  // namespace tutti::fuzz

// SPDX-License-Identifier: Apache-2.0
