// An IDX file of any bytes is refused, or it is read: then as many elements as its header
// says, and as float64 the same ones.
#include <string_view>

#include "data/idx.h"
#include "tensor/reduce/comparing.h"
#include "tests/fuzz/fuzz.h"

using namespace heed;
using namespace heed::fuzz;

void heed::fuzz::try_input(std::string_view input) {
  Tensor read;
  try {
    read = data::parse_idx(input, "file");
  } catch (const Error& error) {
    check_message(error.what());
    return;
  }
  const Tensor same = data::parse_idx(input, "file", float64);
  require(allclose(read.to(float64), same, 0, 0, true), "the same elements");
}
