// How many threads work.
#pragma once

namespace heed {

inline constexpr int max_threads = 1024;

// The number of threads that operations use, from 1 to max_threads. At the start it is
// the positive number that OMP_NUM_THREADS begins with, as in PyTorch, or that of the
// processors which the process may use. Throws Error for another number. The results do
// not depend on it, bit for bit: the cuts between threads do not change the order of any
// sum. (Which of two different NaNs a sum keeps may depend.)
void set_num_threads(int threads);
int num_threads();

}  // namespace heed
