/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * List of device engines, best first: X(name, least, upto). Each has a file of
 * its name without the digits. least is the compute capability it needs, ten
 * times the major number plus the minor one; up to upto it is chosen by
 * default, above only by name. On an H200 (9.0) mma3 reaches 0.76 to 0.87 of
 * mma (tests/gpu/evidence); they have not been measured on 8.x.
 */
X(wgmma, 90, 90)
X(mma3, 80, 89)
X(mma, 80, 90)
X(int8, 75, 999)
X(popc, 75, 999)
