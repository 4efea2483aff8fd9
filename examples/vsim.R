# SPDX-License-Identifier: BSD-3-Clause
# Reader of vectors files and merged results, by rhdf5 alone.
#
#     source("vsim.R")
#     g <- vsim_vectors("x.vec.h5", 1, 10)   # matrix, rows are vectors; NA
#     e <- vsim_result("edges.res.h5")       # data frame of records, by names
#
# rhdf5 reads --codec deflate and none; of zstd it needs the plugin on
# HDF5_PLUGIN_PATH.
suppressPackageStartupMessages(library(rhdf5))

vsim_format <- function(path, format) {
  is <- h5readAttributes(path, "/")$format
  if (!identical(as.character(is), format))
    stop(path, ": is no ", format, " file")
}

# Vectors first to last, from 1: numbers, or copies of allele 1.
vsim_vectors <- function(path, first = 1, last = NULL) {
  vsim_format(path, "vsim-vectors")
  ids <- as.character(h5read(path, "/vectors/id"))
  fields <- as.character(h5read(path, "/samples/id"))
  if (is.null(last)) last <- length(ids)
  rows <- first:last
  inside <- h5ls(path)
  if ("values" %in% inside$name[inside$group == "/vectors"]) {
    # an integer of R has no room for a u32
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

# Records with the ids of their vectors, or with rows from 1 where a file has none.
vsim_result <- function(path) {
  vsim_format(path, "vsim-merged")
  columns <- h5read(path, "/records", bit64conversion = "double")
  run <- h5readAttributes(path, "/run")
  way <- as.integer(run$n_way)
  e <- data.frame(row.names = seq_along(columns$value))
  nodes <- if ("nodes" %in% h5ls(path, recursive = FALSE)$name)
    list(vector = h5read(path, "/nodes/vector", bit64conversion = "double"),
         id = as.character(h5read(path, "/nodes/id")))
  for (n in seq_len(way)) {
    v <- as.vector(columns[[c("i", "j", "k")[n]]])
    e[[paste0("id", n)]] <- if (is.null(nodes)) v + 1 else
      nodes$id[match(v, nodes$vector)]
  }
  for (name in intersect(c("cell", "value", "num", "nvalid"), names(columns)))
    e[[name]] <- as.numeric(as.vector(columns[[name]])) # cells come as raw bytes
  e
}
