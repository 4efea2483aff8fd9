/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics: X(name, weight, scale); name.h has the factor and the value. */
#include "libcore/metric/ccc.h"
#include "libcore/metric/duo.h"
X(ccc, 2, 8)
X(duo, 2, 9)
