"""What the Learn screen and the guided demo say: data and the figures behind it. Nothing here draws anything.

    failures   where each strategy fails, with a text that makes it fail
    examples   documents for strategies that need a format of their own, and results made by hand for those that need a model
    excerpt    the part of a reader's document on which all strategies are shown
    terms      the words of the field, and what a reader can try out with each
    story      the steps of the demo; `measured` has their figures
    guide      from a kind of document to a strategy and starting numbers; `evidence` says what is known about them

`python -m chunkviz.lessons` prints every figure of the demo.
"""
