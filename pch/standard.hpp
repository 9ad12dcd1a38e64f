// What most sources include of the standard library and of fmt, compiled once for each
// library. Sources include what they use all the same: -Db_pch=false builds without it.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
