#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Interactions of variants in two populations whose traits differ: what a screen
# without covariates finds and misses, and what the effects with covariates say.
set -e

# 200 variants of 400 samples, who are of population 0 or 1. v1 to v20 are rare in
# one and frequent in the other. The trait is 3 higher in population 1, and v101
# and v102 interact: each product of their copies adds 0.7.
awk 'function draw() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }
function normal(k, sum) { for (k = 0; k < 12; k++) sum += draw(); return sum - 6 }
BEGIN {
	seed = 3
	for (v = 1; v <= 200; v++) {
		line = 1 + int((v - 1) / 100) " v" v " 0 " v * 1000
		for (q = 0; q < 400; q++) {
			f = v > 20 ? 0.4 : q < 200 ? 0.15 : 0.75
			g[v, q] = 0
			for (k = 0; k < 2; k++) {
				one = draw() < f
				g[v, q] += one
				line = line (one ? " C" : " A")
			}
		}
		print line >"x.tped"
	}
	print "FID", "IID", "y" >"x.pheno"
	print "FID", "IID", "population" >"x.cov"
	for (q = 0; q < 400; q++) {
		id = "f i" q
		p = q >= 200
		print id, 0, 0, 0, -9 >"x.tfam"
		print id, p >"x.cov"
		print id, 3 * p + 0.7 * g[101, q] * g[102, q] + normal() >"x.pheno"
	}
}'

columns=id1,id2,value,inter_p,effect,effect_se,effect_p
echo "the trait itself, without and with the covariate:"
vsim-pack --tped x --pheno x.pheno --pheno-name y -o x.vec.h5
vsim epistasis x.vec.h5 --top 3 --columns $columns
vsim epistasis x.vec.h5 --top 3 --columns $columns --covar x.cov

# what the covariate leaves of the trait: with one of two values, y less the mean
# of its population; else residuals(lm(y ~ age + sex)) of R
awk 'NR == FNR { of[$2] = $3; next }
FNR == 1 { print; next }
{ id[FNR] = $1 " " $2; y[FNR] = $3; sum[of[$2]] += $3; n[of[$2]]++ }
END {
	for (k = 2; k <= FNR; k++) {
		split(id[k], name, " ")
		p = of[name[2]]
		print id[k], y[k] - sum[p] / n[p]
	}
}' x.cov x.pheno >rest.pheno
echo "what the covariate leaves of the trait:"
vsim-pack --tped x --pheno rest.pheno --pheno-name y -o rest.vec.h5
vsim epistasis rest.vec.h5 --top 3 --columns $columns --covar x.cov
