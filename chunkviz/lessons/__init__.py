"""What the Learn screen and the guided demo say: data and the figures behind it. Nothing here draws anything.

    failures   where each strategy fails, with a text that makes it fail
    examples   documents for strategies that need a format of their own, and results made by hand for those that need a model
    late       late chunking, which is no strategy and goes with each
    excerpt    the part of a reader's document on which all strategies are shown
    terms      the words of the field, and what a reader can try out with each
    subject    what the demo is about: a question, a marked passage, or what a cut goes through; `ways` are the cuts it compares
    story      the steps of the demo; `claims` says what each of them shows, `measured` has the figures, `telling` runs it all
    guide      from a kind of document to a strategy and starting numbers; `evidence` says what is known about them, and
               `figures` works out those of ours

`python -m chunkviz.lessons` prints every figure of the demo, `python -m chunkviz.lessons evidence` those of the guide.
"""
