/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * List of device engines, best first: X(name, least, upto). Each has a file of
 * its name without the digits. least is the compute capability it needs, ten
 * times the major number plus the minor one; up to upto it is chosen by
 * default, beyond only by name. wgmma, of 9.0 alone, is chosen only by name, as
 * no measurement shows a gain yet.
 */
X(wgmma, 90, 0)
X(mma3, 80, 90)
X(mma, 80, 90)
X(int8, 75, 999)
X(popc, 75, 999)
