// Package verification holds the rules of looking at our own site: what may be looked at, what
// is looked for, and what it comes to. Checks decide; a model's comment can lower a verdict and
// never raise it. It does no I/O.
package verification
