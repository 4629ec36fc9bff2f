// Package x is a stand-in for X: a loopback server that speaks X's own wire protocol, so
// that the product's real client can be run, watched and broken without an account. It
// checks OAuth 1.0a signatures, keeps a timeline in a file, answers with X's own words,
// and misbehaves on request, reproducibly.
//
// No flow may know this package, and nothing here may open a connection: what is posted
// here reaches nobody. It must refuse what X refuses; being kinder than X hides bugs.
package x
