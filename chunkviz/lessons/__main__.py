"""`python -m chunkviz.lessons`: the claims of the demo, worked out on the sample that it tells its story with."""

from __future__ import annotations

import sys

from chunkviz import isolation, samples
from chunkviz.engine import chunk
from chunkviz.lessons.measured import asked_of_sample, measure
from chunkviz.lessons.story import STEPS, Scene
from chunkviz.report import report

SAMPLE = "api_manual"


def main() -> None:
    document = isolation.load(samples.read(SAMPLE), samples.sample(SAMPLE).file)
    asked = asked_of_sample(SAMPLE, document)
    for number, step in enumerate(STEPS, 1):
        evaluation, measured = measure(asked, step.measures)
        cuts = [(s, made, report(made)) for s in step.columns for made in [chunk(document, s.strategy, **s.values)]]
        sys.stdout.write(f"\n{number}. {step.title}\n")
        for claim in step.claims(Scene(asked, cuts, measured, evaluation)):
            sys.stdout.write(f"   {claim}\n")


if __name__ == "__main__":
    main()
