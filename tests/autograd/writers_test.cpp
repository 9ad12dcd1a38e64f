// Every function that writes over a tensor: it raises the version of the storage, also
// through views. The list below is compared with the headers.

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/autograd/checks.h"
#include "tests/autograd/patterns.h"

using namespace heed;

namespace {

struct Writer {
  std::string name;  // in the headers
  std::function<void(Tensor)> write;
};

// Those that write through any view of at least two dimensions.
std::vector<Writer> writers() {
  namespace init = nn::init;
  const auto like = [](const Tensor& x, double value) {
    return full(x.shape(), value, x.dtype());
  };
  return {
      {"uniform_", [](Tensor x) { uniform_(x); }},
      {"normal_", [](Tensor x) { normal_(x); }},
      {"exponential_", [](Tensor x) { exponential_(x); }},
      {"bernoulli_", [](Tensor x) { bernoulli_(x, 0.5); }},
      {"bernoulli_", [=](Tensor x) { bernoulli_(x, like(x, 0.5)); }},
      {"bernoulli_", [=](Tensor x) { bernoulli_(x, x); }},
      {"random_", [](Tensor x) { random_(x); }},
      {"random_", [](Tensor x) { random_(x, -3, 3); }},
      {"add_", [=](Tensor x) { add_(x, like(x, 1)); }},
      {"add_", [=](Tensor x) { add_(x, like(x, 1), 0.5); }},
      {"add_", [=](Tensor x) { add_(x, slice(x, 0, 0, 1)); }},
      {"mul_", [](Tensor x) { mul_(x, 2); }},
      {"fill_", [](Tensor x) { x.fill_(3); }},
      {"masked_fill_", [=](Tensor x) { x.masked_fill_(like(x, 3) > 0, 7); }},
      {"uniform_", [](Tensor x) { x.uniform_(); }},
      {"normal_", [](Tensor x) { x.normal_(); }},
      {"copy_", [=](Tensor x) { x.copy_(like(x, 3)); }},
      {"copy_", [=](Tensor x) { x.copy_(flip(x, {0})); }},
      {"copy_", [=](Tensor x) { x.copy_(x); }},
      {"copy_", [=](Tensor x) { x.copy_(like(x, 3).to(int64)); }},
      {"fill_", [](Tensor x) { Variable(x).fill_(3); }},
      {"copy_", [=](Tensor x) { Variable(x).copy_(like(x, 3)); }},
      {"zero_", [](Tensor x) { Variable(x).zero_(); }},
      {"zero_", [](Tensor x) { x.zero_(); }},
      {"masked_fill_", [=](Tensor x) { Variable(x).masked_fill_(like(x, 3) > 0, 7); }},
      {"add_", [=](Tensor x) { x.add_(like(x, 1), 0.5); }},
      {"add_", [](Tensor x) { Variable(x).add_(1); }},
      {"sub_", [](Tensor x) { x.sub_(x); }},
      {"sub_", [](Tensor x) { x.sub_(2); }},
      {"mul_", [](Tensor x) { x.mul_(2); }},
      {"mul_", [=](Tensor x) { Variable(x).mul_(like(x, 2)); }},
      {"div_", [](Tensor x) { x.div_(2); }},
      {"div_", [=](Tensor x) { x.div_(like(x, 2)); }},
      {"addcmul_", [](Tensor x) { x.addcmul_(x, x); }},
      {"addcdiv_", [](Tensor x) { x.addcdiv_(x, x); }},
      {"lerp_", [=](Tensor x) { x.lerp_(like(x, 2), 0.5); }},
      {"clamp_", [](Tensor x) { x.clamp_(0, 1); }},
      {"clamp_min_", [](Tensor x) { x.clamp_min_(2); }},
      {"clamp_max_", [](Tensor x) { x.clamp_max_(2); }},
      {"neg_", [](Tensor x) { x.neg_(); }},
      {"exp_", [](Tensor x) { x.exp_(); }},
      {"sqrt_", [](Tensor x) { x.sqrt_(); }},
      {"relu_", [](Tensor x) { x.relu_(); }},
      {"fill_diagonal_", [](Tensor x) { x.fill_diagonal_(4); }},
      {"index_fill_", [](Tensor x) { x.index_fill_(0, tensor({0}), 4); }},
      {"index_add_", [](Tensor x) { x.index_add_(0, tensor({0}), x[0].unsqueeze(0)); }},
      {"index_put_", [](Tensor x) { x.index_put_({tensor({0})}, x[0]); }},
      {"scatter_", [](Tensor x) { x.scatter_(0, tensor({{0}}), 4); }},
      {"scatter_", [](Tensor x) { x.scatter_(0, tensor({{0}}), x); }},
      {"scatter_add_", [](Tensor x) { x.scatter_add_(0, tensor({{0}}), x); }},
      {"uniform_", [](Tensor x) { Variable(x).uniform_(); }},
      {"normal_", [](Tensor x) { Variable(x).normal_(); }},
      {"constant_", [](Tensor x) { init::constant_(x, 2); }},
      {"zeros_", [](Tensor x) { init::zeros_(x); }},
      {"ones_", [](Tensor x) { init::ones_(x); }},
      {"eye_", [](Tensor x) { init::eye_(x); }},
      {"xavier_uniform_", [](Tensor x) { init::xavier_uniform_(x); }},
      {"xavier_normal_", [](Tensor x) { init::xavier_normal_(x); }},
      {"trunc_normal_", [](Tensor x) { init::trunc_normal_(x); }},
      {"kaiming_uniform_", [](Tensor x) { init::kaiming_uniform_(x); }},
      {"kaiming_normal_", [](Tensor x) { init::kaiming_normal_(x); }},
      // Without an underscore.
      {"+=", [](Tensor x) { x += 1; }},
      {"-=", [=](Tensor x) { x -= like(x, 1); }},
      {"*=", [=](Tensor x) { x *= like(x, 2); }},
      {"/=", [](Tensor x) { x /= 2; }},
      {"set",
       [](Tensor x) {
         x.set({0, 0}, 1);
       }},
      {"mutable_data",
       [](Tensor x) {
         dispatch(x.dtype(), [&]<class T>() { *x.mutable_data<T>() = 1; });
       }},
  };
}

std::uint32_t version(const Tensor& x) { return x.storage()->version.load(); }

// The functions of all headers that end in an underscore, as those do that write.
std::set<std::string> functions_that_write() {
  const std::string declaration = R"(\n *(?:void|Tensor&|Variable&|Self&) (\w+_)\()";
  std::set<std::string> names;
  for (const auto& [name, header] :
       tests::declared_functions({"tensor", "autograd", "nn", "optim"}, declaration)) {
    names.insert(name);
  }
  names.erase("requires_grad_");    // changes no element
  names.erase("clip_grad_value_");  // takes Variables; writes to gradients by copy_
  return names;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(writers_of_tensors)

BOOST_AUTO_TEST_CASE(the_list_names_every_one) {
  std::set<std::string> listed;
  for (const Writer& writer : writers()) listed.insert(writer.name);
  for (const char* name : {"+=", "-=", "*=", "/=", "set", "mutable_data"}) {
    listed.erase(name);
  }
  const std::set<std::string> declared = functions_that_write();
  for (const std::string& name : declared) {
    BOOST_TEST(listed.contains(name), name + ": declared, without a row in writers()");
  }
  for (const std::string& name : listed) {
    BOOST_TEST(declared.contains(name), name + ": a row of writers(), declared nowhere");
  }
}

BOOST_AUTO_TEST_CASE(writing_raises_the_version_through_every_view) {
  // Few elements and many: draws of normals and loops differ there.
  for (const Shape& shape : {Shape{2, 3}, Shape{40, 60}}) {
    const std::pair<const char*, std::function<Tensor(const Tensor&)>> views[] = {
        {"itself", [](const Tensor& x) { return x; }},
        {"transposed", [](const Tensor& x) { return transpose(x, 0, 1); }},
        {"rows", [](const Tensor& x) { return slice(x, 0, 1); }},
        {"columns", [](const Tensor& x) { return slice(x, 1, 0, to_end, 2); }},
    };
    for (const DType dtype : {float32, float64}) {
      for (const Writer& writer : writers()) {
        for (const auto& [view_name, view] : views) {
          const Tensor x = ones(shape, dtype);
          const auto before = version(x);
          writer.write(view(x));
          BOOST_TEST(version(x) > before, writer.name << " of " << view_name);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(other_dtypes) {
  for (const DType dtype : {int64, boolean}) {
    const Tensor x = zeros({4, 5}, dtype);
    const std::pair<const char*, std::function<void(Tensor)>> writers[] = {
        {"bernoulli_", [](Tensor t) { bernoulli_(t, 0.5); }},
        {"random_", [](Tensor t) { random_(t); }},
        {"random_", [](Tensor t) { random_(t, 0, 2); }},
        {"fill_", [](Tensor t) { t.fill_(1); }},
        {"copy_", [](Tensor t) { t.copy_(ones({1})); }},
        {"set",
         [](Tensor t) {
           t.set({1, 1}, 1);
         }},
    };
    for (const auto& [name, write] : writers) {
      for (const Tensor& handle : {x, Tensor(transpose(x, 0, 1))}) {
        const auto before = version(x);
        write(handle);
        BOOST_TEST(version(x) > before, name);
      }
    }
  }
}

namespace {

// A forward, then a step, then the backward that needs the old parameter.
template <class Optimiser>
void check_step_between(const Tensor& values,
                        const typename Optimiser::Options& options) {
  const Variable x(values, true);
  Optimiser optimiser({x}, options);
  sum(square(x)).backward();
  const Variable late = sum(square(x));
  const auto before = version(x.value());
  optimiser.step();
  BOOST_TEST(version(x.value()) > before);
  BOOST_CHECK_THROW(late.backward(), Error);
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_optimiser_s_step_is_a_writing) {
  const Tensor dense = ones({4, 6});
  for (const Tensor& x : {dense, Tensor(slice(ones({4, 12}), 1, 0, to_end, 2)),
                          Tensor(transpose(ones({6, 4}), 0, 1))}) {
    check_step_between<optim::SGD>(x, {});
    check_step_between<optim::SGD>(x, {.momentum = 0.9, .weight_decay = 0.1});
    check_step_between<optim::Adam>(x, {});
    check_step_between<optim::AdamW>(x, {.amsgrad = true});
  }
}

// What is not listed above but writes to what a user holds.
BOOST_AUTO_TEST_CASE(so_are_loading_and_clipping) {
  nn::Linear layer(3, 2);
  const auto before = version(layer.weight.value());
  nn::load_state_dict(layer, nn::state_dict(layer));
  BOOST_TEST(version(layer.weight.value()) > before);

  sum(layer.weight * 10).backward();
  const Tensor gradient = layer.weight.grad().value();
  const auto unclipped = version(gradient);
  optim::clip_grad_norm_({layer.weight}, 1);
  BOOST_TEST(version(gradient) > unclipped);
}

BOOST_AUTO_TEST_SUITE_END()
