// Package stub stands in for what Gin links and nobody here speaks: HTTP/3, BSON, YAML, TOML,
// and struct tags that validate. The five libraries would be a twelfth of the program and
// 3 MB of its memory, and code that no request can reach is only there to be patched.
//
// Only what Gin's compiler asks for may live here, so that a bump that needs more fails to
// build instead of failing at run time. Every function says no.
package stub
