"""Parts of the report: sections, tables and figures as HTML."""
