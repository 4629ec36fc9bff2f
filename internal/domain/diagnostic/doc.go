// Package diagnostic holds the rules that say why logging in with X does not work, and what
// helps. Values in, values out: no clock, no I/O; internal/clients/x makes the calls.
//
// What is found may be shown to anybody: a finding never repeats a key, a token or a body.
package diagnostic
