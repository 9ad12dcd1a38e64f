// The programs that repeat the tutorials' listings: the numbers that PyTorch 1.13 prints
// for the same seed, their claims for other seeds, figures, and wrong options.
#include <filesystem>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/examples/printed.h"
#include "tests/examples/run.h"
#include "tests/support/folder.h"

namespace {

using namespace heed::examples;
using heed::support::TemporaryFolder;

struct Program {
  std::string name;
  std::vector<std::string> figures;
};

const std::vector<Program> programs = {
    {"masked_softmax", {"masked_softmax"}},
    {"additive_attention", {"additive_attention"}},
    {"dot_product_attention", {"dot_product_attention", "temperature"}},
    {"general_attention", {"general_attention"}},
    {"self_attention", {"self_attention"}},
    {"multi_head_attention", {"multi_head_self_attention", "multi_head_attention"}},
    {"causal_attention", {"causal_attention"}},
    {"causal_language_model", {"causal_language_model", "loss"}},
};

// What the program prints from seed 0.
std::string printed(const std::string& program) {
  const Outcome outcome = run(program);
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.err == "");
  BOOST_TEST(outcome.out.find("checked: ") != outcome.out.npos);
  BOOST_TEST(outcome.out.find("DOES NOT HOLD") == outcome.out.npos);
  return outcome.out;
}

BOOST_AUTO_TEST_SUITE(attention_programs)

BOOST_AUTO_TEST_CASE(masked_softmax) {
  const std::string out = printed("masked_softmax");
  check_printed(out, "valid_lens [2, 3], one for each batch:", R"(
tensor([[[0.4324, 0.5676, 0.0000, 0.0000],
         [0.4191, 0.5809, 0.0000, 0.0000]],

        [[0.3234, 0.3859, 0.2907, 0.0000],
         [0.2882, 0.3337, 0.3781, 0.0000]]])
)");
  check_printed(out, "valid_lens [[1, 3], [2, 4]], one for each query:", R"(
tensor([[[1.0000, 0.0000, 0.0000, 0.0000],
         [0.2788, 0.3865, 0.3347, 0.0000]],

        [[0.4559, 0.5441, 0.0000, 0.0000],
         [0.1956, 0.2265, 0.2566, 0.3213]]])
)");
  check_printed(out, "no valid_lens:", R"(
tensor([[[0.2723, 0.3574, 0.1811, 0.1892],
         [0.1856, 0.2573, 0.2228, 0.3344]],

        [[0.2476, 0.2954, 0.2225, 0.2346],
         [0.1956, 0.2265, 0.2566, 0.3213]]])
)");
  check_printed(out, "valid_lens [0, 9], EmptyRows::uniform (the tutorial's):", R"(
tensor([[[0.2500, 0.2500, 0.2500, 0.2500],
         [0.2500, 0.2500, 0.2500, 0.2500]],

        [[0.2476, 0.2954, 0.2225, 0.2346],
         [0.1956, 0.2265, 0.2566, 0.3213]]])
)");
  check_printed(out, "valid_lens [0, 9], EmptyRows::zero (the default):", R"(
tensor([[[0.0000, 0.0000, 0.0000, 0.0000],
         [0.0000, 0.0000, 0.0000, 0.0000]],

        [[0.2476, 0.2954, 0.2225, 0.2346],
         [0.1956, 0.2265, 0.2566, 0.3213]]])
)");
}

// The toy of both scoring functions.
const std::string toy_output = R"(
tensor([[[ 2.0000,  3.0000,  4.0000,  5.0000]],

        [[10.0000, 11.0000, 12.0000, 13.0000]]])
)";
const std::string toy_weights = R"(
tensor([[[0.5000, 0.5000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000,
          0.0000, 0.0000]],

        [[0.1667, 0.1667, 0.1667, 0.1667, 0.1667, 0.1667, 0.0000, 0.0000,
          0.0000, 0.0000]]])
)";

BOOST_AUTO_TEST_CASE(additive_attention) {
  const std::string out = printed("additive_attention");
  check_printed(out, "output", toy_output);
  check_printed(out, "attention_weights", toy_weights);
  check_printed(out, "output in training, with dropout 0.1", R"(
tensor([[[ 2.2222,  2.7778,  3.3333,  3.8889]],

        [[11.1111, 12.2222, 13.3333, 14.4444]]])
)");
  check_printed(out, "attention_weights of two queries to random keys", R"(
tensor([[[0.5696, 0.4304, 0.0000, 0.0000, 0.0000, 0.0000],
         [0.6150, 0.3850, 0.0000, 0.0000, 0.0000, 0.0000]],

        [[0.1311, 0.1332, 0.1953, 0.1707, 0.2189, 0.1509],
         [0.1297, 0.1318, 0.1933, 0.1586, 0.2365, 0.1501]]])
)");
}

BOOST_AUTO_TEST_CASE(dot_product_attention) {
  const std::string out = printed("dot_product_attention");
  check_printed(out, "output", toy_output);
  check_printed(out, "attention_weights", toy_weights);
  check_printed(out, "output in training, with dropout 0.5", R"(
tensor([[[ 0.0000,  0.0000,  0.0000,  0.0000]],

        [[16.0000, 17.6667, 19.3333, 21.0000]]])
)");
  check_printed(out, "temperature 0.5: weights", R"(
tensor([[[[0.2825, 0.5656, 0.1520],
          [0.9841, 0.0122, 0.0037]]]])
)");
  check_printed(out, "temperature 2: weights", R"(
tensor([[[[0.3283, 0.3905, 0.2812],
          [0.6322, 0.2109, 0.1568]]]])
)");
  check_printed(out, "temperature 2: output", R"(
tensor([[[[0.5426, 1.1361],
          [0.4625, 1.2825]]]])
)");
  check_printed(out, "temperature 8: weights", R"(
tensor([[[[0.3326, 0.3474, 0.3200],
          [0.4056, 0.3082, 0.2862]]]])
)");
}

BOOST_AUTO_TEST_CASE(general_attention) {
  const std::string out = printed("general_attention");
  BOOST_TEST(out.starts_with("(32, 10, 64)\n"));
  check_printed(out, "the first numbers of the output", R"(
tensor([-0.0087,  0.1621, -0.1056, -0.0918, -0.0933,  0.0326, -0.0564,  0.0038])
)");
  check_printed(out, "attention_weights (32, 10, 20), those of the first query", R"(
tensor([0.0473, 0.0406, 0.0422, 0.0511, 0.0660, 0.0197, 0.0536, 0.0457, 0.0544,
        0.0643, 0.0640, 0.0753, 0.0375, 0.0414, 0.0564, 0.0447, 0.0469, 0.0358,
        0.0554, 0.0576])
)");
  BOOST_TEST(out.find("all between 0.0121 and 0.1862.") != out.npos);
}

BOOST_AUTO_TEST_CASE(self_attention) {
  const std::string out = printed("self_attention");
  BOOST_TEST(out.starts_with("output shape: (2, 3, 6)\n"));
  check_printed(out, "output", R"(
tensor([[[ 0.2775, -0.4248, -0.2402, -0.1128,  0.0333, -0.4007],
         [-0.0629, -0.1514, -0.1336,  0.2378,  0.3796, -0.3030],
         [ 0.2242, -0.3744, -0.2138, -0.0573,  0.0935, -0.3828]],

        [[ 0.3718, -0.9142, -0.7718, -0.1609, -0.3651, -0.3484],
         [ 0.3397, -0.9229, -0.8050, -0.1509, -0.3604, -0.4059],
         [ 0.1249, -0.9424, -0.9576,  0.0695, -0.2735, -0.3758]]])
)");
  check_printed(out, "attention_weights: row i is what position i attends to", R"(
tensor([[[0.3129, 0.3501, 0.3370],
         [0.6230, 0.2783, 0.0988],
         [0.3646, 0.3339, 0.3016]],

        [[0.3403, 0.2299, 0.4298],
         [0.2916, 0.2361, 0.4723],
         [0.3964, 0.0766, 0.5269]]])
)");
}

BOOST_AUTO_TEST_CASE(multi_head_attention) {
  const std::string out = printed("multi_head_attention");
  BOOST_TEST(out.starts_with("output shape: (2, 3, 4)\n"));
  check_printed(out, "output", R"(
tensor([[[-0.2271,  0.2155, -0.1133, -0.3496],
         [-0.0231,  0.1287, -0.1091, -0.1903],
         [-0.1378,  0.2716, -0.1066, -0.3148]],

        [[-0.0120,  0.2474, -0.2591, -0.3593],
         [ 0.0106,  0.4326, -0.2184, -0.2908],
         [ 0.0037,  0.1709, -0.1327, -0.4187]]])
)");
  check_printed(out, "attention_weights of the first sequence, a matrix a head", R"(
tensor([[[0.2724, 0.4940, 0.2336],
         [0.2902, 0.3804, 0.3294],
         [0.3015, 0.4355, 0.2630]],

        [[0.3177, 0.3296, 0.3527],
         [0.1374, 0.7857, 0.0769],
         [0.2442, 0.4792, 0.2766]],

        [[0.4733, 0.2585, 0.2682],
         [0.3553, 0.3790, 0.2657],
         [0.4820, 0.1384, 0.3796]],

        [[0.2591, 0.3656, 0.3753],
         [0.3623, 0.2903, 0.3474],
         [0.3320, 0.4023, 0.2657]]])
)");
  BOOST_TEST(out.find("5 heads: output shape (2, 4, 100)\n") != out.npos);
  check_printed(out, "the weights of the first query in each of the 5 heads", R"(
tensor([[0.5732, 0.2048, 0.2220, 0.0000, 0.0000, 0.0000],
        [0.2879, 0.4311, 0.2809, 0.0000, 0.0000, 0.0000],
        [0.3074, 0.2674, 0.4252, 0.0000, 0.0000, 0.0000],
        [0.2796, 0.3275, 0.3928, 0.0000, 0.0000, 0.0000],
        [0.3075, 0.4799, 0.2126, 0.0000, 0.0000, 0.0000]])
)");
}

BOOST_AUTO_TEST_CASE(causal_attention) {
  const std::string out = printed("causal_attention");
  check_printed(out, "attention(query, key, value)", R"(
tensor([[[-7.3186e-02, -1.4365e+00,  2.2275e-01,  1.9589e-02],
         [ 5.4357e-04, -1.1646e+00,  1.5623e-01,  2.2333e-01],
         [-5.3534e-01, -1.4470e+00,  9.0280e-02,  2.4656e-01]],

        [[ 7.9227e-01,  7.3120e-01, -2.3646e-01, -1.9043e-01],
         [ 6.9155e-01,  7.1170e-01,  3.3151e-01,  1.8540e-01],
         [ 8.5982e-01,  6.4110e-01, -3.0474e-02, -2.9348e-01]]])
p_attn
tensor([[[0.2486, 0.2125, 0.0917, 0.2191, 0.2280],
         [0.0992, 0.0764, 0.4216, 0.0308, 0.3720],
         [0.2967, 0.4031, 0.1048, 0.0689, 0.1265]],

        [[0.2584, 0.1789, 0.1030, 0.3869, 0.0728],
         [0.5397, 0.0603, 0.3119, 0.0545, 0.0336],
         [0.2841, 0.2431, 0.1220, 0.2733, 0.0775]]])
)");
  check_printed(out, "attention(x, x, x)", R"(
tensor([[[-0.6119, -1.3436,  0.0904, -0.8805,  0.4942,  0.5924],
         [-0.4355, -1.6543,  0.2217, -1.0791,  0.3930,  0.4691],
         [ 0.1192,  1.1600,  1.0777, -0.3064, -1.2783, -1.5297],
         [ 0.4244,  0.5498,  0.5633, -1.4432, -0.2834,  1.5860]],

        [[ 0.7177, -0.5121, -0.1052,  0.2279,  0.9183,  1.2737],
         [ 0.6213, -0.4739, -0.1088,  0.4833, -0.0969,  0.4062],
         [ 0.4960, -0.2941,  0.1312,  0.6292,  0.0262,  0.4907],
         [-0.2603,  0.0403,  0.5083,  2.2400, -1.4292, -1.5200]]])
p_attn
tensor([[[0.4718, 0.4217, 0.0173, 0.0892],
         [0.2277, 0.6914, 0.0145, 0.0664],
         [0.0082, 0.0128, 0.9449, 0.0341],
         [0.0435, 0.0600, 0.0349, 0.8616]],

        [[0.7277, 0.1212, 0.1383, 0.0128],
         [0.2511, 0.4205, 0.1784, 0.1499],
         [0.3057, 0.1904, 0.3186, 0.1853],
         [0.0023, 0.0129, 0.0150, 0.9698]]])
)");
  check_printed(out, "mask (1, 5, 5)", R"(
tensor([[[0., -inf, -inf, -inf, -inf],
         [0., 0., -inf, -inf, -inf],
         [0., 0., 0., -inf, -inf],
         [0., 0., 0., 0., -inf],
         [0., 0., 0., 0., 0.]]])
softmax(scores + mask)
tensor([[[1.0000, 0.0000, 0.0000, 0.0000],
         [0.5391, 0.4609, 0.0000, 0.0000],
         [0.4478, 0.0917, 0.4604, 0.0000],
         [0.1340, 0.4099, 0.3632, 0.0928]]])
)");
}

BOOST_AUTO_TEST_CASE(causal_layer) {
  const std::string out = printed("causal_attention");
  const std::string heading =
      "causal multi-head attention: output (2, 5, 16), that of the first sequence";
  check_printed(out, heading, R"(
tensor([[ 0.5694,  0.3482,  0.3687,  0.1844, -0.3036,  0.1447,  0.2525, -0.1851,
         -0.1281, -0.0837,  0.3248,  0.4121, -0.0049, -0.3015,  0.2698, -0.5942],
        [-0.0976, -0.2776,  0.2507, -0.2852, -0.1446,  0.0962,  0.6563,  0.2032,
         -0.4363,  0.0789,  0.1670,  0.0426,  0.5095, -0.3274,  0.0934, -0.4331],
        [-0.1590, -0.3044,  0.1367, -0.2846,  0.1328,  0.2418,  0.4254,  0.2069,
         -0.3652, -0.0669,  0.0110, -0.1453,  0.3768, -0.0822,  0.0016, -0.2429],
        [-0.1610, -0.2464,  0.0729, -0.3418,  0.1559,  0.0987,  0.2498,  0.2816,
         -0.2546, -0.1825, -0.1212, -0.2016,  0.3287, -0.1007, -0.0835, -0.1798],
        [-0.2052, -0.1000, -0.0547, -0.2911,  0.1413, -0.0032,  0.1472,  0.2365,
         -0.2623, -0.0552, -0.2442, -0.1258,  0.2804, -0.0970, -0.1079, -0.1304]])
)");
  check_printed(out, "what each token attends to, in the first of the four heads", R"(
           <BOS>       I    like     you   <EOS>
   <BOS>  1.0000       0       0       0       0
       I  0.4561  0.5439       0       0       0
    like  0.4938  0.2857  0.2205       0       0
     you  0.2969  0.2324  0.2324  0.2383       0
   <EOS>  0.2165  0.1642  0.1837  0.2067  0.2289

largest change of outputs 0 to 2 when tokens 3 and 4 are replaced: tensor(0.)
)");
  check_printed(out, "0 exactly, or not (x)", R"(
           <BOS>       I    like     you   <EOS>
   <BOS>       x       0       0       0       0
       I       x       x       0       0       0
    like       x       x       x       0       0
     you       x       x       x       x       0
   <EOS>       x       x       x       x       x
)");
}

BOOST_AUTO_TEST_CASE(claims_hold_for_other_numbers) {
  for (const Program& program : programs) {
    const std::string first = run(program.name).out;
    for (const char* arguments : {"--seed 7", "--dtype float64", "--seed 4294967303"}) {
      const Outcome outcome = run(program.name, arguments);
      BOOST_TEST(outcome.code == 0, program.name << ' ' << arguments);
      BOOST_TEST(outcome.out != first, program.name << ' ' << arguments);
    }
  }
}

BOOST_AUTO_TEST_CASE(threads_change_no_bit) {
  for (const Program& program : programs) {
    BOOST_TEST(run(program.name, "--threads 1").out ==
               run(program.name, "--threads 2").out);
  }
}

BOOST_AUTO_TEST_CASE(figures) {
  for (const Program& program : programs) {
    const TemporaryFolder folder;
    const std::string figures = folder / "new";
    const Outcome outcome = run(program.name, "--figures " + figures);
    BOOST_TEST(outcome.code == 0);
    if (outcome.out.find("no figures are drawn") != outcome.out.npos) continue;
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& file :
         std::filesystem::directory_iterator(figures)) {
      ++files;
    }
    BOOST_TEST(files == program.figures.size());
    for (const std::string& figure : program.figures) {
      const std::string path = figures + "/" + figure + ".svg";
      BOOST_TEST(contents(path).starts_with("<?xml"), path);
      BOOST_TEST(outcome.out.find("figures: " + path + "\n") != outcome.out.npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(folders_that_cannot_be_written) {
  for (const Program& program : programs) {
    BOOST_TEST(check_refused(program.name, "--figures /dev/null/figures") ==
               program.name +
                   ": /dev/null/figures: the folder cannot be written: Not a "
                   "directory\n");
  }
}

BOOST_AUTO_TEST_CASE(help_and_wrong_options) {
  for (const Program& program : programs) {
    const Outcome help = run(program.name, "--help");
    BOOST_TEST(help.code == 0);
    BOOST_TEST(help.err == "");
    for (const char* text : {"Usage: ", "--seed", "--dtype", "--figures",
                             "--figure-format", "--threads", "Exit codes: "}) {
      BOOST_TEST(help.out.find(text) != help.out.npos, program.name << ' ' << text);
    }
    for (const char* arguments :
         {"--nothing", "extra", "--seed", "--seed -1", "--seed 1.5", "--dtype int64",
          "--threads 0", "--figures", "--figure-format png"}) {
      check_refused(program.name, arguments);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
