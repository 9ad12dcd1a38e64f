// The model of the tutorials' four steps: what PyTorch 1.13 prints for the same model,
// seed and training, and what the program makes of it.
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/examples/printed.h"
#include "tests/examples/run.h"

namespace {

using namespace heed::examples;

BOOST_AUTO_TEST_SUITE(causal_language_model)

BOOST_AUTO_TEST_CASE(it_learns_as_in_pytorch) {
  const Outcome outcome = run("causal_language_model");
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.err == "");
  const std::string& out = outcome.out;
  check_printed(out, "before training: the probability of each token to be the next", R"(
step  input              <BOS>       I    like     you   <EOS>   predicted
   1  <BOS>             0.1605  0.1484  0.0286  0.3126  0.3499   <EOS>, not I
   2  <BOS> I           0.5450  0.3042  0.1158  0.0249  0.0100   <BOS>, not like
   3  <BOS> I like      0.1764  0.4449  0.0426  0.1272  0.2089   I, not you
   4  <BOS> I like you  0.1768  0.0930  0.0436  0.2028  0.4838   <EOS>
)");
  check_printed(out, "training: the mean of the four steps' losses, -log p(next token)",
                R"(
after   0 steps, loss 1.713023
after  10 steps, loss 0.139692
after  20 steps, loss 0.060919
after  30 steps, loss 0.036538
after  40 steps, loss 0.025291
after  50 steps, loss 0.018980
after  60 steps, loss 0.015001
after  70 steps, loss 0.012291
after  80 steps, loss 0.010340
after  90 steps, loss 0.008876
after 100 steps, loss 0.007743
)");
  check_printed(out, "after training", R"(
step  input              <BOS>       I    like     you   <EOS>   predicted
   1  <BOS>             0.0023  0.9867  0.0004  0.0015  0.0091   I
   2  <BOS> I           0.0014  0.0004  0.9965  0.0014  0.0003   like
   3  <BOS> I like      0.0010  0.0012  0.0015  0.9962  0.0001   you
   4  <BOS> I like you  0.0011  0.0084  0.0007  0.0001  0.9897   <EOS>

from <BOS> and its own words it writes: I like you <EOS>
)");
  check_printed(out, "what each token attends to, in the first of the 2 heads", R"(
           <BOS>       I    like     you
   <BOS>  1.0000       0       0       0
       I  0.2517  0.7483       0       0
    like  0.1390  0.5748  0.2862       0
     you  0.3247  0.0479  0.1616  0.4657

checked: the loss fell
checked: all four tokens are predicted
checked: it writes the sentence by itself
checked: above the diagonal the weights are exactly 0
checked: one pass predicts what the four steps predict one by one
)");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
