// Package checkout holds the rules of buying a membership: what a checkout is, how it moves
// from the quote to its end, and what the payment service is asked. Values in, values out:
// no clock, no I/O.
package checkout
