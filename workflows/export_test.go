package workflows

// AsProblem is what callers of Client are told of an error of Temporal's.
var AsProblem = asProblem
