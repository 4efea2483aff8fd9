# SPDX-License-Identifier: BSD-3-Clause
# Read the vectors files and results of vsim in R, with rhdf5.
#
#     source("vsim.R")
#     e <- vsim_result("edges.res.h5")       # data frame, one row per record
#     g <- vsim_vectors("x.vec.h5", 1, 10)   # matrix, variants x samples; NA
#     v <- vsim_variants("x.vec.h5")         # data frame, one row per variant
#
# Columns have the names that vsim-view uses: id1 chrom1 pos1 allele1, the same for 2
# (and 3), then cell, value, num, n. Columns that the file does not have are omitted.
# Files compressed with zstd, the default of vsim-pack, need an HDF5 filter: it is
# found next to an installed vsim-run on PATH, or through HDF5_PLUGIN_PATH. Source this
# file before anything loads rhdf5, which looks for filters once.

# rhdf5filters replaces HDF5_PLUGIN_PATH when it is loaded, so add to its value.
vsim_filters <- function() {
  given <- Sys.getenv("HDF5_PLUGIN_PATH")
  program <- Sys.which("vsim-run")
  bin <- if (nzchar(program)) dirname(normalizePath(program))
  own <- c(file.path(bin, "../lib/vsim/plugin"), file.path(bin, "plugin"))
  requireNamespace("rhdf5filters", quietly = TRUE)
  place <- c(given, own[dir.exists(own)], Sys.getenv("HDF5_PLUGIN_PATH"))
  place <- unique(place[nzchar(place)])
  if (length(place)) Sys.setenv(HDF5_PLUGIN_PATH = paste(place, collapse = ":"))
}
vsim_filters()
suppressPackageStartupMessages(library(rhdf5))

# Stop unless the file has this format.
vsim_check <- function(path, format, what) {
  if (!file.exists(path)) stop(path, ": No such file or directory", call. = FALSE)
  if (dir.exists(path))
    stop(path, ": is a directory; vsim-merge -o NAME.res.h5 ", path,
         " makes a result of a run", call. = FALSE)
  if (!H5Fis_hdf5(path)) stop(path, ": is not an HDF5 file", call. = FALSE)
  root <- h5readAttributes(path, "/")
  if (!identical(as.character(root$format), format))
    stop(path, ": is not a ", what, call. = FALSE)
  if (root$format_version[1] != 1)
    stop(path, ": has a newer format; update this reader", call. = FALSE)
  if ("zstd" %in% strsplit(as.character(root$required_features), " ")[[1]] &&
      !H5Zfilter_avail(32015))
    stop(path, ": is compressed with zstd, and rhdf5 has no filter for it: put vsim-run on ",
         "PATH before R starts, or write the file with --codec deflate", call. = FALSE)
}

vsim_strings <- function(path, group) {
  offset <- as.numeric(h5read(path, paste0(group, "/offset"), bit64conversion = "double"))
  bytes <- as.raw(h5read(path, paste0(group, "/bytes")))
  n <- length(offset) - 1
  vapply(seq_len(n), function(k)
    rawToChar(bytes[seq_len(offset[k + 1] - offset[k]) + offset[k]]), "")
}

# id, chrom, pos, allele0, allele1 of /vectors or /nodes.
vsim_sites <- function(path, group) {
  inside <- h5ls(path)
  has <- function(name) name %in% inside$name[inside$group == group]
  at <- function(name) paste0(group, "/", name)
  d <- data.frame(id = as.character(h5read(path, at("id"))), stringsAsFactors = FALSE)
  if (has("contig")) {
    contig <- as.vector(h5read(path, at("contig")))
    contig[contig < 0] <- NA
    d$chrom <- if (all(is.na(contig))) NA_character_ else
      as.character(h5read(path, "/contigs/name"))[contig + 1]
    d$pos <- as.numeric(h5read(path, at("pos"), bit64conversion = "double"))
  }
  for (name in c("allele0", "allele1"))
    if (has(name)) d[[name]] <- vsim_strings(path, at(name))
  d
}

# One row per variant.
vsim_variants <- function(path) {
  vsim_check(path, "vsim-vectors", "vectors file")
  vsim_sites(path, "/vectors")
}

# Rows first to last, from 1: numbers, or copies of allele 1.
vsim_vectors <- function(path, first = 1, last = NULL) {
  vsim_check(path, "vsim-vectors", "vectors file")
  ids <- as.character(h5read(path, "/vectors/id"))
  fields <- as.character(h5read(path, "/samples/id"))
  if (is.null(last)) last <- length(ids)
  rows <- first:last
  inside <- h5ls(path)
  if ("values" %in% inside$name[inside$group == "/vectors"]) {
    # a u32 does not fit in an integer of R
    x <- t(h5read(path, "/vectors/values", index = list(NULL, rows),
                  bit64conversion = "double"))
  } else {
    bytes <- h5read(path, "/vectors/planes", index = list(NULL, NULL, rows))
    bits <- array(as.integer(rawToBits(as.raw(bytes))),
                  c(8 * dim(bytes)[1], 2, length(rows)))
    low <- bits[seq_along(fields), 1, , drop = FALSE]
    high <- bits[seq_along(fields), 2, , drop = FALSE]
    sum <- low + high
    sum[low > high] <- NA
    x <- t(matrix(sum, length(fields)))
  }
  dimnames(x) <- list(ids[rows], fields)
  x
}

# One row per record; if the file has no names, id1 and id2 are row numbers from 1.
vsim_result <- function(path) {
  vsim_check(path, "vsim-merged", "merged result")
  columns <- h5read(path, "/records", bit64conversion = "double")
  way <- as.integer(h5readAttributes(path, "/run")$n_way)
  e <- data.frame(row.names = seq_along(columns$value))
  named <- "nodes" %in% h5ls(path, recursive = FALSE)$name
  if (named) {
    sites <- vsim_sites(path, "/nodes")
    vector <- h5read(path, "/nodes/vector", bit64conversion = "double")
  }
  # cells come as raw bytes
  cell <- if (!is.null(columns$cell)) as.integer(as.vector(columns$cell))
  for (n in seq_len(way)) {
    v <- as.vector(columns[[c("i", "j", "k")[n]]])
    if (!named) {
      e[[paste0("id", n)]] <- v + 1
      next
    }
    node <- match(v, vector)
    for (name in intersect(c("id", "chrom", "pos"), names(sites)))
      e[[paste0(name, n)]] <- sites[[name]][node]
    if (!is.null(cell) && !is.null(sites$allele1))
      e[[paste0("allele", n)]] <-
        ifelse(bitwAnd(cell, bitwShiftL(1L, way - n)) > 0,
               sites$allele1[node], sites$allele0[node])
  }
  e$cell <- cell
  for (name in intersect(c("value", "num", "nvalid"), names(columns)))
    e[[sub("nvalid", "n", name)]] <- as.numeric(as.vector(columns[[name]]))
  e
}
