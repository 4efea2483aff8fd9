/* SPDX-License-Identifier: BSD-3-Clause */
/* What can compute tiles, best first. */
X(cpu)
