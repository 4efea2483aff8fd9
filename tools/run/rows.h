/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of devices other than the CPU: X(name), with check_name(), has_name()
 * and open_name() in devices.c. */
X(cuda)
