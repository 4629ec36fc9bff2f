package store

import "gorm.io/gorm"

// These say what GORM's own typed reads say (gorm.G), whose sixty methods are linked anew
// for each type of row: for thirteen tables they were 3 MB of the program.

// readOne reads the row that a query finds, or fails with gorm.ErrRecordNotFound.
func readOne[T any](query *gorm.DB) (row T, err error) {
	err = query.Take(&row).Error
	return row, err
}

// readAll reads the rows that a query finds, which may be none.
func readAll[T any](query *gorm.DB) (rows []T, err error) {
	err = query.Find(&rows).Error
	return rows, err
}

// countOf counts the rows that a query finds.
func countOf[T any](query *gorm.DB) (int, error) {
	var n int64
	err := query.Model(new(T)).Count(&n).Error
	return int(n), err
}

// readFirst reads the first row that a query finds; nil: there is none.
func readFirst[T any](query *gorm.DB) (*T, error) {
	rows, err := readAll[T](query.Limit(1))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}
