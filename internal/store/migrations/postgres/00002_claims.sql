-- +goose Up

ALTER TABLE posts ADD COLUMN published_key text;

-- Members whom founders added paid nothing.
UPDATE members SET payment_cents = 0
  WHERE status <> 'removed' AND id NOT IN (SELECT member_id FROM checkouts WHERE member_id IS NOT NULL);
UPDATE credit_entries SET reason = 'adjust'
  WHERE reason = 'founding_fee' AND entry_key = 'founding_fee:' || member_id;
