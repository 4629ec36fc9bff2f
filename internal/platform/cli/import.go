package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"customerzero/api"
	"customerzero/internal/platform/config"
)

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
			var reply api.ImportReply
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

func showImport(out io.Writer, reply api.ImportReply) error {
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
	letters := []rune(strings.Join(strings.Fields(text), " "))
	if len(letters) > 40 {
		return string(letters[:39]) + "…"
	}
	return string(letters)
}
