-- +goose Up
ALTER TABLE letters DROP CONSTRAINT letters_kind_check;
ALTER TABLE letters ADD CONSTRAINT letters_kind_check
  CHECK (kind IN ('login_code', 'address_code', 'welcome', 'post_trouble', 'receipt', 'refund', 'paid_twice'));

-- For those who want to be forgotten.
CREATE INDEX decisions_by_visitor ON decisions (visitor) WHERE visitor IS NOT NULL;
