/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * List of metrics, METRIC(name, data for the help): each with its header, whose
 * VS_METRIC_name is the rest of the row.
 */
#include "libcore/metric/ccc.h"
METRIC(ccc, "of genotypes of ploidy 2")

#include "libcore/metric/duo.h"
METRIC(duo, "of vectors of ploidy 1")

#include "libcore/metric/ps.h"
METRIC(ps, "Proportional Similarity, of numbers or bits")

#include "libcore/metric/r2.h"
METRIC(r2,
	"squared correlation, of genotypes of either ploidy, as all that "
	"follow")

#include "libcore/metric/r.h"
METRIC(r, "Pearson's correlation")

#include "libcore/metric/cosine.h"
METRIC(cosine, "of the angle between two")

#include "libcore/metric/jaccard.h"
METRIC(jaccard, "Jaccard index")

#include "libcore/metric/dice.h"
METRIC(dice, "Dice's coefficient")
