// The options of an optimiser from the attributes hp.* of a case.
#pragma once

#include <string>
#include <vector>

#include <fmt/core.h>

#include "optim/adam.h"
#include "optim/sgd.h"
#include "tests/golden/case.h"

namespace heed::golden {

// Sets an option from the text of an attribute; false if there is none of that name.
inline bool set_option(optim::SGDOptions& o, const std::string& key,
                       const std::string& value) {
  if (key == "lr") {
    o.lr = to_number(key, value);
  } else if (key == "momentum") {
    o.momentum = to_number(key, value);
  } else if (key == "dampening") {
    o.dampening = to_number(key, value);
  } else if (key == "weight_decay") {
    o.weight_decay = to_number(key, value);
  } else if (key == "nesterov") {
    o.nesterov = to_flag(key, value);
  } else if (key == "maximize") {
    o.maximize = to_flag(key, value);
  } else {
    return false;
  }
  return true;
}

// Of Adam and AdamW.
template <class Options>
bool set_option(Options& o, const std::string& key, const std::string& value) {
  if (key == "lr") {
    o.lr = to_number(key, value);
  } else if (key == "betas") {
    const std::vector<std::string> betas = split_list(value);
    if (betas.size() != 2) throw CaseError("betas must be two numbers");
    o.betas[0] = to_number(key, betas[0]);
    o.betas[1] = to_number(key, betas[1]);
  } else if (key == "eps") {
    o.eps = to_number(key, value);
  } else if (key == "weight_decay") {
    o.weight_decay = to_number(key, value);
  } else if (key == "amsgrad") {
    o.amsgrad = to_flag(key, value);
  } else if (key == "maximize") {
    o.maximize = to_flag(key, value);
  } else {
    return false;
  }
  return true;
}

// The attributes hp.KEY, and hp.NAME.KEY for the group of parameter NAME alone.
template <class Options>
Options options_of(const Case& c, const std::string& name) {
  Options options;
  const auto read = [&](const std::string& key, const std::string& value) {
    if (!set_option(options, key, value)) {
      throw CaseError(fmt::format("unknown hyperparameter {}", key));
    }
  };
  for (const auto& [key, value] : c.attributes("hp.")) {
    if (key.find('.') == std::string::npos) read(key, value);
  }
  for (const auto& [key, value] : c.attributes("hp." + name + ".")) read(key, value);
  return options;
}

}  // namespace heed::golden
