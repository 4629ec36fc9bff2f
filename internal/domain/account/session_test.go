package account

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Proves: V7.2.3
func TestV7_2_3_TokensHave256BitsOfChance(t *testing.T) {
	t.Parallel()
	const made = 10_000
	seen, ones := map[string]bool{}, [tokenBytes * 8]int{}
	for range made {
		token := NewToken()
		require.Len(t, token, 43)
		require.True(t, IsToken(token))
		seen[token] = true
		secret, err := base64.RawURLEncoding.DecodeString(token)
		require.NoError(t, err)
		for bit := range ones {
			ones[bit] += int(secret[bit/8]>>(bit%8)) & 1
		}
	}
	require.Len(t, seen, made, "none comes twice")
	for bit, n := range ones { // of a fair coin, one in 10^88 is outside
		require.InDelta(t, made/2, n, made/10, "bit %d is %d times set", bit, n)
	}
}

// Proves: V7.2.3
func TestV7_2_3_WhatIsNotOfThatFormIsNoToken(t *testing.T) {
	t.Parallel()
	good := NewToken()
	for name, token := range map[string]string{
		"nothing":                      "",
		"a sign less":                  good[:42],
		"a sign more":                  good + "A",
		"padded":                       good + "=",
		"the alphabet of plain base64": "+/" + good[2:],
		"a last sign with stray bits":  good[:42] + "_",
		"a blank at the end":           good[:42] + " ",
		"a line break inside":          good[:20] + "\n" + good[21:],
		"a NUL":                        good[:42] + "\x00",
		"its stored form":              Hash(good),
		"a megabyte":                   strings.Repeat("A", 1<<20),
	} {
		require.False(t, IsToken(token), name)
	}
}

// Proves: V7.2.3
func TestV7_2_3_CodesAreSixDigitsThatNobodyForesees(t *testing.T) {
	t.Parallel()
	const made = 20_000
	seen, first := map[string]bool{}, map[byte]int{}
	for range made {
		code := RandomCode()
		require.Regexp(t, `^[0-9]{6}$`, code)
		seen[code] = true
		first[code[0]]++
	}
	require.Greater(t, len(seen), made*95/100, "of a million few come twice")
	for digit := byte('0'); digit <= '9'; digit++ {
		require.InDelta(t, made/10, first[digit], made/50, "a leading %c", digit)
	}
}

// Proves: V7.2.3
func TestV7_2_3_OnlyADigestIsStored(t *testing.T) {
	t.Parallel()
	token := NewToken()
	require.Len(t, Hash(token), 64)
	require.NotContains(t, Hash(token), token)
	require.NotEqual(t, Hash(token), Hash(NewToken()))
}

func TestALoginIsFreshForTenMinutes(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	session := Session{CreatedAt: begun}
	require.True(t, session.Fresh(begun.Add(FreshFor-time.Microsecond)))
	require.False(t, session.Fresh(begun.Add(FreshFor)))
}
