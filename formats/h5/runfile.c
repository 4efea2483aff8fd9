/* SPDX-License-Identifier: BSD-3-Clause */
/* YAML reader of runfiles, by libyaml. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "formats/h5/runfile.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"

static bool
is_used(const struct vs_opt *table, const char *text)
{
	for (const struct vs_opt *o = table; o->name; o++)
		if ((o->kind == VS_OPT_TEXT || o->kind == VS_OPT_CHOICE ||
			    o->kind == VS_OPT_TWO) &&
			*(const char **)o->field == text)
			return true;
	return false;
}

/* Texts that options point to live as long as the program. */
static int
keep(struct vs_opt *table, const char *name, const char *value,
	const char *where, char **input)
{
	char *copy = NULL;
	int code;

	if (!strcmp(name, "input") && *input)
		return 0;
	code = vs_mem_copy_text(&copy, value);
	if (code)
		return code;
	if (!strcmp(name, "input")) {
		*input = copy;
		return 0;
	}
	code = vs_opt_set(table, name, copy, where);
	if (!is_used(table, copy))
		free(copy);
	return code;
}

/* A text without a NUL, which would end it early. */
static bool
is_plain(const yaml_node_t *n)
{
	return n->type == YAML_SCALAR_NODE &&
		strlen((const char *)n->data.scalar.value) ==
		n->data.scalar.length;
}

static bool
stands_before(yaml_document_t *doc, const yaml_node_t *map,
	const yaml_node_pair_t *pair, const char *name)
{
	const yaml_node_pair_t *p = map->data.mapping.pairs.start;

	while (p < pair &&
		strcmp((const char *)yaml_document_get_node(doc, p->key)
				->data.scalar.value,
			name) != 0)
		p++;
	return p < pair;
}

static int
set_all(yaml_document_t *doc, const char *path, struct vs_opt *table,
	char **input)
{
	yaml_node_t *root = yaml_document_get_root_node(doc);
	int code = 0;

	if (!root || root->type != YAML_MAPPING_NODE)
		return vs_fail(VS_EINPUT,
			"%s: line 1: is not a mapping of options to values",
			path);
	for (yaml_node_pair_t *p = root->data.mapping.pairs.start;
		p < root->data.mapping.pairs.top && !code; p++) {
		yaml_node_t *k = yaml_document_get_node(doc, p->key);
		yaml_node_t *v = yaml_document_get_node(doc, p->value);
		char where[4200];
		const char *name;

		snprintf(where, sizeof(where), "%.4096s: line %zu", path,
			k->start_mark.line + 1);
		name = (const char *)k->data.scalar.value;
		if (!is_plain(k) || !is_plain(v))
			code = vs_fail(VS_EINPUT,
				"%s: an option has one plain value", where);
		else if (stands_before(doc, root, p, name))
			code = vs_fail(VS_EINPUT, "%s: %s stands twice", where,
				name);
		else
			code = keep(table, name,
				(const char *)v->data.scalar.value, where,
				input);
	}
	return code;
}

int
vs_runfile_read(const char *path, struct vs_opt *table, char **input)
{
	FILE *f = fopen(path, "r");
	yaml_parser_t parser;
	yaml_document_t doc;
	int code;

	if (!f)
		return vs_fail_input(path, "open");
	if (!yaml_parser_initialize(&parser)) {
		fclose(f);
		return vs_fail_memory("YAML", sizeof(parser));
	}
	yaml_parser_set_input_file(&parser, f);
	if (!yaml_parser_load(&parser, &doc)) {
		code = vs_fail(VS_EINPUT, "%s: line %zu: is not YAML: %s", path,
			parser.problem_mark.line + 1,
			parser.problem ? parser.problem : "cannot read");
	} else {
		code = set_all(&doc, path, table, input);
		yaml_document_delete(&doc);
	}
	yaml_parser_delete(&parser);
	fclose(f);
	return code;
}

int
vs_runfile_write(const char *path, const char *comment,
	const struct vs_opt *table, const char *input)
{
	struct vs_text text = { 0 };
	int code = vs_text_add(&text, "# %s\ninput: ", comment);

	if (!code)
		code = vs_opt_put_text(&text, input, NULL);
	if (!code)
		code = vs_opt_echo(table, &text);
	if (!code)
		code = vs_file_write(path, text.bytes, text.len);
	vs_text_free(&text);
	return code;
}
