// The layers of a sequence are found by their types, and this function asks for none.
// says: apply\(\) finds a layer of a Sequential by its type
#include <heed.h>

void f(heed::nn::Sequential& net) {
  heed::nn::apply(net, [](auto&) {});
}
