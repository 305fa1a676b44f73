"""The page's frame: its title and the screens. `make run` starts it."""

from __future__ import annotations

import streamlit as st

st.set_page_config(page_title="chunkviz", page_icon="🔪", layout="wide", initial_sidebar_state="expanded")
st.navigation([st.Page("pages/compare.py", title="Compare", icon=":material/view_column:", default=True)]).run()
