// visit(auto&) takes no temporary function, so it is not the visit() of a module; this
// struct could be copied byte by byte, as plain numbers can.
// says: neither a module nor a function, so that its parameters would not be found
#include <heed.h>

struct Borrowed {
  heed::nn::Linear* layer;
  heed::Variable operator()(const heed::Variable& x) { return (*layer)(x); }
  void visit(auto& f) { f("layer", *layer); }
};

heed::nn::Sequential sequence(heed::nn::Linear& layer) {
  return heed::nn::Sequential{Borrowed{&layer}, heed::nn::Tanh()};
}
