// Package probe looks at the cell from outside, and gives its keeper orders. What it cannot
// see it calls failing; what only the keeper could know it does not guess.
package probe
