/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * List of metrics, METRIC(name, data for the help): each with its header, whose
 * VS_METRIC_name is the rest of the row.
 */
#include "libcore/metric/ccc.h"
METRIC(ccc, "Custom Correlation Coefficient of genotypes")

#include "libcore/metric/duo.h"
METRIC(duo, "the same for haploid genotypes")

#include "libcore/metric/ps.h"
METRIC(ps, "Proportional Similarity, of numbers or bits")

#include "libcore/metric/r2.h"
METRIC(r2, "squared correlation, as reported by PLINK --r2")

#include "libcore/metric/r.h"
METRIC(r, "Pearson's correlation")

#include "libcore/metric/spearman.h"
METRIC(spearman, "Spearman's rank correlation of numbers")

#include "libcore/metric/cosine.h"
METRIC(cosine, "cosine of the angle between two vectors")

#include "libcore/metric/euclid.h"
METRIC(euclid, "Euclidean distance of numbers; lower is closer")

#include "libcore/metric/jaccard.h"
METRIC(jaccard, "Jaccard index")

#include "libcore/metric/dice.h"
METRIC(dice, "Dice's coefficient")

#include "libcore/metric/hamming.h"
METRIC(hamming, "number of fields that differ; lower is closer")

#include "libcore/metric/yule.h"
METRIC(yule, "Yule's Q")

#include "libcore/metric/dprime.h"
METRIC(dprime, "|D'| of haplotypes, as reported by PLINK --r2 dprime")

#include "libcore/metric/r2em.h"
METRIC(r2em, "r2 of haplotypes, the most likely ones if unphased")

#include "libcore/metric/d.h"
METRIC(d, "linkage disequilibrium D of the same haplotypes")

#include "libcore/metric/k2.h"
METRIC(k2, "Bayesian score, lower is stronger; lbf if calls are missing")

#include "libcore/metric/lbf.h"
METRIC(lbf, "log Bayes factor of K2 against no association")

#include "libcore/metric/mi.h"
METRIC(mi, "mutual information with case/control status, in nats")

#include "libcore/metric/g.h"
METRIC(g, "likelihood ratio statistic of the same table")

#include "libcore/metric/inter.h"
METRIC(inter, "likelihood ratio statistic of pure interaction, as BOOST")

#include "libcore/metric/beta.h"
METRIC(beta, "probability that like genotypes have the same status")

#include "libcore/metric/alpha.h"
METRIC(alpha, "beta minus that of the best subset")

#include "libcore/metric/f.h"
METRIC(f, "F of interaction for a quantitative trait")

#include "libcore/metric/fadd.h"
METRIC(fadd, "the same against additive effects")
