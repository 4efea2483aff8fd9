/* SPDX-License-Identifier: BSD-3-Clause */
/* The highest temperature that the system tells. */
#ifndef VS_TOOLS_VERIFY_TEMPERATURE_H
#define VS_TOOLS_VERIFY_TEMPERATURE_H

struct vs_temperature {
	double celsius;
	char where[64]; /* the sensor; "": none was read */
};

/* Raise *t to the hottest sensor of /sys/class/hwmon and /sys/class/thermal, if
 * there are any. */
void vs_temperature_read(struct vs_temperature *t);

#endif
