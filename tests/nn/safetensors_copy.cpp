// Reads a file of tensors and writes it anew: safetensors_exchange.py looks at both.
#include <fmt/format.h>
#include <heed.h>

int main(int argc, char** argv) {
  try {
    heed::check(argc == 3, "usage: safetensors_copy FROM TO");
    heed::nn::write_safetensors(argv[2], heed::nn::read_safetensors(argv[1]));
    return 0;
  } catch (const heed::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
