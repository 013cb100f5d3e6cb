"""Does a test fail when the code is wrong? Mistakes in the source, and which of them the tests notice."""
