package cli

import (
	"bytes"
	"context"
	"encoding/json"
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

// remote talks to a running api, as the founders.
type remote struct {
	url, key string
	http     http.Client
}

func newRemote(cfg config.Config) (*remote, error) {
	key, err := findAdminKey(cfg)
	if err != nil {
		return nil, err
	}
	if key == "" {
		return nil, fmt.Errorf("there is no founders' key; start customerzero up first, or set ADMIN_KEY")
	}
	return &remote{url: findAddresses(cfg).URL, key: key, http: http.Client{Timeout: 5 * time.Minute, CheckRedirect: stay}}, nil
}

// call sends a body and reads the answer into reply; a refusal becomes its sentence.
func (r *remote) call(ctx context.Context, path, contentType string, body []byte, reply any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("X-Admin-Key", r.key)
	resp, err := r.http.Do(req)
	if err != nil {
		return fmt.Errorf("no customerzero answers at %s; start it with customerzero up, or set PUBLIC_URL", r.url)
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
		return fmt.Errorf("the server answered %s", http.StatusText(status))
	}
	for _, d := range p.Details {
		p.Message += fmt.Sprintf("\n  %s: %s", d.Field, d.Reason)
	}
	return fmt.Errorf("%s (%s)", p.Message, p.Code)
}

// stay follows no redirect: what a request carries is for the address that was meant, and Go
// takes a header like X-Admin-Key along to any other.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func importCommand() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use: "import posts.csv", Short: "Write the posts of a CSV file", Args: cobra.ExactArgs(1),
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
			return showImport(cmd.OutOrStdout(), reply)
		}),
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would happen")
	return cmd
}

func showImport(out io.Writer, reply posts.ImportReply) error {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
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
	return table.Flush()
}

func shorten(text string) string {
	emails := []rune(strings.Join(strings.Fields(text), " "))
	if len(emails) > 40 {
		return string(emails[:39]) + "…"
	}
	return string(emails)
}

func postCommand() *cobra.Command {
	return &cobra.Command{
		Use: `post "text"`, Short: "Post now, and say what came of it", Args: cobra.ExactArgs(1),
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
			said := string(reply.Post.Status) + "  " + reply.Post.TwitterURL
			if reply.Error != "" {
				said += reply.Error
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\nrun  %s\n", said, server.url+reply.Post.RunURL)
			return err
		}),
	}
}
