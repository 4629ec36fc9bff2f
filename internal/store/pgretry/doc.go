// Package pgretry connects to a Postgres server that is restarted now and then: for a new minor
// version, a new setting, or because a standby took over. Whoever asks meanwhile waits a little
// instead of getting an error, where that cannot do a thing twice.
//
//   - A connection that cannot be made is tried again for a while, if one was made before: a
//     wrong address is told at once.
//   - A connection that turns out to be dead is exchanged, if the server said that it did not do
//     what it was asked to, or if it was only asked to read.
//   - What was prepared for a schema that has changed since is prepared anew.
//
// A transaction that dies before its COMMIT was sent can be begun anew by whoever knows what was
// in it: see Lost.
package pgretry
