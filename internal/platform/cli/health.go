package cli

import (
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"customerzero/internal/platform/config"
)

// healthCommand is for containers that hold nothing but this program.
func healthCommand() *cobra.Command {
	var address string
	cmd := &cobra.Command{
		Use: "health", Short: "Ask an address whether it is well; the exit code tells", Args: cobra.NoArgs,
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, _ []string) error {
			if address == "" {
				address = findAddresses(cfg).URL + "/readyz"
			}
			req, err := http.NewRequestWithContext(cmd.Context(), http.MethodGet, address, http.NoBody)
			if err != nil {
				return fmt.Errorf("--of is not a URL")
			}
			resp, err := (&http.Client{Timeout: 4 * time.Second, CheckRedirect: stay}).Do(req)
			if err != nil {
				return fmt.Errorf("nothing answers at %s", address)
			}
			defer func() { _ = resp.Body.Close() }()
			if resp.StatusCode != http.StatusOK {
				return fmt.Errorf("%s answers %s", address, resp.Status)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "ok")
			return err
		}),
	}
	cmd.Flags().StringVar(&address, "of", "", "the address; empty: the readiness of a running up")
	return cmd
}
