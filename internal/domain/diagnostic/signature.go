package diagnostic

import "strconv"

// signatureLength is that of an HMAC-SHA1 in base64.
const signatureLength = 28

// Signature is what signing a call showed. The base string holds the key, so only its
// length and its hash are kept.
type Signature struct {
	BaseLength int
	BaseHash   string // SHA-256, in hexadecimal digits
	Length     int    // of the signature, in characters; 0: there is none
}

// CheckSignature says whether calls to X can be signed.
func CheckSignature(s Signature) Finding {
	if s.Length != signatureLength || s.BaseLength == 0 {
		return find(StepSignature, CodeSignatureFailed, nil)
	}
	return find(StepSignature, CodeOK, []Fact{
		{"base string", strconv.Itoa(s.BaseLength) + " characters"},
		{"SHA-256 of the base string", s.BaseHash},
		{"signature", strconv.Itoa(s.Length) + " characters"},
	})
}
