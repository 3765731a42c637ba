#include "tutti/base/call_scope.hpp"

#include "base/loc_override.hpp"
#include "base/recording.hpp"
#include "base/stack.hpp"

namespace tutti {
namespace {

struct Running {
  Loc loc;
  const char* callee = "";
};
thread_local Running current;
thread_local Loc before;  // of the call before, for what has no line of its own

// `tutti::random::normal` of "tutti::Array tutti::random::normal(const Array&, ...) [with T = int]"; compilers that
// give bare names give these.
std::string_view qualified_name(std::string_view signature) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    char c = signature[i];
    if (depth == 0 && signature.substr(i, 8) ==
                          "operator") {  // a layer that is called has the name of its class, other operators none
      bool call = signature.substr(i, 10) == "operator()" && i >= begin + 2;
      return call ? signature.substr(begin, i - 2 - begin) : "";
    }
    if (c == '<' || c == '{') ++depth;
    if (c == '>' || c == '}') --depth;
    if (depth > 0) continue;
    if (c == '(') return signature.substr(begin, i - begin);
    if (c == ' ' || c == '*' || c == '&') begin = i + 1;
  }
  return signature.substr(begin);
}

// As users write it; empty for operators and for what stands in an unnamed namespace.
std::string public_name(std::string_view signature) {
  std::string_view name = qualified_name(signature);
  if (name.find("{anonymous}") != name.npos || name.find("anonymous namespace") != name.npos) return "";
  std::string out;
  int depth = 0;
  for (char c : name) {  // Pool<N>: Pool
    if (c == '<') ++depth;
    if (depth == 0) out += c;
    if (c == '>') --depth;
  }
  for (std::string_view prefix : {"tutti::", "detail::", "Array::"})
    if (out.starts_with(prefix)) out.erase(0, prefix.size());
  if (std::size_t at = out.rfind("::"); at != out.npos) {  // Mesh::Mesh: a constructor has the name of its class
    std::string last = out.substr(at + 2), before = out.substr(0, at);
    if (before == last || before.ends_with("::" + last)) return before;
  }
  return out;
}

}  // namespace

CallScope::CallScope(Loc loc, Loc callee) : opened_(!current.loc) {
  if (opened_) current = {loc, callee.function};
}
CallScope::~CallScope() {
  if (!opened_) return;
  if (current.loc) before = current.loc;
  current = {};
}

LocOverride::LocOverride(Loc loc) : saved_(current.loc), callee_(current.callee) {
  if (loc) current = {loc, ""};
}
LocOverride::~LocOverride() { current = {saved_, callee_}; }

InsideCall::InsideCall(std::string_view what, Loc made) {
  constexpr int kDeepest = 256;  // the stack of a thread holds some thousand
  constexpr std::size_t kLeast = std::size_t{64} << 10;
  const bool deep = calls_inside >= kDeepest;
  const std::size_t left = stack_left();
  if (!deep && calls_inside == 0 && left < kLeast)
    raise<ValueError>(what, "the stack of this thread has only " + std::to_string(left >> 10) + " KB left",
                      "Give threads that call tutti a stack of 128 KB or more.", made);
  if (deep || left < kLeast)
    raise<ValueError>(what,
                      "it is called inside " + std::to_string(calls_inside) + " others" +
                          (recordings > 0 ? " that are being recorded" : "") +
                          (deep ? "" : ", and the stack of this thread is used up"),
                      "Is it a recursion without an end? A loop, or one jit around all of it, needs no depth.", made);
  ++calls_inside;
}
InsideCall::~InsideCall() { --calls_inside; }

Loc current_loc() { return current.loc; }

std::string call_name(std::string_view operation) {
  std::string call = public_name(current.callee);
  return call.empty() ? std::string(operation) : call;
}

std::string error_text(std::string_view operation, std::string_view problem, std::string_view advice, Loc loc) {
  if (current.loc) loc = current.loc;  // of the line inside a layer the user knows nothing
  std::string text = call_name(operation), last = text.substr(text.rfind(':') + 1);
  bool same = last.starts_with(operation) || operation.starts_with(text);  // subtract does sub, dot does dot_general
  if (!same) text += " (" + std::string(operation) + ")";
  text += ": ";
  text += problem;
  if (problem.find_last_of(".:!?") != problem.size() - 1) text += ".";
  if (loc)
    text += "\n  at " + loc.str();
  else if (*current.callee && before)  // float(x), if (x): operators of conversion learn of no line
    text += "\n  after " + before.str() + ", the operation before";
  return text + "\n  " + std::string(advice);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
