// The attention of a model as a page to look at: one HTML file, which a browser opens
// from the disk. It makes no request to anywhere.
//
//   nn::keep_weights(model);
//   model(ids);
//   viz::attention_page("model.html", tokens, nn::attention_maps(model));
//
// It shows all heads as small heat maps, and of the chosen one lines between the tokens,
// as BertViz draws them (Vig, 2019), a heat map, and the weights of the token that is
// pointed at: whom it attends to, and who attends to it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "nn/attention_maps.h"

namespace heed::viz {

// Which texts an attention of an encoder and decoder reads: the decoder's text is
// `tokens`, that of the encoder `source`.
enum class Reads {
  tokens,  // queries and keys are tokens
  source,  // both are of the source
  cross,   // queries are tokens, keys of the source
};

// From the path: `source` below a part "encoder", `cross` of a part "multihead_attn" (the
// name in TransformerDecoderLayer) or one with "cross" in its name, otherwise `tokens`.
Reads reads_by_path(std::string_view path);

// The maps at one moment of a training.
struct Snapshot {
  std::string label;  // such as "step 200"
  std::vector<nn::AttentionMap> maps;
};

struct AttentionPageOptions {
  std::string title = "Attention";
  std::string note = {};                 // a line below the title
  std::vector<std::string> source = {};  // the text of the encoder, or of all keys
  // What the attention at a path reads. If none is given: what the sizes of its weights
  // allow, and by the path where they allow several.
  std::function<Reads(std::string_view path)> reads = {};
  std::int64_t batch = 0;  // which of the batch's sequences is shown
};

// Writes the page of one text. The weights of a map are (batch, heads, n, m), with
// further leading dimensions before them, or (batch, n, m) or (n, m), one head; they are
// from 0 to 1, or NaN, which has a colour of its own, and are kept in steps of 1 / 65534.
// n and m are the numbers of tokens. Of more than 8 million weights the largest of each
// row are kept, and the page says so. Tokens are shown as printable() has them
// (tensor/core/text.h), with ␣ for a space at an end.
//
// Throws Error when there is no token or no map, or more than 65,535 tokens in a text or
// 524,288 rows of weights in all; when a weight is something else or a size does not fit;
// and when the file cannot be written, which is then as it was.
void attention_page(const std::string& path, const std::vector<std::string>& tokens,
                    const std::vector<nn::AttentionMap>& maps,
                    const AttentionPageOptions& options = {});
// With a slider over snapshots, which have maps of the same paths and sizes.
void attention_page(const std::string& path, const std::vector<std::string>& tokens,
                    const std::vector<Snapshot>& snapshots,
                    const AttentionPageOptions& options = {});

}  // namespace heed::viz
