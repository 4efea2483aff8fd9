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
	"follow, or of numbers, as r and cosine")

#include "libcore/metric/r.h"
METRIC(r, "Pearson's correlation")

#include "libcore/metric/cosine.h"
METRIC(cosine, "of the angle between two")

#include "libcore/metric/euclid.h"
METRIC(euclid, "Euclidean distance of numbers, of pairs; lower is closer")

#include "libcore/metric/jaccard.h"
METRIC(jaccard, "Jaccard index")

#include "libcore/metric/dice.h"
METRIC(dice, "Dice's coefficient")

#include "libcore/metric/k2.h"
METRIC(k2,
	"Bayesian score of genotypes by case and control, pairs and triples; "
	"lower is stronger")

#include "libcore/metric/lbf.h"
METRIC(lbf, "log Bayes factor of K2 against no association")

#include "libcore/metric/mi.h"
METRIC(mi, "mutual information with case and control, in nats")

#include "libcore/metric/g.h"
METRIC(g, "likelihood ratio statistic of the same table")

#include "libcore/metric/inter.h"
METRIC(inter,
	"likelihood ratio statistic of pure interaction, PLINK's "
	"--fast-epistasis boost of pairs")

#include "libcore/metric/beta.h"
METRIC(beta,
	"probability that two samples of like genotypes have the same status")

#include "libcore/metric/alpha.h"
METRIC(alpha, "beta less that of the best set with one vector less")
