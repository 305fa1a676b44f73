"""The demo: a question that nobody could answer, and what to do about it, in eight steps."""

from __future__ import annotations

from chunkviz.ui import demonstrating

demonstrating.page()
