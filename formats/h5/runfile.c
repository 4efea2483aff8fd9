/* SPDX-License-Identifier: BSD-3-Clause */
/* YAML reader of runfiles, by libyaml. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "formats/h5/runfile.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/yaml_scalar.h"

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

/*
 * Set an option to a text or, where second is not null, to both. Texts that
 * options point to live as long as the program.
 */
static int
keep(struct vs_opt *table, const char *name, const char *value,
	const char *second, const char *where, char **input)
{
	struct vs_text both = { 0 };
	bool is_input = !strcmp(name, "input");
	int code;

	if (is_input && second)
		return vs_fail(VS_EINPUT, "%s: input is one file", where);
	if (is_input && *input)
		return 0;
	code = vs_text_put(&both, value, strlen(value) + 1);
	if (!code && second)
		code = vs_text_put(&both, second, strlen(second));
	if (!code && is_input) {
		*input = both.bytes;
		return 0;
	}
	if (!code)
		code = second
			? vs_opt_set_two(table, name, both.bytes,
				  both.bytes + strlen(both.bytes) + 1, where)
			: vs_opt_set(table, name, both.bytes, where);
	if (!both.bytes || !is_used(table, both.bytes))
		vs_text_free(&both);
	return code;
}

/*
 * The text of a node, decoded if it is binary; null: is no scalar, or has a
 * NUL, which would end it early.
 */
static const char *
text_of(yaml_document_t *doc, int index)
{
	yaml_node_t *n = yaml_document_get_node(doc, index);
	char *text;
	size_t len;

	if (!n || n->type != YAML_SCALAR_NODE)
		return NULL;
	text = (char *)n->data.scalar.value;
	len = n->data.scalar.length;
	if (strlen(text) != len)
		return NULL;
	if (strcmp((const char *)n->tag, VS_YAML_SCALAR_BINARY) != 0)
		return text;
	/* once: an alias shares the node */
	n->tag[0] = 0;
	return vs_yaml_scalar_decode(text) == (long)strlen(text) ? text : NULL;
}

/* The texts of a value: one, or a list of two. */
static bool
texts_of(yaml_document_t *doc, int index, const char *text[2])
{
	yaml_node_t *n = yaml_document_get_node(doc, index);
	yaml_node_item_t *at;

	text[1] = NULL;
	if (n->type != YAML_SEQUENCE_NODE)
		return (text[0] = text_of(doc, index)) != NULL;
	at = n->data.sequence.items.start;
	if (n->data.sequence.items.top - at != 2)
		return false;
	text[0] = text_of(doc, at[0]);
	text[1] = text_of(doc, at[1]);
	return text[0] && text[1];
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
		const char *name = text_of(doc, p->key), *value[2];
		char where[4200];

		snprintf(where, sizeof(where), "%.4096s: line %zu", path,
			k->start_mark.line + 1);
		if (!name || !texts_of(doc, p->value, value))
			code = vs_fail(VS_EINPUT,
				"%s: an option has one plain value", where);
		else if (stands_before(doc, root, p, name))
			code = vs_fail(VS_EINPUT, "%s: %s stands twice", where,
				name);
		else
			code = keep(table, name, value[0], value[1], where,
				input);
	}
	return code;
}

static int
fail_parser(const yaml_parser_t *parser, FILE *f, const char *path)
{
	if (ferror(f))
		return vs_fail_input(path, "read");
	/* some of its functions fail without a word then */
	if (parser->error == YAML_MEMORY_ERROR || !parser->problem)
		return vs_fail(VS_EMACHINE, "%s: no memory for reading it",
			path);
	return vs_fail(VS_EINPUT, "%s: line %zu: is not YAML: %s", path,
		parser->problem_mark.line + 1, parser->problem);
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
		code = fail_parser(&parser, f, path);
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
		code = vs_yaml_scalar_put(&text, input);
	if (!code)
		code = vs_text_put(&text, "\n", 1);
	if (!code)
		code = vs_opt_echo(table, &text);
	if (!code)
		code = vs_file_write(path, text.bytes, text.len);
	vs_text_free(&text);
	return code;
}
