/* SPDX-License-Identifier: BSD-3-Clause */
/* Plots, PLOT(file's name); the order is that of vsim-view --help. */
PLOT(ld)
PLOT(histogram)
PLOT(network)
PLOT(manhattan)
PLOT(progress)
