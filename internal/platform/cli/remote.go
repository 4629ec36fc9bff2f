package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"customerzero/api/httpapi"
	"customerzero/api/posts"
	"customerzero/internal/platform/config"
)

// remote calls a running API with the admin key.
type remote struct {
	url, key string
	http     http.Client
}

func newRemote(cfg config.Config) (*remote, error) {
	key, err := findAdminKey(cfg)
	if err == nil && key == "" {
		err = errors.New("no admin key found; start customerzero up first, or set ADMIN_KEY")
	}
	return &remote{url: findAddresses(cfg).URL, key: key, http: http.Client{Timeout: 5 * time.Minute, CheckRedirect: stay}}, err
}

// call posts a body and decodes the response into reply. The error of a refused request has its message.
func (r *remote) call(ctx context.Context, path, contentType string, body []byte, reply any) error {
	return r.send(ctx, http.MethodPost, path, contentType, body, reply)
}

func (r *remote) send(ctx context.Context, method, path, contentType string, body []byte, reply any) error {
	req, err := http.NewRequestWithContext(ctx, method, r.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("X-Admin-Key", r.key)
	resp, err := r.http.Do(req)
	if err != nil {
		return fmt.Errorf("no response from customerzero at %s; start it with customerzero up, or set PUBLIC_URL", r.url)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return refusal(resp.StatusCode, text)
	}
	return json.Unmarshal(text, reply)
}

func refusal(status int, text []byte) error {
	var p httpapi.Problem
	if json.Unmarshal(text, &p) != nil || p.Message == "" {
		return fmt.Errorf("the server returned %d %s", status, http.StatusText(status))
	}
	for _, d := range p.Details {
		p.Message += fmt.Sprintf("\n  %s: %s", d.Field, d.Reason)
	}
	return fmt.Errorf("%s (%s)", p.Message, p.Code)
}

// stay follows no redirect: Go would send X-Admin-Key to the other host, too.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func importCommand() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use: "import FILE.csv", Short: "Schedule the posts of a CSV file", Args: oneArg("a CSV file"),
		Long: "Schedule the posts of a CSV file through a running API, with the admin key.\n\n" +
			"The first line names the columns: text is required; scheduled_at, timezone, member and made_with_ai are optional.\n" +
			"Lines that cannot be posted are listed and skipped; a file with an unknown column is refused as a whole.",
		Example:           "  customerzero import --dry-run examples/posts.csv\n  customerzero import --json examples/posts.csv",
		ValidArgsFunction: cobra.FixedCompletions([]string{"csv"}, cobra.ShellCompDirectiveFilterFileExt),
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, args []string) error {
			file, err := os.ReadFile(args[0])
			if err != nil {
				return fmt.Errorf("%s cannot be read (%w)", args[0], err)
			}
			server, err := newRemote(cfg)
			if err != nil {
				return err
			}
			var reply posts.ImportReply
			path := fmt.Sprintf("/api/posts/import?dryRun=%t", dryRun)
			if err := server.call(cmd.Context(), path, "text/csv", file, &reply); err != nil {
				return err
			}
			return printResult(cmd, reply, "%s", describeImport(reply))
		}),
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "check the file without scheduling anything")
	return printsJSON(cmd, "the response of POST /api/posts/import")
}

func describeImport(reply posts.ImportReply) string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 4, 2, ' ', 0)
	for _, line := range reply.Lines {
		if line.Outcome != "imported" {
			_, _ = fmt.Fprintf(table, "line %d\t%s\t%s\t%s\n", line.Line, line.Outcome, line.Reason, shorten(line.Content))
		}
	}
	verb := "imported"
	if reply.DryRun {
		verb = "would be imported"
	}
	_, _ = fmt.Fprintf(table, "%d %s, %d refused, %d duplicates\n", reply.Imported, verb, reply.Refused, reply.Duplicates)
	_ = table.Flush()
	return text.String()
}

func shorten(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > 40 {
		return string(runes[:39]) + "…"
	}
	return string(runes)
}

func postCommand() *cobra.Command {
	return printsJSON(&cobra.Command{
		Use: `post "TEXT"`, Short: "Publish a post now and print its outcome", Args: oneArg("the text in quotes"),
		Long:    "Publish a post now through a running API, with the admin key, and print its status, its URL and its workflow run.",
		Example: "  customerzero post \"Hello, world\"\n  customerzero post --json \"Hello, world\"",
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, args []string) error {
			server, err := newRemote(cfg)
			if err != nil {
				return err
			}
			body, err := json.Marshal(posts.NewTweet{Content: args[0]})
			if err != nil {
				return err
			}
			var reply posts.TweetReply
			if err := server.call(cmd.Context(), "/tweet", "application/json", body, &reply); err != nil {
				return err
			}
			return printResult(cmd, reply, "%s  %s\nrun  %s%s\n",
				reply.Post.Status, cmp.Or(reply.Error, reply.Post.TwitterURL), server.url, reply.Post.RunURL)
		}),
	}, "the response of POST /tweet")
}
