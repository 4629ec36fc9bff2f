// Package backup writes everything that cannot be made again into one file, and reads it
// again: the rows as of one moment, the pictures that they name, and beside an embedded
// Temporal server its file. It knows the file's form; whose data directory it is, and where
// the rows go, is for its caller.
//
// The file is a tar, compressed with gzip, so that it can be looked into without us:
//
//	customerzero-backup.json   the form's number, first
//	blobs/<sha256>             pictures
//	files/<name>               of the data directory: Temporal's, and the sandboxes'
//	tables/<name>.jsonl        rows, a JSON object a line, in the order of the primary key
//	manifest.json              what has to have been there, last
//
// Keys are never in it. Secrets lie in it as they lie in the database, sealed.
package backup
