package stripe

import (
	"net/url"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// Whatever a form says, what is taken out of it keeps to the bounds that were asked for, or the
// form is refused.
func FuzzFields(f *testing.F) {
	for _, form := range []string{
		"", "mode=payment&line_items[0][quantity]=1&metadata[checkout]=chk_1", "list[0]=a&list[1]=b&list[3]=c", "line_items[]=&line_items[0",
		"metadata[]=x", "metadata[a=x", "metadata[a][b]=c", "n=99999999999999999999", "n=-1&n=2", "url=javascript:alert(1)", "url=http://", "%zz=1", "a;b", "[[[]]]=1",
	} {
		f.Add(form)
	}
	f.Fuzz(func(t *testing.T, form string) {
		values, err := url.ParseQuery(form)
		if err != nil {
			return
		}
		fields := &fields{values: values}
		fields.unknown([]string{"mode", "n", "url", "metadata", "line_items[][quantity]", "list[]"})
		text, number := fields.required("mode", 10), fields.integer("n", 1, 100)
		address, labels := fields.webURL("url"), fields.metadata()
		require.LessOrEqual(t, len(fields.list("list"))+fields.count("line_items"), 2*len(values))
		if fields.refused != nil {
			require.NotEmpty(t, fields.refused.Error())
			return
		}
		require.LessOrEqual(t, utf8.RuneCountInString(text), 10)
		require.True(t, number >= 1 && number <= 100 || !fields.has("n"))
		require.True(t, address == "" || isWeb(address))
		require.LessOrEqual(t, len(labels), maxLabels)
		for name, value := range labels {
			require.LessOrEqual(t, utf8.RuneCountInString(name), maxLabelName)
			require.LessOrEqual(t, utf8.RuneCountInString(value), maxLabelValue)
		}
	})
}
