// Package instance is the half of a cell that is broken in public: it serves the pages from the
// critical files and the product's own API from a database of its own, and runs a worker loop.
//
// Nothing is kept in memory that a fault could take away: files are opened for every request,
// and the database is opened anew in every round of the worker. What is broken on disk is
// broken at once, and what was mended is well at once.
package instance
