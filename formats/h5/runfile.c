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
		if (o->kind == VS_OPT_DECIMAL
				? ((struct vs_decimal *)o->field)->text == text
				: (o->kind == VS_OPT_TEXT ||
					  o->kind == VS_OPT_CHOICE ||
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

/* A runfile that is read: one mapping of names to texts, or to lists of two. */
struct reading {
	const char *path;
	FILE *f;
	yaml_parser_t parser;
	yaml_event_t event; /* the last event */
	struct vs_opt *table;
	char **input;
	struct vs_text names; /* keys seen so far, each with a NUL */
};

static int
fail_parser(const struct reading *r)
{
	const yaml_parser_t *parser = &r->parser;

	if (ferror(r->f))
		return vs_fail_input(r->path, "read");
	/* some libyaml functions fail without a message then */
	if (parser->error == YAML_MEMORY_ERROR || !parser->problem)
		return vs_fail(VS_EMACHINE, "%s: no memory for reading it",
			r->path);
	return vs_fail(VS_EINPUT, "%s: line %zu: is not YAML: %s", r->path,
		parser->problem_mark.line + 1, parser->problem);
}

/*
 * Move to the next event. Events are examined one by one, so that excessive
 * nesting is refused where it begins: a document of nested lists would take
 * time quadratic in its length.
 */
static int
next(struct reading *r)
{
	yaml_event_delete(&r->event);
	memset(&r->event, 0, sizeof(r->event));
	return yaml_parser_parse(&r->parser, &r->event) ? 0 : fail_parser(r);
}

/*
 * Append the text of a scalar, decoded if it is binary, and a NUL; *good: it is
 * a scalar without a NUL that would end it early.
 */
static int
add_text(const yaml_event_t *e, struct vs_text *to, bool *good)
{
	char *text = e->type == YAML_SCALAR_EVENT ? (char *)e->data.scalar.value
						  : NULL;
	const char *tag = text ? (char *)e->data.scalar.tag : NULL;

	*good = text && strlen(text) == e->data.scalar.length &&
		(!tag || strcmp(tag, VS_YAML_SCALAR_BINARY) != 0 ||
			vs_yaml_scalar_decode(text) == (long)strlen(text));
	return *good ? vs_text_put(to, text, strlen(text) + 1) : 0;
}

/* Get the texts of a value: one, or a list of two. */
static int
read_value(struct reading *r, struct vs_text *value, bool *good)
{
	int code = next(r), most = 1, n = 0;
	bool list = r->event.type == YAML_SEQUENCE_START_EVENT;

	if (!code && list) {
		most = 2;
		code = next(r);
	}
	for (*good = true; !code && *good && n < most; n++) {
		code = add_text(&r->event, value, good);
		if (!code && *good && list)
			code = next(r);
	}
	if (list && r->event.type != YAML_SEQUENCE_END_EVENT)
		*good = false;
	return code;
}

static bool
is_seen(const struct vs_text *names, const char *name)
{
	for (size_t at = 0; at < names->len;
		at += strlen(names->bytes + at) + 1)
		if (!strcmp(names->bytes + at, name))
			return true;
	return false;
}

/* Set an option; the event is its name. */
static int
read_option(struct reading *r)
{
	struct vs_text name = { 0 }, value = { 0 };
	char where[4200];
	const char *second;
	bool good;
	int code;

	snprintf(where, sizeof(where), "%.4096s: line %zu", r->path,
		r->event.start_mark.line + 1);
	code = add_text(&r->event, &name, &good);
	if (!code && good)
		code = read_value(r, &value, &good);
	if (!code && !good)
		code = vs_fail(VS_EINPUT, "%s: an option has one plain value",
			where);
	if (!code && is_seen(&r->names, name.bytes))
		code = vs_fail(VS_EINPUT, "%s: %s occurs twice", where,
			name.bytes);
	if (code)
		goto out;
	second = value.bytes + strlen(value.bytes) + 1;
	code = keep(r->table, name.bytes, value.bytes,
		second < value.bytes + value.len ? second : NULL, where,
		r->input);
	if (!code)
		code = vs_text_put(&r->names, name.bytes, name.len);
out:
	vs_text_free(&name);
	vs_text_free(&value);
	return code;
}

static int
read_all(struct reading *r)
{
	int code = next(r); /* the stream begins */

	if (!code)
		code = next(r);
	if (!code && r->event.type == YAML_DOCUMENT_START_EVENT)
		code = next(r);
	if (!code && r->event.type != YAML_MAPPING_START_EVENT)
		return vs_fail(VS_EINPUT,
			"%s: line 1: is not a mapping of options to values",
			r->path);
	if (!code)
		code = next(r);
	while (!code && r->event.type != YAML_MAPPING_END_EVENT) {
		code = read_option(r);
		if (!code)
			code = next(r);
	}
	if (!code)
		code = next(r); /* the document ends */
	if (!code)
		code = next(r);
	if (!code && r->event.type != YAML_STREAM_END_EVENT)
		code = vs_fail(VS_EINPUT,
			"%s: line %zu: a second document begins; one file has "
			"one: remove the others",
			r->path, r->event.start_mark.line + 1);
	return code;
}

int
vs_runfile_read(const char *path, struct vs_opt *table, char **input)
{
	struct reading r = { .path = path,
		.f = fopen(path, "r"),
		.table = table,
		.input = input };
	int code;

	if (!r.f)
		return vs_fail_input(path, "open");
	if (!yaml_parser_initialize(&r.parser)) {
		fclose(r.f);
		return vs_fail_memory("YAML", sizeof(r.parser));
	}
	yaml_parser_set_input_file(&r.parser, r.f);
	code = read_all(&r);
	yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	vs_text_free(&r.names);
	fclose(r.f);
	return code;
}

int
vs_runfile_write(const char *path, const char *comment,
	const struct vs_opt *table, const char *input)
{
	struct vs_text text = { 0 };
	int code;

	vs_text_add(&text, "# %s\ninput: ", comment);
	vs_yaml_scalar_put(&text, input);
	vs_text_put(&text, "\n", 1);
	code = vs_opt_echo(table, &text);
	if (!code)
		code = vs_file_write(path, text.bytes, text.len);
	vs_text_free(&text);
	return code;
}
