// HEED_LEVEL names no level: every op must say so, also one that looks its kernels up
// within threads, where nothing could catch the Error. A program of its own, because the
// level is chosen once. Returns the number of ops that did not say so.

#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <heed.h>

using namespace heed;

int main() {
  setenv("HEED_LEVEL", "foo", 1);
  set_num_threads(2);
  // Large enough for two threads, and made without kernels.
  const Shape matrix{512, 512};
  const Tensor x = empty(matrix), row = empty({512}), none;
  const Tensor batch = empty({64, 64, 64});
  const std::pair<const char*, std::function<void()>> ops[] = {
      {"add", [&] { x + x; }},
      {"sum", [&] { sum(x); }},
      {"softmax", [&] { softmax(x, -1); }},
      {"softmax_backward", [&] { softmax_backward(x, x, -1); }},
      {"log_softmax_backward", [&] { log_softmax_backward(x, x, -1); }},
      {"layer_norm", [&] { layer_norm(x, none, none, 1e-5); }},
      {"normal", [&] { randn(matrix); }},
      {"bmm", [&] { bmm(batch, batch); }},
      {"gaussian_attention",
       [&] {
         gaussian_attention(reshape(row, {512, 1, 1}), unsqueeze(x, 2), unsqueeze(x, 2),
                            empty({}));
       }},
      {"additive_scores", [&] { additive_scores(x, x, row); }},
      {"attention by rows",
       [&] { scaled_dot_product_attention(slice(x, 0, 0, 4), x, x, {}, 1); }},
      {"attention", [&] { scaled_dot_product_attention(x, x, x, {}, 1); }},
      {"Adam",
       [&] {
         const Variable p(empty(matrix), true);
         p.backward(x);
         optim::Adam({p}).step();
       }},
  };
  constexpr std::string_view expected = "HEED_LEVEL: must be baseline, v3 or v4, got foo";
  int silent = 0;
  for (const auto& [name, op] : ops) {
    std::string said = "nothing";
    try {
      op();
    } catch (const Error& error) {
      said = error.what();
    }
    if (said == expected) continue;
    fmt::print("{} said: {}\n", name, said);
    ++silent;
  }
  return silent;
}
