// Everything. One header at a time compiles faster.
#pragma once

#include "tutti/array.hpp"
#include "tutti/config.hpp"
#include "tutti/dict.hpp"
#include "tutti/dtype.hpp"
#include "tutti/error.hpp"
#include "tutti/jit.hpp"
#include "tutti/lax.hpp"
#include "tutti/mesh.hpp"
#include "tutti/placement.hpp"
#include "tutti/shape.hpp"
#include "tutti/sharding.hpp"
#include "tutti/tree.hpp"
#include "tutti/visualize.hpp"
