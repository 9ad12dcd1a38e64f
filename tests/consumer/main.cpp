// The sum of the elements of w w, and its gradient.
#include <heed.h>

int main() {
  heed::Variable w(heed::full({2, 2}, 1.5), true);
  heed::Variable loss = heed::sum(heed::matmul(w, w));
  loss.backward();
  fmt::print("loss {}, gradient {}\n", loss.item(), w.grad().value().at({0, 1}));
}
