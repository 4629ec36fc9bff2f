package supervisor

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"customerzero/internal/domain/problem"
)

// How long a replica may take to answer, and how often it is asked. Giving up means starting
// another one, so a busy machine must be given the time.
const (
	answerTime  = 10 * time.Second
	answerEvery = 20 * time.Millisecond
)

// answers returns when the replica says that it is well. The first question is accepted as soon
// as there is somebody to do it, as the listener was there all the time.
func (p *process) answers(ctx context.Context, l *life) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	ask := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // it speaks for nobody else
	}
	again := time.NewTicker(answerEvery)
	defer again.Stop()
	said := make(chan bool, 1)
	for {
		go func() { said <- healthy(ctx, ask, p.address) }()
		select {
		case <-l.done:
			return problem.New(problem.Unavailable, "The replica ended as soon as it was started.")
		case yes := <-said:
			if yes {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return problem.New(problem.Unavailable, "The replica was started, but does not answer.")
		case <-again.C:
		}
	}
}

func healthy(ctx context.Context, ask *http.Client, address string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://%s/healthz", address), http.NoBody)
	if err != nil {
		return false
	}
	res, err := ask.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16))
	return res.StatusCode == http.StatusOK
}

// dialable is where a listener is reached from this machine.
func dialable(address net.Addr) string {
	at, ok := address.(*net.TCPAddr)
	if ok && at.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", at.Port)
	}
	return address.String()
}
