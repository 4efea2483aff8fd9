/* SPDX-License-Identifier: BSD-3-Clause */
/* Version, libraries, kernels and flags of this build. */
#ifndef VS_TOOLS_SHARED_VERSION_H
#define VS_TOOLS_SHARED_VERSION_H

/* "1.0.0 (git 1a2b3c4)" */
const char *vs_version(void);

/* Print program, commit, libraries, kernels built, compiler and flags to
 * stdout. */
void vs_version_print(const char *program);

#endif
