/* A whole file of C++. */
SNIPPET;
