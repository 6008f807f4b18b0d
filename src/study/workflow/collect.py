"""Join the tables of an experiment's cells into one table."""

from pathlib import Path

from study.workflow.job import job, moved_into_place


def joined(texts):
    """The rows of CSV texts with the same columns, under their header."""
    headers, rows = zip(*(text.split("\n", 1) for text in texts), strict=True)
    if len(set(headers)) > 1:
        raise ValueError(f"the tables differ in their columns: {' and '.join(sorted(set(headers)))}")
    return f"{headers[0]}\n{''.join(rows)}"


if __name__ == "__main__":
    with job(snakemake), moved_into_place(snakemake.output[0]) as temporary:
        table = joined(Path(path).read_text(encoding="utf-8") for path in snakemake.input)
        temporary.write_text(table, encoding="utf-8")
