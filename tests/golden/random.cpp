// Random streams, initial values and dropout masks. Each case says what is drawn after
// which seed, and holds what came.
#include <regex>

#include <fmt/core.h>

#include "nn/dropout.h"
#include "nn/init.h"
#include "nn/linear.h"
#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/indexing/joining.h"
#include "tensor/random/random.h"
#include "tests/golden/recipe.h"
#include "tests/golden/replay.h"

namespace heed::golden {
namespace {

// The groups of `pattern` in the name of a tensor. Throws CaseError when it does not fit.
std::smatch match(const std::string& name, const char* pattern) {
  std::smatch found;
  if (!std::regex_match(name, found, std::regex(pattern))) {
    throw CaseError(fmt::format("out.{}: the name says nothing known", name));
  }
  return found;
}

void seed(const std::string& text) {
  manual_seed(static_cast<std::uint64_t>(to_integer("seed", text)));
}

// --- numbers out of the text of a call

double real_argument(const std::string& text, const std::string& function,
                     std::size_t i) {
  const std::vector<std::string> parts = call_arguments(text, function);
  if (i >= parts.size()) throw CaseError(fmt::format("{}: no argument {}", function, i));
  return to_number(function, parts[i]);
}

// A whole number that may be written as 2**33+11.
std::int64_t whole(const std::string& text) {
  if (const std::size_t plus = text.find('+', 1); plus != std::string::npos) {
    return whole(text.substr(0, plus)) + whole(text.substr(plus + 1));
  }
  if (const std::size_t power = text.find("**"); power != std::string::npos) {
    const std::int64_t base = whole(text.substr(0, power));
    std::int64_t product = 1;
    for (std::int64_t i = whole(text.substr(power + 2)); i > 0; --i) product *= base;
    return product;
  }
  return to_integer("argument", text);
}

// --- what the kinds of stream draw

// n elements, as the kind and the recipe say.
Tensor draw(const std::string& kind, const std::string& recipe, std::int64_t n,
            DType dtype) {
  const auto argument = [&](const char* function, std::size_t i) {
    return real_argument(recipe, function, i);
  };
  if (kind == "rand") return rand({n}, dtype);
  if (kind == "randn") return randn({n}, dtype);
  if (kind == "normal") {
    return normal(argument("torch.normal", 0), argument("torch.normal", 1), {n}, dtype);
  }
  if (kind == "bernoulli_tensor") {
    return bernoulli(full({n}, argument("torch.full", 1), dtype));
  }
  if (kind == "normal_strided") {
    Tensor every_other = slice(empty({2 * n}, dtype), 0, 0, to_end, 2);
    return normal_(every_other, argument("normal_", 0), argument("normal_", 1));
  }
  Tensor x = empty({n}, dtype);
  if (kind == "uniform") {
    return uniform_(x, argument("uniform_", 0), argument("uniform_", 1));
  }
  if (kind == "bernoulli") return bernoulli_(x, argument("bernoulli_", 0));
  if (kind == "exponential") return exponential_(x, argument("exponential_", 0));
  throw CaseError(fmt::format("unknown kind of stream {}", kind));
}

// n whole numbers, by the call that `text` spells.
Tensor draw_integers(const std::string& text, std::int64_t n) {
  if (text.find("randperm(") != std::string::npos) return randperm(n);
  if (text.find("randint(") != std::string::npos) {
    const std::vector<std::string> parts = call_arguments(text, "randint");
    if (parts.size() == 2) return randint(whole(parts[0]), {n});
    if (parts.size() == 3) return randint(whole(parts[0]), whole(parts[1]), {n});
  }
  if (text.find("random_(") != std::string::npos) {
    const std::vector<std::string> parts = call_arguments(text, "random_");
    Tensor x = empty({n}, int64);
    if (parts.empty()) return random_(x);
    if (parts.size() == 2) return random_(x, whole(parts[0]), whole(parts[1]));
  }
  throw CaseError(fmt::format("unknown call \"{}\"", text));
}

// Calls of every kind, one after the other: the second normal of a pair is kept while
// other numbers are drawn.
Tensor draw_mixed(DType dtype) {
  const Tensor normals = randn({3}, dtype), uniforms = rand({2}, dtype);
  const Tensor cached = randn({1}, dtype), block = randn({16}, dtype);
  const Tensor pair = randn({2}, dtype);
  Tensor coins = empty({3}, dtype);
  bernoulli_(coins, 0.5);
  return cat({normals, uniforms, cached, block, pair, coins, randn({1}, dtype)});
}

// --- initial values

Tensor initial(const std::string& kind, std::int64_t first, std::int64_t second,
               const std::string& part, DType dtype) {
  if (kind == "linear") {
    const nn::Linear layer(first, second, {.dtype = dtype});
    return (part == "bias" ? layer.bias : layer.weight).value();
  }
  if (kind == "two_linears") {
    const nn::Linear before(first, second, {.bias = false, .dtype = dtype});
    return nn::Linear(second, first, {.dtype = dtype}).weight.value();
  }
  Tensor w = empty({first, second}, dtype);
  if (kind == "embedding") return nn::init::normal_(w);
  if (kind == "embedding_padded") {
    nn::init::normal_(w);
    Tensor padding = w[0];
    padding.fill_(0);
    return w;
  }
  if (kind == "xavier_uniform") return nn::init::xavier_uniform_(w, 1.25);
  if (kind == "xavier_normal") return nn::init::xavier_normal_(w);
  if (kind == "kaiming_uniform") return nn::init::kaiming_uniform_(w);
  if (kind.starts_with("normal_")) {
    return nn::init::normal_(w, 0, to_number("std", kind.substr(7)));
  }
  throw CaseError(fmt::format("unknown kind of initial values {}", kind));
}

}  // namespace

void replay_rng(const Case& c, Report& report) {
  const std::map<std::string, std::string> ranges = c.attributes("call.");
  const std::map<std::string, std::string> calls = c.attributes("kind.");
  for (const std::string& name : c.names("out")) {
    if (const auto range = ranges.find(name); range != ranges.end()) {
      const std::vector<std::string> bounds = split_list(range->second);
      if (bounds.size() != 3) throw CaseError("arange takes start, end and step");
      report.expect("out." + name,
                    arange(to_number("start", bounds[0]), to_number("end", bounds[1]),
                           to_number("step", bounds[2]), c.dtype()));
      continue;
    }
    const std::smatch found = match(name, R"((?:(.+)\.)?seed(-?\d+)(?:\.n(\d+))?)");
    seed(found[2]);
    if (!found[3].matched) {
      report.expect("out." + name, draw_mixed(c.dtype()));
      continue;
    }
    const std::int64_t n = to_integer("size", found[3]);
    if (found[1].matched) {
      report.expect("out." + name, draw_integers(c.text("kind." + found[1].str()), n));
    } else {
      report.expect("out." + name,
                    draw(c.text("kind"), c.metadata("recipe"), n, c.dtype()));
    }
  }
}

void replay_init(const Case& c, Report& report) {
  for (const std::string& name : c.names("out")) {
    if (name.starts_with("layer_norm.")) {
      const std::smatch found = match(name, R"(layer_norm\.(\d+)\.(weight|bias))");
      Tensor w = empty({to_integer("size", found[1])}, c.dtype());
      report.expect("out." + name,
                    found[2] == "weight" ? nn::init::ones_(w) : nn::init::zeros_(w));
      continue;
    }
    const std::smatch found =
        match(name, R"((.+)\.seed(-?\d+)\.(\d+)x(\d+)\.(weight|bias|second_weight))");
    seed(found[2]);
    report.expect("out." + name,
                  initial(found[1], to_integer("size", found[3]),
                          to_integer("size", found[4]), found[5], c.dtype()));
  }
}

void replay_dropout(const Case& c, Report& report) {
  for (const std::string& name : c.names("out")) {
    const std::smatch found =
        match(name, R"((?:(mask|next_rand)\.)?seed(-?\d+)\.n(\d+)\.p(.+))");
    seed(found[2]);
    const Variable ones_in = ones({to_integer("size", found[3])}, c.dtype());
    const Tensor y = nn::dropout(ones_in, to_number("p", found[4]), true).value();
    if (!found[1].matched) {
      report.expect("out." + name, y);
    } else {
      report.expect("out." + name, found[1] == "mask" ? y != 0.0 : rand({1}, c.dtype()));
    }
  }
}

}  // namespace heed::golden
