"""Long work on a page: it shows how far it is, it can be stopped, and a stopped one waits to be asked again."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def slow_page() -> None:
    import streamlit as st

    from chunkviz.errors import Stopped
    from chunkviz.ui import progress

    st.session_state["runs"] = st.session_state.get("runs", 0)

    def job(stop: object) -> str:
        import time

        time.sleep(0.8)
        return "done"

    try:
        st.text(progress.waited(job, text="Reading", seconds=2, key="job"))
    except Stopped as stopped:
        st.text(str(stopped))


def failing_page() -> None:
    import streamlit as st

    from chunkviz.ui import progress

    def job(stop: object) -> str:
        raise TimeoutError("its own")

    try:
        progress.waited(job, text="Reading", seconds=2, key="job")
    except TimeoutError as error:
        st.text(f"raised {error}")


def test_the_result_comes_and_the_bar_goes() -> None:
    app = AppTest.from_function(slow_page).run(timeout=10)
    assert not app.exception
    assert [t.value for t in app.text] == ["done"]
    assert not app.button


def test_what_was_stopped_is_not_started_again_until_asked() -> None:
    app = AppTest.from_function(slow_page)
    app.session_state["stopped"] = {"job"}
    app.run(timeout=10)
    assert [t.value for t in app.text] == ["Reading was stopped."]
    app.button[0].click().run(timeout=10)
    assert [t.value for t in app.text] == ["done"]


def test_what_the_job_raises_is_raised() -> None:
    app = AppTest.from_function(failing_page).run(timeout=10)
    assert [t.value for t in app.text] == ["raised its own"]
