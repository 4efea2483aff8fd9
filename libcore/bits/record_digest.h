/* SPDX-License-Identifier: BSD-3-Clause */
/* Sum of the digests of records, eight at a time. */
#ifndef VS_BITS_RECORD_DIGEST_H
#define VS_BITS_RECORD_DIGEST_H

#include "libcore/base/digest.h"
#include "libcore/base/record.h"
#include "libcore/bits/cpu.h"

/* Add n records to a sum, as vs_digest_sum_record() does one by one; by
 * vs_cpu_now(), or at a level that the CPU offers. */
void vs_record_digest_sum(struct vs_digest_sum *s, const struct vs_record *rec,
	size_t n);
void vs_record_digest_sum_by(enum vs_cpu cpu, struct vs_digest_sum *s,
	const struct vs_record *rec, size_t n);

#endif
