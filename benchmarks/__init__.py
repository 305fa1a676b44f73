"""How fast chunkviz cuts, beside other libraries on the same text in the same run: `python -m benchmarks`."""
