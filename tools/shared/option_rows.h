/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of option tables that several programs share. `to` is an option's
 * variable; members such as .group may follow it.
 */
#ifndef VS_TOOLS_SHARED_OPTION_ROWS_H
#define VS_TOOLS_SHARED_OPTION_ROWS_H

#include "libcore/base/opt.h"

/* own: the codec unless one is given */
#define VS_OPTS_CODEC(codec, level, own)                              \
	{ 0, "codec", "NAME", VS_OPT_CHOICE, codec,                   \
		.choices = "zstd|deflate|none",                       \
		.help = "zstd, deflate or none [" own "]" },          \
	{                                                             \
		0, "level", "N", VS_OPT_INT, level, 1, 19,            \
			.help = "level, 1-19 of zstd, 1-9 of deflate" \
				" [1]"                                \
	}

#define VS_OPTS_OUTPUT(force, codec, level, own)                        \
	{ 'f', "force", NULL, VS_OPT_FLAG, force,                       \
		.help = "replace an existing output", .common = true }, \
		VS_OPTS_CODEC(codec, level, own)

#define VS_OPT_NO_HOST(to)                                          \
	{                                                           \
		0, "no-host", NULL, VS_OPT_FLAG, to,                \
			.help = "omit this machine's name from the" \
				" files"                            \
	}

#define VS_OPT_THREADS(to, own, ...)                                 \
	{                                                            \
		'j', "threads", "N", VS_OPT_INT, to, 1, 4096,        \
			.help = "threads [" own "]", .common = true, \
			__VA_ARGS__                                  \
	}

#define VS_OPT_MEMORY(to, what, ...)                                          \
	{                                                                     \
		0, "memory", "SIZE", VS_OPT_SIZE, to, .help = "memory " what, \
						      __VA_ARGS__             \
	}

#define VS_OPT_VECTORS(to, of)                                            \
	{                                                                 \
		0, "vectors", "FILE", VS_OPT_TEXT, to,                    \
			.help = "vectors file of the " of ", if it moved" \
	}

#define VS_OPT_MIN_JOINT(to)                                                \
	{                                                                   \
		0, "min-joint", "N|SHARE", VS_OPT_TEXT, to,                 \
			.help = "N samples (or 50%) called in each variant" \
	}

/* Values of 0/0 in a table */
#define VS_OPT_UNDEFINED(to, own)                                            \
	{                                                                    \
		0, "undefined", "WHAT", VS_OPT_CHOICE, to,                   \
			.choices = "NA|0|omit",                              \
			.help = "show 0/0 as NA, as 0, or omit it [" own "]" \
	}

#define VS_OPT_SEED(to, most, of)                        \
	{                                                \
		0, "seed", "N", VS_OPT_INT, to, 0, most, \
			.help = "seed of " of " [1]"     \
	}

#define VS_OPT_BY(to)                                                         \
	{                                                                     \
		0, "by", "KEY", VS_OPT_CHOICE, to,                            \
			.choices = "id|row",                                  \
			.help = "content of the list: id or 0-based row [id]" \
	}

#define VS_OPT_PART(to, what)                                   \
	{                                                       \
		0, "part", "K/N", VS_OPT_TEXT, to, .help = what \
	}

#endif
