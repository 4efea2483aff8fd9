/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices beside the CPU: X(name), with check_name() and open_name() in
 * devices.c. */
X(cuda)
X(sim)
