# SPDX-License-Identifier: BSD-3-Clause
"""Pictures and reports of vsim-plot(1), a module for each kind."""
