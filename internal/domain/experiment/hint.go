package experiment

import "regexp"

var hint = regexp.MustCompile(`(?is)\bif\b.+\bthen\b.+\bbecause\b`)

// FollowsHint says whether a hypothesis reads like If we build X, then Y will happen because Z.
// One that does not is welcome, too.
func FollowsHint(hypothesis string) bool { return hint.MatchString(hypothesis) }
