#include "nn/generate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/indexing/indexing.h"
#include "tensor/indexing/joining.h"
#include "tensor/reduce/reductions.h"
#include "tensor/reduce/softmax.h"
#include "tensor/reduce/sorting.h"

namespace heed::nn {
namespace {

void check_tokens(std::string_view caller, const Tensor& tokens) {
  check(tokens.dim() == 2 && tokens.dtype() == int64 && tokens.size(1) >= 1,
        "{}: tokens must be int64 (batch, n), n at least 1, got {} {}", caller,
        name(tokens.dtype()), tokens.shape());
}

}  // namespace

Tensor sample(const Tensor& logits, const SampleOptions& options, Generator& generator) {
  check(logits.dim() == 2 && logits.size(1) >= 1 && is_floating(logits.dtype()),
        "sample: logits must be floating (batch, vocab_size), got {} {}",
        name(logits.dtype()), logits.shape());
  check(options.temperature >= 0 && std::isfinite(options.temperature),
        "sample: temperature must be finite and not negative, got {}",
        options.temperature);
  check(options.top_k >= 0, "sample: top_k must not be negative, got {}", options.top_k);
  const Tensor best = amax(logits, {1}, true);  // (batch, 1)
  check(all(isfinite(best)).item(),
        "sample: the largest logit of each row must be finite, got {}", best);
  if (options.temperature == 0) return argmax(logits, 1);
  // The best becomes 0 and stays 0, however small the temperature: only the others can
  // overflow, to -inf, which is the probability 0. A temperature below 1e-30 could itself
  // become 0 in float32, and 0 / 0 is NaN.
  Tensor scaled = (logits - best) / std::max(options.temperature, 1e-30);
  if (options.top_k > 0 && options.top_k < logits.size(1)) {
    const Tensor largest = topk(scaled, options.top_k).values;  // (batch, k)
    const Tensor least = slice(largest, 1, options.top_k - 1);  // (batch, 1)
    scaled =
        masked_fill(scaled, scaled < least, -std::numeric_limits<double>::infinity());
  }
  return squeeze(multinomial(softmax(scaled, 1), 1, false, generator), 1);
}

Tensor NextLogits::operator()(const Tensor& tokens) {
  check_tokens("NextLogits", tokens);
  const bool is_first = !seen_.defined();
  check(is_first || tokens.size(0) == seen_.size(0),
        "NextLogits: the batch must be {} as before, got {}",
        is_first ? 0 : seen_.size(0), tokens.size(0));
  const Tensor all = is_first ? tokens : cat({seen_, tokens}, 1);
  const std::int64_t context = model_.options.block_size;
  Tensor seen = slice(all, 1, -context).clone();
  Tensor logits;
  if (use_cache_ && all.size(1) <= context) {
    logits = model_.next(tokens, cache_);
  } else {
    Gpt::Cache fresh = model_.cache();
    logits = model_.next(seen, fresh);
  }
  seen_ = std::move(seen);  // last: where something throws, no tokens are added
  return logits;
}

Tensor generate(Gpt& model, const Tensor& tokens, Size count,
                const SampleOptions& options, Generator& generator) {
  check_tokens("generate", tokens);
  check(count >= 0, "generate: count must not be negative, got {}", count);
  NextLogits next_logits(model);
  std::vector<Tensor> parts = heed::detail::list_for<Tensor>(
      "generate", std::min<std::int64_t>(count, INT64_MAX - 1) + 1);
  parts.push_back(tokens);
  for (std::int64_t i = 0; i < count; ++i) {
    const Tensor next = sample(next_logits(parts.back()), options, generator);  // (batch)
    parts.push_back(unsqueeze(next, 1));  // (batch, 1)
  }
  return cat(parts, 1);  // (batch, n + count)
}

}  // namespace heed::nn
