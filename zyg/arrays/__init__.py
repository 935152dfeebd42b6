"""Functions of arrays by which rules and their back functions are written."""
