// The groups of cases, and how each is computed anew.
#pragma once

#include <span>
#include <string_view>

#include "tests/golden/case.h"
#include "tests/golden/report.h"

namespace heed::golden {

// Computes what a case of the group holds, and compares it through the report. A case for
// which it throws fails.
using Replay = void (*)(const Case&, Report&);

struct Group {
  std::string_view name;
  Replay replay;
};

// All groups that are known. A new group is a function in the file of its family, and a
// row in groups.cpp.
std::span<const Group> groups();

// random.cpp
void replay_rng(const Case& c, Report& report);
void replay_init(const Case& c, Report& report);
void replay_dropout(const Case& c, Report& report);
// kernel_regression.cpp
void replay_nw_data(const Case& c, Report& report);
void replay_nw_nonparametric(const Case& c, Report& report);
void replay_nw_parametric(const Case& c, Report& report);
// attention.cpp
void replay_masked_softmax(const Case& c, Report& report);
void replay_additive_attention(const Case& c, Report& report);
void replay_dot_product_attention(const Case& c, Report& report);
void replay_attention(const Case& c, Report& report);
void replay_attention_temperature(const Case& c, Report& report);
// projected_attention.cpp
void replay_general_attention(const Case& c, Report& report);
void replay_self_attention(const Case& c, Report& report);
void replay_multi_head_attention(const Case& c, Report& report);
void replay_causal_mha(const Case& c, Report& report);
// op.cpp
void replay_op(const Case& c, Report& report);
// language_model.cpp
void replay_language_model(const Case& c, Report& report);
// optimiser.cpp
void replay_optimiser(const Case& c, Report& report);
// transformer.cpp
void replay_transformer(const Case& c, Report& report);

}  // namespace heed::golden
