package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// makeServer makes the files of a new server: entirely, or not at all.
func (c *Cluster) makeServer(ctx context.Context, bin string, owner account) error {
	if owner.credential() != nil {
		if err := letThrough(c.options.Dir); err != nil {
			return err
		}
	}
	dir, raw := c.file("postgres"), c.file("postgres.new")
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := errors.Join(os.RemoveAll(raw), os.Mkdir(raw, 0o700)); err != nil {
		return err
	}
	password, err := os.ReadFile(c.file(postgresPassword))
	if err != nil {
		return err
	}
	word := c.file("postgres.word") // for who makes the server
	defer func() { _ = os.Remove(word) }()
	if err := os.WriteFile(word, password, 0o600); err != nil { //nolint:gosec // a name of ours
		return err
	}
	if err := errors.Join(os.Chown(raw, owner.uid, owner.gid), os.Chown(word, owner.uid, owner.gid)); err != nil {
		return err
	}
	initdb := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", raw, "-U", postgresUser,
		"-A", "scram-sha-256", "--pwfile", word, "-E", "UTF8", "--no-locale")
	initdb.Dir, initdb.Env = "/", []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	initdb.SysProcAttr = &syscall.SysProcAttr{Credential: owner.credential()}
	if said, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, said)
	}
	return os.Rename(raw, dir)
}

// postgresBin is where the server's programs of the newest version are.
func postgresBin() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) > 0 {
		return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })), nil
	}
	initdb, err := exec.LookPath("initdb")
	if err != nil {
		return "", errors.New("PostgreSQL's server is not installed; run make tools, or name a server")
	}
	return filepath.Dir(initdb), nil
}

func version(initdb string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(initdb))))
	return n
}

// account is whom the server runs as, and whose its files are.
type account struct{ uid, gid int }

// serverOwner is who we are or, for root, whom the server does not let, the user postgres.
func serverOwner() (account, error) {
	if os.Getuid() != 0 {
		return account{os.Getuid(), os.Getgid()}, nil
	}
	found, err := user.Lookup(postgresUser)
	if err != nil {
		return account{}, errors.New("a Postgres server does not run as root, and there is no user postgres; run make tools")
	}
	uid, err := strconv.Atoi(found.Uid)
	if err != nil {
		return account{}, err
	}
	gid, err := strconv.Atoi(found.Gid)
	return account{uid, gid}, err
}

// credential is nil for ourselves.
func (a account) credential() *syscall.Credential {
	if a.uid == os.Getuid() {
		return nil
	}
	return &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)} //nolint:gosec // as the system gave them
}

// letThrough lets others pass our directory on the way to their own, and says where they cannot.
func letThrough(dir string) error {
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // its files are for us alone
		return err
	}
	for parent := filepath.Dir(dir); ; parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o001 == 0 {
			return fmt.Errorf("the user %s cannot pass %s; let it (chmod o+x), or choose another directory", postgresUser, parent)
		}
		if parent == "/" {
			return nil
		}
	}
}
