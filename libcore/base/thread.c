/* SPDX-License-Identifier: BSD-3-Clause */
/* Start of a background thread. */
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/thread.h"

int
vs_thread_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx)
{
	int error = pthread_create(thread, NULL, run, ctx);

	return error ? vs_fail(VS_EMACHINE, "cannot start a thread: %s",
			       strerror(error))
		     : 0;
}
