"""The supervising worker: a folder that Python runs, of sibling modules that import nothing of ours."""
