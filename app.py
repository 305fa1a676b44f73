"""The page's frame: its title, the sidebar that all screens share, and the screens. `make run` starts it."""

from __future__ import annotations

import streamlit as st

from chunkviz.ui import frame

st.set_page_config(page_title="chunkviz", page_icon="🔪", layout="wide", initial_sidebar_state="expanded")
page = frame.navigation()
frame.opening(page.url_path)
frame.sidebar()
page.run()
