// The temporary would be gone before it is saved: a wrong gradient.
// says: save\(\) keeps addresses
#include <heed.h>

using namespace heed;

Variable doubled(const Variable& x) {
  const auto kept = save(x.value() * 2);
  return record({"doubled", "dx = g k"}, x.value() * x.value(),
                rule(x, kept, [](auto& g, auto& k) { return g * k; }));
}
