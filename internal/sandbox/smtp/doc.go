// Package smtp is a stand-in for a mail server: a loopback server that speaks SMTP, keeps
// the newest letters in memory and shows them, so that the product's real mail client can be
// run, watched and broken without an account. It refuses on request.
//
// No flow may know this package, and nothing here may open a connection: what is sent here
// reaches nobody. Letters hold login codes, so nothing of them may be logged.
package smtp
