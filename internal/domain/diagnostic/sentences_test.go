package diagnostic

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryCodeHasItsSentences(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("answer.go")
	require.NoError(t, err)
	codes := regexp.MustCompile(`\bCode\w* += "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	require.Len(t, sentences, len(codes))
	for _, code := range codes {
		said, ok := sentences[code[1]]
		require.True(t, ok, code[1])
		if code[1] == CodeOK {
			require.Empty(t, said)
			continue
		}
		for _, sentence := range []string{said.problem, said.remedy} {
			require.Regexp(t, `^[A-Z{].*\.$`, sentence, code[1])
		}
	}
}

func TestEverySentenceIsFilledIn(t *testing.T) {
	t.Parallel()
	const key = "kkkkkkkkkkkkkkkkkkkkkkkkk"
	hole := regexp.MustCompile(`[{}]`)
	filled := map[string]Finding{
		CodeKeyLength:    CheckEnvironment(Environment{ConsumerKey: "k"}),
		CodeKeyIsBearer:  CheckEnvironment(Environment{ConsumerKey: key + key + key + key}),
		CodeKeyBlank:     CheckEnvironment(Environment{ConsumerKey: "k k"}),
		CodeSecretLength: CheckEnvironment(Environment{ConsumerKey: key, ConsumerSecret: "s"}),
		CodeClockSkew:    CheckAccount(Answer{Status: 401, Code: 135}),
		CodeRefused:      CheckAccount(Answer{Status: 404}),
	}
	for code, said := range sentences {
		_, tried := filled[code]
		require.Equal(t, hole.MatchString(said.problem+said.remedy), tried, code)
	}
	for code, found := range filled {
		require.Equal(t, code, found.Code)
		require.NotRegexp(t, hole, found.Problem+found.Remedy)
	}
}
