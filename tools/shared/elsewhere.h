/* SPDX-License-Identifier: BSD-3-Clause */
/* Names from PLINK and vegan, and their equivalents here, for messages. */
#ifndef VS_TOOLS_SHARED_ELSEWHERE_H
#define VS_TOOLS_SHARED_ELSEWHERE_H

#define VS_METRICS_ELSEWHERE                                               \
	"bray=-m ps, 1 less the Bray-Curtis dissimilarity|"                \
	"braycurtis=-m ps, 1 less the Bray-Curtis dissimilarity|"          \
	"bray-curtis=-m ps, 1 less the Bray-Curtis dissimilarity|"         \
	"czekanowski=-m ps|boost=-m inter|fast-epistasis=-m inter|"        \
	"chisq=-m g|chi2=-m g|corr=-m r|phi=-m r|"                         \
	"mutual-information=-m mi|chord=-m cosine|"                        \
	"manhattan=-m ps or euclid; city-block distance is not available|" \
	"d'=-m dprime|"                                                    \
	"kendall=-m spearman; tau is not available"

#define VS_OPTIONS_ELSEWHERE                                            \
	"r2=vsim-run -m r2|r=vsim-run -m r|r2-phased=vsim-run -m r2em|" \
	"dprime=vsim-run -m dprime|"                                    \
	"r2-unphased=vsim-run -m r2|ld-window-r2=vsim-run -t|"          \
	"min-r2=vsim-run -t|ld-window-kb=vsim-run --max-kb|"            \
	"ld-window-cm=vsim-run --max-cm|cm-map=vsim-pack --map|"        \
	"ld-window=vsim-run --max-sites|window=vsim-run --max-kb|"      \
	"inter-chr=vsim-run --inter-chromosome|"                        \
	"ld=vsim-run -m r2 --pairs-between|"                            \
	"ld-snp=vsim-run -m r2 --pairs-between|"                        \
	"indep=vsim-threshold --prune|"                                 \
	"indep-pairwise=vsim-threshold --prune PREFIX --window 50 "     \
	"--step 5 -t 0.2|indep-pairphase=vsim-threshold --prune|"       \
	"clump=vsim-threshold --clump|"                                 \
	"show-tags=vsim-view --id of a result of vsim-run -m r2|"       \
	"fast-epistasis=vsim-run -m inter|epistasis=vsim-run -m inter|" \
	"covar=vsim-view --covar, with --columns effect|"               \
	"boost=vsim-run -m inter|epi1=vsim-run -t|"                     \
	"bfile=vsim-pack --bfile|pfile=vsim-pack --pfile|"              \
	"file=vsim-pack --file|tfile=vsim-pack --tped|"                 \
	"vcf=vsim-pack --vcf|bcf=vsim-pack --vcf|maf=vsim-pack --maf|"  \
	"geno=vsim-pack --max-missing|chr=vsim-pack --chr|"             \
	"ploidy=vsim-pack --ploidy|label=vsim-pack --label|"            \
	"keep=vsim-pack --keep|remove=vsim-pack --remove|"              \
	"extract=vsim-pack --extract|exclude=vsim-pack --exclude|"      \
	"from-bp=vsim-pack --from-kb|to-bp=vsim-pack --to-kb|"          \
	"pheno=vsim-pack --pheno|filter-founders=vsim-pack "            \
	"--keep-founders|make-bed=vsim-pack -o X.vec.h5|"               \
	"method=vsim-run -m|dist=vsim-run -m|out=-o|thread-num=-j"

#endif
