/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules on combinations of options. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/opt_rules.h"
#include "libcore/base/text.h"

#define MOST_TERM 64 /* bytes */

/* The options and facts that terms name. */
struct known {
	const struct vs_opt *table;
	const struct vs_opt_fact *facts;
};

struct term {
	char text[MOST_TERM];
	size_t value;                   /* where it begins; 0: none */
	const struct vs_opt *option;    /* or */
	const struct vs_opt_fact *fact; /* or neither, a fact not known yet */
};

/* Read the next term of a list and move on; false: there is none. */
static bool
next(const struct known *k, const char **list, struct term *t)
{
	size_t len;

	*list += strspn(*list, " ");
	len = strcspn(*list, " ");
	if (!len)
		return false;
	assert(len < sizeof(t->text));
	*t = (struct term){ 0 };
	memcpy(t->text, *list, len);
	*list += len;
	if (*t->text == '@') {
		for (const struct vs_opt_fact *f = k->facts; f && f->name; f++)
			if (!strcmp(f->name, t->text + 1))
				t->fact = f;
		assert(t->fact || !k->facts);
		return true;
	}
	len = strcspn(t->text, "=");
	if (t->text[len]) {
		t->text[len] = 0;
		t->value = len + 1;
	}
	for (const struct vs_opt *o = k->table; o->name; o++)
		if (!strcmp(o->name, t->text))
			t->option = o;
	assert(t->option);
	return true;
}

static bool
has_value(const struct vs_opt *o, const char *value)
{
	const char *text =
		o->kind == VS_OPT_INT ? NULL : *(const char **)o->field;

	if (o->kind == VS_OPT_INT)
		return *(int64_t *)o->field == strtoll(value, NULL, 10);
	return text && !strcmp(text, value);
}

static bool
holds(const struct term *t)
{
	if (t->fact || !t->option)
		return t->fact && t->fact->holds;
	return t->value ? has_value(t->option, t->text + t->value)
			: t->option->seen;
}

/* Whether all terms of a list hold. */
static bool
all_hold(const struct known *k, const char *list)
{
	struct term t;
	bool all = true;

	while (list && next(k, &list, &t))
		all &= holds(&t);
	return all;
}

static int
show(struct vs_text *to, const struct term *t)
{
	if (t->fact)
		return vs_text_add(to, "%s", t->fact->shown);
	return vs_text_add(to, "--%s%s%s", t->text, t->value ? " " : "",
		t->value ? t->text + t->value : "");
}

/* "--id, --region or --row" */
static int
show_list(struct vs_text *to, const struct known *k, const char *list)
{
	struct term t, after;
	bool more = next(k, &list, &t);

	for (const char *before = ""; more; t = after) {
		more = next(k, &list, &after);
		vs_text_add(to, "%s", *before && !more ? " or " : before);
		show(to, &t);
		before = ", ";
	}
	return to->code;
}

static int
refuse(const struct known *k, const struct vs_opt_rule *r,
	const struct term *left, const struct term *right)
{
	struct vs_text say = { 0 };
	int code;

	if (left)
		show(&say, left);
	if (right) {
		vs_text_add(&say, " cannot be combined with ");
		show(&say, right);
	} else {
		vs_text_add(&say, left ? " requires " : "");
		show_list(&say, k, r->right);
	}
	vs_text_add(&say, "%s%s%s", left ? "" : " is required",
		r->why ? ": " : "", r->why ? r->why : "");
	code = say.code ? say.code : vs_fail(VS_EUSAGE, "%s", say.bytes);
	vs_text_free(&say);
	return code;
}

/* The term of a list that holds; *unknown is set if one is a fact not known
 * yet. */
static bool
find(const struct known *k, const char *list, struct term *t, bool *unknown)
{
	while (next(k, &list, t)) {
		*unknown |= !t->option && !t->fact;
		if (holds(t))
			return true;
	}
	return false;
}

static int
check(const struct known *k, const struct vs_opt_rule *r)
{
	const char *list = r->left;
	bool unknown = false, other;
	struct term left, right;

	if (!all_hold(k, r->when))
		return 0;
	other = find(k, r->right, &right, &unknown);
	if (r->kind == VS_OPT_EXCLUDES ? !other : other || unknown)
		return 0;
	if (!*list)
		return refuse(k, r, NULL, NULL);
	if (!find(k, list, &left, &unknown))
		return 0;
	return refuse(k, r, &left, r->kind == VS_OPT_EXCLUDES ? &right : NULL);
}

int
vs_opt_rules_check(const struct vs_opt *table, const struct vs_opt_rule *rules,
	const struct vs_opt_fact *facts)
{
	const struct known k = { table, facts };
	int code = 0;

	/* first refuse exclusions, then ask for missing requirements */
	for (int kind = VS_OPT_EXCLUDES; kind <= VS_OPT_NEEDS; kind++)
		for (const struct vs_opt_rule *r = rules; r && r->left; r++)
			if (!code && (int)r->kind == kind)
				code = check(&k, r);
	return code;
}

void
vs_opt_rules_list(const struct vs_opt_rule *rules, FILE *to)
{
	for (const struct vs_opt_rule *r = rules; r && r->left; r++)
		fprintf(to, "%s\t%s\t%s\t%s\t%s\n", r->left,
			r->kind == VS_OPT_NEEDS ? "needs" : "excludes",
			r->right, r->when ? r->when : "", r->why ? r->why : "");
}
