// Package supervisor keeps a cell: it is the process that holds the public listener, the golden copy,
// the snapshots of the database and the lease, and that breaks and mends what it is told to. It is
// never broken itself.
//
// It mends nothing by itself but a fault whose lease is over, also when whoever asked for the
// fault has died, and when the keeper itself died meanwhile. To see that the cell is sick, and to
// say what to mend, is the healer's work.
//
// The directory of a cell:
//
//	live/              the critical files, and nothing else that a fault can reach by a path
//	cell.db -wal -shm  the replica's database
//	snapshots/         the last good copies of it
//	lease.json         the fault that is there, until when; lease.ended.json the one before
//	manifest.key       signs the manifest
package supervisor
