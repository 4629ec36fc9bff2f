package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"
)

// Snapshot is a consistent view of the database for a backup. It excludes later writes and does not
// block them.
type Snapshot struct {
	tx *gorm.DB

	Version int64 // of the schema
	Tables  []Table
}

// Dialect returns "postgres" or "sqlite".
func (s *Snapshot) Dialect() string { return s.tx.Name() }

// Snapshot calls use with a consistent view of the database, in a read-only transaction.
func (s *DB) Snapshot(ctx context.Context, use func(*Snapshot) error) error {
	own, err := s.schemaVersion()
	if err != nil {
		return err
	}
	options := &sql.TxOptions{ReadOnly: true} // so SQLite does not take the write lock
	if s.gorm.Name() == "postgres" {
		options.Isolation = sql.LevelRepeatableRead
	}
	return s.gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		snapshot := &Snapshot{tx: tx}
		var err error
		if snapshot.Version, err = versionOf(tx); err != nil {
			return err
		}
		switch snapshot.Version {
		case own:
		case 0:
			return errors.New("the database has no tables to back up yet: run customerzero migrate first")
		default:
			return fmt.Errorf("the database schema is version %d and this program's is %d: back it up with the program version that matches", snapshot.Version, own)
		}
		if snapshot.Tables, err = tablesOf(tx); err != nil {
			return err
		}
		return use(snapshot)
	}, options)
}

// Images lists the images that rows refer to, of chaos runs only those of the newest chaosRuns.
func (s *Snapshot) Images(chaosRuns int) ([]string, error) {
	used, err := usedImages(s.tx, chaosRuns)
	return slices.Sorted(maps.Keys(used)), err
}

// Keys lists the keys needed to decrypt the snapshot's secrets.
func (s *Snapshot) Keys() ([]EncryptedWith, error) { return keysInUse(s.tx) }

// Write writes a table's rows, one JSON object per line. Equal rows give equal bytes from either
// database.
func (s *Snapshot) Write(t Table, out io.Writer) (Digest, error) { return writeRows(s.tx, t, out) }

// migrationTable is goose's table of applied migrations, which is not part of a dump.
const migrationTable = "goose_db_version"

// kind reads and writes a column's values, independent of the database's name for its type.
type kind struct {
	cell   func() any // a scan target that accepts NULL
	decode func(json.RawMessage) (any, error)
}

func kindOf[T any]() kind {
	return kind{func() any { return new(sql.Null[T]) }, decoded[T]}
}

func decoded[T any](field json.RawMessage) (any, error) {
	var value T
	err := json.Unmarshal(field, &value)
	return value, err
}

var (
	textKind, bytesKind = kind{kindOf[string]().cell, decodedText}, kindOf[[]byte]()

	kinds = map[string]kind{
		"text": textKind, "integer": kindOf[int64](), "bigint": kindOf[int64](), "boolean": kindOf[bool](),
		"double precision": kindOf[float64](), "real": kindOf[float64](), "bytea": bytesKind, "blob": bytesKind,
		"timestamp with time zone": kindOf[time.Time](), "datetime": kindOf[time.Time](),
	}
)

// rawBytes holds a text that is not valid UTF-8: SQLite stores it, JSON cannot.
type rawBytes struct {
	Base64 []byte `json:"base64"`
}

func decodedText(field json.RawMessage) (any, error) {
	if field[0] != '{' {
		return decoded[string](field)
	}
	var raw rawBytes
	err := json.Unmarshal(field, &raw)
	return string(raw.Base64), err
}

// dumpTime has the precision that both databases store.
const dumpTime = "2006-01-02T15:04:05.000000Z"

func encoded(cell any) any {
	value, _ := cell.(driver.Valuer).Value() // sql.Null does not fail
	switch value := value.(type) {
	case time.Time:
		return stamp(value).Format(dumpTime)
	case string:
		if !utf8.ValidString(value) {
			return rawBytes{[]byte(value)}
		}
	}
	return value
}

// Table is a table of this schema.
type Table struct {
	Name    string
	columns []column
}

type column struct {
	name  string
	kind  string // a key of kinds
	place int    // position in the primary key; -1 if not part of it
}

const (
	postgresColumns = `SELECT c.relname AS of_table, a.attname AS name, format_type(a.atttypid, NULL) AS type,
  COALESCE(array_position(i.indkey::int2[], a.attnum), -1) AS place
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')`
	sqliteColumns = `SELECT m.name AS of_table, p.name AS name, lower(p.type) AS type, p.pk - 1 AS place
FROM sqlite_schema m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' AND substr(m.name, 1, 7) <> 'sqlite_'`
)

// tablesOf reads the database's catalog, so that no table can be left out.
func tablesOf(tx *gorm.DB) ([]Table, error) {
	query := postgresColumns
	if tx.Name() == "sqlite" {
		query = sqliteColumns
	}
	var found []struct {
		OfTable, Name, Type string
		Place               int
	}
	if err := tx.Raw(query).Scan(&found).Error; err != nil {
		return nil, err
	}
	columns := map[string][]column{}
	for _, c := range found {
		if c.OfTable == migrationTable || c.OfTable == countsTable {
			continue
		}
		if _, known := kinds[c.Type]; !known {
			return nil, fmt.Errorf("column %s.%s has type %s, which backups do not support", c.OfTable, c.Name, c.Type)
		}
		columns[c.OfTable] = append(columns[c.OfTable], column{c.Name, c.Type, c.Place})
	}
	tables := []Table{}
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		tables = append(tables, Table{name, columns[name]})
	}
	return tables, nil
}

// versionOf returns the schema version, or 0 if there is no schema.
func versionOf(tx *gorm.DB) (version int64, err error) {
	if !tx.Migrator().HasTable(migrationTable) {
		return 0, nil
	}
	err = tx.Raw("SELECT COALESCE(max(version_id), 0) FROM goose_db_version WHERE is_applied").Scan(&version).Error
	return version, err
}

// Digest is the number and the hash of a table's dumped lines.
type Digest struct {
	Rows   int    `json:"rows"`
	SHA256 string `json:"sha256"`
}

// writeRows writes the columns in the order of their names and the rows in byte order of the primary
// key, so that both databases give the same output.
func writeRows(tx *gorm.DB, t Table, out io.Writer) (Digest, error) {
	columns, cells := make([]string, len(t.columns)), make([]any, len(t.columns))
	for i, c := range t.columns {
		columns[i], cells[i] = quoted(c.name), kinds[c.kind].cell()
		if c.kind == "blob" { // SQLite's driver gives empty bytes as NULL
			columns[i] = fmt.Sprintf("CASE length(%[1]s) WHEN 0 THEN '' ELSE %[1]s END", columns[i])
		}
	}
	order, err := t.order(tx.Name())
	if err != nil {
		return Digest{}, err
	}
	rows, err := tx.Raw("SELECT " + strings.Join(columns, ", ") + " FROM " + quoted(t.Name) + " ORDER BY " + order).Rows()
	if err != nil {
		return Digest{}, err
	}
	defer func() { _ = rows.Close() }()
	digest, sum, row := Digest{}, sha256.New(), map[string]any{}
	lines := json.NewEncoder(io.MultiWriter(sum, out))
	lines.SetEscapeHTML(false)
	for rows.Next() {
		if err := rows.Scan(cells...); err != nil {
			return Digest{}, fmt.Errorf("read a row of %s: %w", t.Name, err)
		}
		for i, c := range t.columns {
			row[c.name] = encoded(cells[i])
		}
		if err := lines.Encode(row); err != nil {
			return Digest{}, err
		}
		digest.Rows++
	}
	digest.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return digest, rows.Err()
}

func (t Table) order(dialect string) (string, error) {
	key := slices.DeleteFunc(slices.Clone(t.columns), func(c column) bool { return c.place < 0 })
	if len(key) == 0 {
		return "", fmt.Errorf("the table %s has no primary key, so its rows have no order", t.Name)
	}
	slices.SortFunc(key, func(a, b column) int { return cmp.Compare(a.place, b.place) })
	parts := make([]string, len(key))
	for i, c := range key {
		parts[i] = quoted(c.name)
		if c.kind == "text" && dialect == "postgres" {
			parts[i] += ` COLLATE "C"`
		}
	}
	return strings.Join(parts, ", "), nil
}

func (t Table) row(line []byte) (map[string]any, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return nil, fmt.Errorf("invalid row of %s: %w", t.Name, err)
	}
	if len(fields) != len(t.columns) {
		return nil, fmt.Errorf("a row of %s has %d columns, but the table has %d", t.Name, len(fields), len(t.columns))
	}
	row := make(map[string]any, len(fields))
	for _, c := range t.columns {
		field, found := fields[c.name]
		if !found {
			return nil, fmt.Errorf("a row of %s lacks the column %s", t.Name, c.name)
		}
		row[c.name] = nil
		if string(field) == "null" {
			continue
		}
		value, err := kinds[c.kind].decode(field)
		if err != nil {
			return nil, fmt.Errorf("invalid value of %s.%s: %w", t.Name, c.name, err)
		}
		row[c.name] = value
	}
	return row, nil
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
