// Package treasury holds the rules of our money: what X charges, what came in and went out,
// and how long what is left will last. Values in, values out: no clock, no I/O. Money that
// moved is in whole cents; what X and the models cost is estimated, in millionths of a
// dollar.
package treasury
