/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>
#include <string.h>

#include "tools/shared/definition.h"

static const struct {
	const char *name;
	size_t at;
} moments[] = {
	{ "r2", offsetof(struct vs_plain_moments, r2) },
	{ "r", offsetof(struct vs_plain_moments, r) },
	{ "cosine", offsetof(struct vs_plain_moments, cosine) },
};

bool
vs_definition_moment(const char *metric, const struct vs_plain_moments *m,
	double *value)
{
	for (size_t k = 0; k < sizeof(moments) / sizeof(moments[0]); k++)
		if (!strcmp(moments[k].name, metric)) {
			memcpy(value, (const char *)m + moments[k].at,
				sizeof(*value));
			return true;
		}
	return false;
}

/* A metric of one value a pair has it where the first cell would be. */
#define MOMENT(name)                                                \
	static void plain_##name(const struct vs_plain_recipe *how, \
		const uint8_t *i, const uint8_t *j, size_t n_field, \
		struct vs_plain_pair *out)                          \
	{                                                           \
		struct vs_plain_moments m;                          \
                                                                    \
		(void)how;                                          \
		vs_plain_moments(i, j, n_field, &m);                \
		*out = (struct vs_plain_pair){ m.nvalid, { m.num }, \
			{ m.name } };                               \
	}
MOMENT(r2)
MOMENT(r)
MOMENT(cosine)

/* Numbers lie in the bytes of a vector as they do in the file. */
#define PS(type, element)                                               \
	static void plain_##type(const struct vs_plain_recipe *how,     \
		const uint8_t *i, const uint8_t *j, size_t n_field,     \
		struct vs_plain_pair *out)                              \
	{                                                               \
		(void)how;                                              \
		vs_plain_ps(element, i, j, n_field, &out->num[0],       \
			&out->value[0]);                                \
		out->nvalid = (int64_t)n_field;                         \
	}                                                               \
	static void plain_##type##_3(const struct vs_plain_recipe *how, \
		const uint8_t *const v[3], size_t n_field,              \
		struct vs_plain_triple *out)                            \
	{                                                               \
		const void *const x[3] = { v[0], v[1], v[2] };          \
                                                                        \
		(void)how;                                              \
		vs_plain_ps3(element, x, n_field, &out->num[0],         \
			&out->value[0]);                                \
		out->nvalid = (int64_t)n_field;                         \
	}
PS(u8, VS_NUM_U8)
PS(u16, VS_NUM_U16)
PS(u32, VS_NUM_U32)
PS(f32, VS_NUM_F32)
PS(f64, VS_NUM_F64)

static const struct vs_definition definitions[] = {
	{ "ccc", VS_BIT2, vs_plain_alleles, vs_plain_alleles3 },
	{ "duo", VS_BIT2, vs_plain_alleles, vs_plain_alleles3 },
	{ "r2", VS_BIT2, plain_r2, NULL },
	{ "r", VS_BIT2, plain_r, NULL },
	{ "cosine", VS_BIT2, plain_cosine, NULL },
	{ "ps", VS_NUM_U8, plain_u8, plain_u8_3 },
	{ "ps", VS_NUM_U16, plain_u16, plain_u16_3 },
	{ "ps", VS_NUM_U32, plain_u32, plain_u32_3 },
	{ "ps", VS_NUM_F32, plain_f32, plain_f32_3 },
	{ "ps", VS_NUM_F64, plain_f64, plain_f64_3 },
};

const struct vs_definition *
vs_definition_find(const char *metric, enum vs_element element)
{
	size_t n = sizeof(definitions) / sizeof(definitions[0]);

	for (size_t k = 0; k < n; k++) {
		const struct vs_definition *d = &definitions[k];

		if (!strcmp(metric, d->name) && element == d->element)
			return d;
	}
	return NULL;
}
