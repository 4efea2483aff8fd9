/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of samples and sites by the options of vsim-pack. */
#ifndef VS_TOOLS_PACK_PACK_SELECTION_H
#define VS_TOOLS_PACK_PACK_SELECTION_H

#include "formats/in/site_choice.h"
#include "formats/vectors/sites.h"

/* A file's name for messages: "-" is standard input. */
const char *vs_pack_selection_name(const char *file);

/*
 * Rows of the samples that --keep, --remove and --keep-founders leave,
 * ascending; null where all stay. *row is the caller's to free().
 *
 * input    its name, for messages
 * returns  0; VS_EINPUT, also when none is left; VS_EMACHINE
 */
int vs_pack_selection_samples(const struct vs_samples *all, const char *input,
	struct vs_provenance *provenance, int64_t **row, size_t *n);

/*
 * Filter of --extract, --exclude, --chr, --from-kb and --to-kb; f is all zero
 * before and closed by vs_site_choice_free().
 *
 * any      out: false: no option selects sites
 * returns  0; VS_EINPUT; VS_EUSAGE; VS_EMACHINE
 */
int vs_pack_selection_sites(struct vs_site_choice *f, bool *any,
	struct vs_provenance *provenance);

/* Warn of words that found nothing; with -v say how names matched. */
void vs_pack_selection_warn(const struct vs_site_choice *f, const char *input);
void vs_pack_selection_say(const struct vs_site_choice *f);

/* True if some sites may be left out by these options. */
bool vs_pack_selection_has_sites(void);

#endif
