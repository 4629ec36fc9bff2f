// Package smtp writes the product's letters and hands them to a mail server over SMTP. What
// a letter says is in templates/; who gets one, and whether it is tried again, is for those
// who call.
//
// Nothing here tries twice, keeps a letter, or logs. Every error of Send is a *letter.Failure, and
// none of them holds an address, a password, or a word of the letter.
package smtp
