/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Engines of a card, best first: X(name, least, upto). Each has a file of its
 * name, digits apart. least is the compute capability it needs, ten times the
 * major number and the minor one; up to upto it is taken by itself, beyond only
 * when asked for by name: wgmma, of 9.0 alone, always, until a card has shown
 * what it gains.
 */
X(wgmma, 90, 0)
X(mma3, 80, 90)
X(mma, 80, 90)
X(int8, 75, 999)
X(popc, 75, 999)
