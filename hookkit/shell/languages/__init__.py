"""Code of other languages (Python, Node, Perl, awk, SQL, …): the commands it runs and the files it touches."""
