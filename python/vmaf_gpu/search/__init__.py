# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Finds the setting of an encoder whose score reaches a target with the fewest bytes: docs/user/search.md."""
