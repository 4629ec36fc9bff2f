package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/spf13/cobra"

	"customerzero/internal/platform/config"
	"customerzero/internal/target/instance"
)

// replicaCommand is the half of a cell that its keeper starts, kills and starts again.
func replicaCommand() *cobra.Command {
	var options instance.Options
	cmd := &cobra.Command{
		Use: "instance", Short: "Run the chaos target's instance; its supervisor starts it", Args: cobra.NoArgs, Hidden: true,
		RunE: withConfig(func(cmd *cobra.Command, _ config.Config, _ []string) (err error) {
			spareMemory()
			if options.Listener, err = inherited(3); err != nil {
				return err
			}
			return instance.Run(untilLeft(cmd.Context(), cmd.InOrStdin()), options)
		}),
	}
	cmd.Flags().StringVar(&options.Dir, "dir", "", "the directory of the cell")
	cmd.Flags().StringVar(&options.ProductURL, "product", "", "where the product is, for links")
	_ = cmd.MarkFlagRequired("dir")
	return cmd
}

// inherited is a listener that the process which started us holds too.
func inherited(fd uintptr) (net.Listener, error) {
	file := os.NewFile(fd, "listener")
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("no listener was handed over: this command is started by another one, not by people (%w)", err)
	}
	return listener, file.Close() // the listener has a copy
}

// untilLeft ends also when whoever holds the other end of gate leaves, however that happens.
func untilLeft(ctx context.Context, gate io.Reader) context.Context {
	ctx, leave := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, gate)
		leave()
	}()
	return ctx
}
