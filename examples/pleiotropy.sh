#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Find variants that affect the same phenotypes in the same proportions: -log10 p of
# each variant and phenotype (linear model of PLINK 1.9), Proportional Similarity of
# these profiles, and clusters by MCL:
#	profiles.tsv    -log10 p of variants with a p-value below P
#	clusters.tsv    clusters of these variants, one per line
#	phenotypes.svg  heat map of the similarity of phenotypes
#	tripartite.svg  phenotypes, the largest clusters and their chromosomes
# usage: pleiotropy.sh PREFIX [DIRECTORY [P [THRESHOLD]]]
#        PREFIX.bed, .bim and .fam, with phenotypes from column 6 of the .fam on.
#        P is 1e-5 by default, and the threshold of similarity 0.95. Kinship is not
#        corrected for: if samples are related, use p-values of a mixed model.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix=${1:?usage: pleiotropy.sh PREFIX [DIRECTORY [P [THRESHOLD]]]}
out=${2:-.} p=${3:-1e-5} threshold=${4:-0.95}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

# phenotypes in a file of their own, and a .fam without parents, since PLINK
# ignores nonfounders
awk '{ print $1, $2, 0, 0, $5, -9 }' "$prefix.fam" >"$work/x.fam"
awk 'NR == 1 { printf "FID IID"; for (k = 6; k <= NF; k++) printf " trait%d", k - 5
		print "" }
	{ $3 = $4 = $5 = ""; print }' "$prefix.fam" >"$work/traits.txt"
plink1.9 --bed "$prefix.bed" --bim "$prefix.bim" --fam "$work/x.fam" \
	--pheno "$work/traits.txt" --all-pheno --missing-phenotype -999999 \
	--allow-no-sex --linear --silent --out "$work/a" >"$work/said" 2>&1 || {
	cat "$work/said" >&2
	exit 4
}

# one row per variant, one column per phenotype; 0 without a p-value
awk -v OFS='\t' -v p="$p" '
	FNR == 1 {
		file++
		name = FILENAME
		sub(/.*\/a\./, "", name)
		sub(/\.assoc\.linear$/, "", name)
		head = head OFS name
		next
	}
	$5 == "ADD" {
		if (!($2 in row)) { row[$2] = ++n; id[n] = $2 }
		k = row[$2]
		if ($9 != "NA") {
			score[k, file] = $9 > 0 ? -log($9) / log(10) : 300
			if ($9 < p) hit[k] = 1
		}
	}
	END {
		print "id" head
		for (k = 1; k <= n; k++) {
			if (!hit[k]) continue
			line = id[k]
			for (f = 1; f <= file; f++)
				line = line OFS sprintf("%.4f", score[k, f])
			print line
		}
	}' "$work"/a.*.assoc.linear >"$out/profiles.tsv"

vsim-pack --matrix "$out/profiles.tsv" --transpose -o "$work/traits.vec.h5"
vsim-run -m ps -t 0 -o "$work/traits" --merge "$work/traits.res.h5" \
	"$work/traits.vec.h5"
vsim-plot heatmap -f -o "$out/phenotypes.svg" "$work/traits.res.h5"

vsim-pack --matrix "$out/profiles.tsv" -o "$work/x.vec.h5"
vsim-run -m ps -t "$threshold" -o "$work/run" --merge "$work/x.res.h5" \
	"$work/x.vec.h5"
"$here/clusters.sh" "$work/x.res.h5" >"$out/clusters.tsv"

# the width of a line is, for a phenotype, the mean -log10 p in the cluster, if that
# is 2 or more; for a chromosome, its share of the cluster's variants
awk -v FS='\t' '
	function node(x, y, name, anchor, dx, dy) {
		nodes = nodes sprintf("<circle cx=\"%d\" cy=\"%.1f\" r=\"5\"/>\n" \
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
			x, y, x + dx, y + dy, anchor, name)
	}
	function line(x, y, x2, y2, width) {
		printf "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" " \
			"stroke=\"#777\" stroke-width=\"%.2f\"/>\n", x, y, x2, y2, width
	}
	FILENAME == ARGV[1] {
		split($0, b, /[ \t]+/)
		contig[b[2]] = b[1]
		if (!(b[1] in seen)) { seen[b[1]]; order[++n_seen] = b[1] }
		next
	}
	FILENAME == ARGV[2] && FNR == 1 {
		for (k = 2; k <= NF; k++) trait[k - 1] = $k
		n_trait = NF - 1
		next
	}
	FILENAME == ARGV[2] {
		for (k = 2; k <= NF; k++) score[$1, k - 1] = $k
		next
	}
	FNR <= 12 {
		n = FNR
		size[n] = NF
		for (k = 1; k <= NF; k++) {
			id = $k
			sub(/#[0-9]+$/, "", id)
			for (t = 1; t <= n_trait; t++) sum[n, t] += score[id, t] / NF
			share[n, contig[id]] += 1 / NF
			used[contig[id]]
		}
	}
	END {
		for (k = 1; k <= n_seen; k++)
			if (order[k] in used) chromosome[++n_contig] = order[k]
		high = n_contig > n ? n_contig : n
		high = 90 + 34 * (high > n_trait ? high : n_trait)
		printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" " \
			"height=\"%d\" viewBox=\"0 0 760 %d\" font-family=\"Helvetica," \
			"Arial,sans-serif\" font-size=\"12\">\n<rect width=\"760\" " \
			"height=\"%d\" fill=\"#fff\"/>\n", high, high, high
		print "<text x=\"20\" y=\"26\" font-size=\"16\" font-weight=\"bold\">" \
			"Phenotypes, clusters of variants, chromosomes</text>"
		print "<text x=\"20\" y=\"45\" fill=\"#555\">the " n \
			" largest clusters; lines: mean -log10 p, share of variants</text>"
		for (t = 1; t <= n_trait; t++) {
			y[t] = 70 + (high - 90) * (t - 0.5) / n_trait
			node(130, y[t], trait[t], "end", -10, 4)
		}
		for (k = 1; k <= n_contig; k++) {
			z[k] = 70 + (high - 90) * (k - 0.5) / n_contig
			node(630, z[k], "chromosome " chromosome[k], "start", 10, 4)
		}
		for (c = 1; c <= n; c++) {
			at = 70 + (high - 90) * (c - 0.5) / n
			node(380, at, size[c] " variants", "middle", 0, -9)
			for (t = 1; t <= n_trait; t++)
				if (sum[c, t] >= 2)
					line(130, y[t], 380, at,
						sum[c, t] < 30 ? sum[c, t] / 4 : 7.5)
			for (k = 1; k <= n_contig; k++)
				if (share[c, chromosome[k]])
					line(380, at, 630, z[k],
						0.5 + 4 * share[c, chromosome[k]])
		}
		printf "<g stroke=\"#fff\" stroke-width=\"3\" " \
			"paint-order=\"stroke\">\n%s</g>\n</svg>\n", nodes
	}' "$prefix.bim" "$out/profiles.tsv" "$out/clusters.tsv" \
	>"$out/tripartite.svg"
