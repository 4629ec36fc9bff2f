package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf8"
)

// dumpTime is what both databases keep of a time.
const dumpTime = "2006-01-02T15:04:05.000000Z"

// Digest says what a table's lines are, without them.
type Digest struct {
	Rows   int    `json:"rows"`
	SHA256 string `json:"sha256"`
}

// Write writes a table's rows, one JSON object a line. The same rows give the same bytes, from
// either database.
func (s *Snapshot) Write(t Table, out io.Writer) (Digest, error) {
	return writeRows(s.ctx, s.tx, s.dialect, t, out)
}

func writeRows(ctx context.Context, db reader, dialect string, t Table, out io.Writer) (Digest, error) {
	order, err := t.order(dialect)
	if err != nil {
		return Digest{}, err
	}
	rows, err := db.QueryContext(ctx, "SELECT "+t.selected(dialect)+" FROM "+quoted(t.Name)+" ORDER BY "+order)
	if err != nil {
		return Digest{}, err
	}
	defer func() { _ = rows.Close() }()
	sum := sha256.New()
	digest, line, cells := Digest{}, []byte{}, t.cells()
	for rows.Next() {
		if err := rows.Scan(cells...); err != nil {
			return Digest{}, fmt.Errorf("read a row of %s: %w", t.Name, err)
		}
		if line, err = t.line(line[:0], cells); err != nil {
			return Digest{}, err
		}
		_, _ = sum.Write(line) // does not fail
		if _, err := out.Write(line); err != nil {
			return Digest{}, err
		}
		digest.Rows++
	}
	digest.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return digest, rows.Err()
}

// cells are where a row is read into.
func (t Table) cells() []any {
	cells := make([]any, len(t.columns))
	for i, c := range t.columns {
		switch c.kind {
		case kindText:
			cells[i] = &sql.NullString{}
		case kindInteger:
			cells[i] = &sql.NullInt64{}
		case kindBoolean:
			cells[i] = &sql.NullBool{}
		case kindReal:
			cells[i] = &sql.NullFloat64{}
		case kindTime:
			cells[i] = &sql.NullTime{}
		case kindBytes:
			cells[i] = &[]byte{}
		}
	}
	return cells
}

func (t Table) line(line []byte, cells []any) ([]byte, error) {
	for i, c := range t.columns {
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		line = append(line, separator)
		line = strconv.AppendQuote(line, c.name)
		line = append(line, ':')
		value, err := encoded(cells[i])
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t.Name, c.name, err)
		}
		line = append(line, value...)
	}
	return append(line, '}', '\n'), nil
}

func encoded(cell any) ([]byte, error) {
	switch cell := cell.(type) {
	case *sql.NullString:
		if cell.Valid {
			return encodedText(cell.String)
		}
	case *sql.NullInt64:
		if cell.Valid {
			return strconv.AppendInt(nil, cell.Int64, 10), nil
		}
	case *sql.NullBool:
		if cell.Valid {
			return strconv.AppendBool(nil, cell.Bool), nil
		}
	case *sql.NullFloat64:
		if cell.Valid {
			return json.Marshal(cell.Float64)
		}
	case *sql.NullTime:
		if cell.Valid {
			return strconv.AppendQuote(nil, stamp(cell.Time).Format(dumpTime)), nil
		}
	case *[]byte:
		if *cell != nil {
			return strconv.AppendQuote(nil, base64.StdEncoding.EncodeToString(*cell)), nil
		}
	}
	return []byte("null"), nil
}

// rawBytes is a text that is none: SQLite keeps any bytes, JSON does not.
type rawBytes struct {
	Base64 []byte `json:"base64"`
}

func encodedText(text string) ([]byte, error) {
	if !utf8.ValidString(text) {
		return json.Marshal(rawBytes{[]byte(text)})
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(text)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// values reads a line again, in the order of the columns.
func (t Table) values(line []byte) ([]any, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return nil, fmt.Errorf("a line of %s is no row: %w", t.Name, err)
	}
	if len(fields) != len(t.columns) {
		return nil, fmt.Errorf("a row of %s has %d columns, and the table has %d", t.Name, len(fields), len(t.columns))
	}
	values := make([]any, len(t.columns))
	for i, c := range t.columns {
		field, there := fields[c.name]
		if !there {
			return nil, fmt.Errorf("a row of %s lacks the column %s", t.Name, c.name)
		}
		value, err := c.decoded(field)
		if err != nil {
			return nil, fmt.Errorf("%s.%s of a row: %w", t.Name, c.name, err)
		}
		values[i] = value
	}
	return values, nil
}

func (c column) decoded(field json.RawMessage) (any, error) {
	if string(field) == "null" {
		return nil, nil //nolint:nilnil // NULL is a value
	}
	switch c.kind {
	case kindText:
		if field[0] == '{' {
			var bytes rawBytes
			err := json.Unmarshal(field, &bytes)
			return string(bytes.Base64), err
		}
		return as[string](field)
	case kindInteger:
		return as[int64](field)
	case kindBoolean:
		return as[bool](field)
	case kindReal:
		return as[float64](field)
	case kindTime:
		return as[time.Time](field)
	case kindBytes:
		return as[[]byte](field)
	}
	return nil, fmt.Errorf("it is of the kind %q", c.kind)
}

func as[T any](field json.RawMessage) (any, error) {
	var value T
	err := json.Unmarshal(field, &value)
	return value, err
}
