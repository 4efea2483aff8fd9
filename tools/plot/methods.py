# SPDX-License-Identifier: BSD-3-Clause
"""What each metric measures: a question, a formula and a citation."""
from __future__ import annotations

from typing import NamedTuple


class Method(NamedTuple):
    question: str
    formula: str
    cite: str


HILL = ("Hill WG, Robertson A. Linkage disequilibrium in finite populations. "
        "Theoretical and Applied Genetics 38, 226-231 (1968).")
CLIMER = ("Climer S, Yang W, de las Fuentes L, Davila-Roman VG, Gu CC. A custom "
          "correlation coefficient (CCC) approach for fast identification of multi-SNP "
          "association patterns in genome-wide SNPs data. Genetic Epidemiology 38, "
          "610-621 (2014).")
BRAY = ("Bray JR, Curtis JT. An ordination of the upland forest communities of southern "
        "Wisconsin. Ecological Monographs 27, 325-349 (1957).")
WAN = ("Wan X et al. BOOST: a fast approach to detecting gene-gene interactions in "
       "genome-wide case-control studies. American Journal of Human Genetics 87, "
       "325-340 (2010).")
COOPER = ("Cooper GF, Herskovits E. A Bayesian method for the induction of probabilistic "
          "networks from data. Machine Learning 9, 309-347 (1992).")
BITEPI = ("Bayat A et al. Fast and accurate exhaustive higher-order epistasis search "
          "with BitEpi. Scientific Reports 11, 15923 (2021).")
SHANNON = ("Shannon CE. A mathematical theory of communication. Bell System Technical "
           "Journal 27, 379-423 (1948).")
WESTFALL = ("Westfall PH, Young SS. Resampling-based multiple testing. Wiley (1993).")
PEARSON = ("Pearson K. Notes on regression and inheritance in the case of two parents. "
           "Proceedings of the Royal Society 58, 240-242 (1895).")
SPEARMAN = ("Spearman C. The proof and measurement of association between two things. "
            "American Journal of Psychology 15, 72-101 (1904).")

METHODS = {
    "r2": Method("Which variants are in linkage disequilibrium?",
                 "r\u00b2 = cov(x, y)\u00b2 / (var x var y), with x and y the copies of "
                 "an allele in each sample, as PLINK --r2 reports for unphased data", HILL),
    "r": Method("Which rows correlate?", "r = cov(x, y) / sqrt(var x var y)", PEARSON),
    "spearman": Method("Which rows rise and fall together?",
                       "Pearson's r of ranks, with mean ranks for ties", SPEARMAN),
    "ccc": Method("Which alleles occur together?",
                  "CCC = multiplier \u00d7 R \u00d7 (1 \u2212 gamma f) (1 \u2212 gamma g), "
                  "with R the share of samples in which both alleles occur together and "
                  "f and g their frequencies", CLIMER),
    "duo": Method("Which alleles occur together on haplotypes?",
                  "CCC of vectors with one allele for each sample", CLIMER),
    "ps": Method("Which rows are similar in composition?",
                 "PS = 2 sum min(x, y) / (sum x + sum y), 1 minus the Bray-Curtis "
                 "dissimilarity", BRAY),
    "cosine": Method("Which rows point the same way?",
                     "cos = sum xy / sqrt(sum x\u00b2 sum y\u00b2)", ""),
    "euclid": Method("Which rows are near each other?",
                     "d = sqrt(sum (x \u2212 y)\u00b2)", ""),
    "jaccard": Method("Which variants occur in the same samples?",
                      "J = |A and B| / |A or B|",
                      "Jaccard P. Bulletin de la Soci\u00e9t\u00e9 Vaudoise des Sciences "
                      "Naturelles 37, 547-579 (1901)."),
    "dice": Method("Which variants occur in the same samples?",
                   "D = 2 |A and B| / (|A| + |B|)",
                   "Dice LR. Ecology 26, 297-302 (1945)."),
    "hamming": Method("Which vectors differ in the fewest fields?",
                      "the number of fields that differ", ""),
    "yule": Method("Which variants are associated?",
                   "Q = (ad \u2212 bc) / (ad + bc) of the 2 \u00d7 2 table",
                   "Yule GU. Philosophical Transactions of the Royal Society A 194, "
                   "257-319 (1900)."),
    "dprime": Method("How strongly are variants linked, given their frequencies?",
                     "D' = |D| / D max of haplotypes",
                     "Lewontin RC. Genetics 49, 49-67 (1964)."),
    "r2em": Method("How well does one variant predict another?",
                   "r\u00b2 = D\u00b2 / (p(1 \u2212 p) q(1 \u2212 q)) of haplotypes",
                   "Hill WG. Heredity 33, 229-239 (1974)."),
    "d": Method("Which alleles occur on the same haplotypes?",
                "D = f(AB) \u2212 f(A) f(B)",
                "Hill WG. Heredity 33, 229-239 (1974)."),
    "inter": Method("Which variants interact in their effect on case status?",
                    "2 sum n ln(n / e), with n the counts of genotypes and status and e "
                    "the counts expected without interaction; chi-squared with df degrees "
                    "of freedom", WAN),
    "k2": Method("Which variants jointly predict case status?",
                 "K2 = sum ln (n + 1)! \u2212 ln n0! \u2212 ln n1! over genotypes; lower is "
                 "stronger", COOPER),
    "lbf": Method("Which variants jointly predict case status?",
                  "the log Bayes factor of a share of cases for each genotype against one "
                  "share for all", COOPER),
    "mi": Method("Which variants jointly predict case status?",
                 "the mutual information of genotype and status, in nats", SHANNON),
    "g": Method("Which variants jointly predict case status?",
                "G = 2 sum n ln(n / e), e expected if genotype and status are independent; "
                "chi-squared with df degrees of freedom", SHANNON),
    "beta": Method("Which variants jointly predict case status?",
                   "the Gini purity of status within genotypes", BITEPI),
    "alpha": Method("Which variants predict case status better together than alone?",
                    "the Gini purity gained over the best subset with one variant less",
                    BITEPI),
}
