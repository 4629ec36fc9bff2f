package wire_test

import (
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/ports/portstest"
	"customerzero/proof/crash/wire"
)

// echo answers with what it is told.
func echo(t *testing.T) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(conn, conn)
				_ = conn.Close()
			}()
		}
	}()
	return listener.Addr().String()
}

func dial(t *testing.T, p *wire.Proxy) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", p.Address())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// says sends a word and waits for it to come back.
func says(conn net.Conn, within time.Duration) error {
	_ = conn.SetDeadline(time.Now().Add(within))
	if _, err := conn.Write([]byte("word")); err != nil {
		return err
	}
	_, err := io.ReadFull(conn, make([]byte, 4))
	return err
}

// asks says a word on a connection of its own. It may be hung up before it is connected.
func asks(p *wire.Proxy) error {
	conn, err := net.DialTimeout("tcp", p.Address(), time.Minute)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return says(conn, time.Minute)
}

func TestProxyGoesBadAndIsMended(t *testing.T) {
	t.Parallel()
	p, err := wire.Open(echo(t))
	require.NoError(t, err)
	t.Cleanup(p.Close)
	first := dial(t, p)
	require.NoError(t, says(first, time.Minute))

	p.Silence()
	p.Silence() // again is harmless
	require.ErrorIs(t, says(first, 50*time.Millisecond), os.ErrDeadlineExceeded)
	require.ErrorIs(t, says(dial(t, p), 50*time.Millisecond), os.ErrDeadlineExceeded, "a new one is taken, and told nothing")
	p.Mend()
	_ = first.SetDeadline(time.Now().Add(5 * time.Second))
	_, err = io.ReadFull(first, make([]byte, 4))
	require.NoError(t, err, "what was kept arrives")

	p.Slow(60 * time.Millisecond)
	began := time.Now()
	require.NoError(t, says(first, time.Minute))
	require.GreaterOrEqual(t, time.Since(began), 120*time.Millisecond, "there and back")
	p.Mend()

	p.Reset()
	require.Error(t, says(first, time.Minute))
	require.NoError(t, says(dial(t, p), time.Minute))

	p.Cut()
	require.Error(t, asks(p))
	p.Mend()
	require.NoError(t, says(dial(t, p), time.Minute))
}

func TestProxyWithoutATargetHangsUp(t *testing.T) {
	t.Parallel()
	p, err := wire.Open(portstest.Address(t))
	require.NoError(t, err)
	t.Cleanup(p.Close)
	err = asks(p)
	require.Error(t, err)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
}
