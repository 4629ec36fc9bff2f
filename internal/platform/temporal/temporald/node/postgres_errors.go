package node

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// What Postgres calls the troubles that people can do something about.
const (
	noPrivilege       = "42501"
	noSuchDatabase    = "3D000"
	noSuchUser        = "28000"
	wrongPassword     = "28P01"
	tooMany           = "53300"
	duplicateDatabase = "42P04"
	duplicateRow      = "23505" // in pg_database, of two that make it at once
)

func madeByOthers(err error) bool {
	code := stateOf(err)
	return code == duplicateDatabase || code == duplicateRow
}

func stateOf(err error) string {
	if failure, ok := errors.AsType[*pgconn.PgError](err); ok {
		return failure.Code
	}
	return ""
}

// explain turns Postgres' words into one sentence that says what to do. What the driver says
// is left out where it may tell how it was to connect.
func (p *postgres) explain(err error, database string) error {
	if err == nil || errors.Is(err, errForeign) || errors.Is(err, errNewer) {
		return err
	}
	user := p.server.User.Username()
	switch code := stateOf(err); code {
	case "":
		return fmt.Errorf("no Postgres answers at %s; start it, or correct TEMPORALD_POSTGRES_URL", p.server.Host)
	case noPrivilege:
		return fmt.Errorf("user %s may not make the databases %s and %s; make them for that user, or allow it CREATEDB",
			user, p.main.database, p.lists.database)
	case noSuchUser, wrongPassword:
		return fmt.Errorf("Postgres at %s does not let in user %s; correct TEMPORALD_POSTGRES_URL", p.server.Host, user)
	case noSuchDatabase:
		return fmt.Errorf("Postgres at %s lacks the database that TEMPORALD_POSTGRES_URL names; name one that exists, like postgres", p.server.Host)
	case tooMany:
		return fmt.Errorf("Postgres at %s has no connections left; raise its max_connections", p.server.Host)
	default:
		failure, _ := errors.AsType[*pgconn.PgError](err)
		return fmt.Errorf("database %s cannot be used: %s (SQLSTATE %s)", database, failure.Message, code)
	}
}
