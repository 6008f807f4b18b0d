"""Join the tables of an experiment's cells into one table."""

from pathlib import Path

from study.workflow.job import job, write_text


def joined(texts):
    """The rows of CSV texts with the same columns, under their header."""
    headers, rows = zip(*(text.split("\n", 1) for text in texts), strict=True)
    if len(set(headers)) > 1:
        raise ValueError(f"the tables differ in their columns: {' and '.join(sorted(set(headers)))}")
    return f"{headers[0]}\n{''.join(rows)}"


if __name__ == "__main__":
    with job(snakemake):
        write_text(joined(Path(path).read_text(encoding="utf-8") for path in snakemake.input), snakemake.output[0])
