package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
)

func TestAttributes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text  string
		want  attributes
		fails string
	}{
		"lists names and types": {text: "Flow=Keyword,Amount=Int", want: attributes{
			"Flow": enums.INDEXED_VALUE_TYPE_KEYWORD, "Amount": enums.INDEXED_VALUE_TYPE_INT,
		}},
		"empty text is no attribute":    {text: "", want: attributes{}},
		"a type is needed":              {text: "Flow", fails: `"Flow" is not Name=Type`},
		"a name is needed":              {text: "=Keyword", fails: `"=Keyword" is not Name=Type`},
		"an unknown type is refused":    {text: "Flow=String", fails: `"Flow=String" is not Name=Type`},
		"no type is not a type":         {text: "Flow=Unspecified", fails: "is not Name=Type"},
		"a name is listed once at most": {text: "Flow=Keyword,Flow=Int", fails: "Flow is listed twice"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := attributes{}
			err := got.Set(tt.text)
			if tt.fails != "" {
				require.ErrorContains(t, err, tt.fails)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			require.Equal(t, len(tt.want) > 0, got.String() != "")
		})
	}
}
