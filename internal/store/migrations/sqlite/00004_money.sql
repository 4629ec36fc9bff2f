-- +goose Up

-- What Stripe's disputes have taken. Refunds and disputes are read together; version detects concurrent reads.
ALTER TABLE checkouts ADD COLUMN dispute text NOT NULL DEFAULT '' CHECK (dispute IN ('', 'open', 'won', 'lost'));
ALTER TABLE checkouts ADD COLUMN disputed_cents integer NOT NULL DEFAULT 0 CHECK (disputed_cents >= 0 AND disputed_cents <= paid_cents);
ALTER TABLE checkouts ADD COLUMN dispute_fee_cents integer NOT NULL DEFAULT 0 CHECK (dispute_fee_cents >= 0);
ALTER TABLE checkouts ADD COLUMN version integer NOT NULL DEFAULT 0;

-- Only a founder can unfreeze a membership that a founder froze.
ALTER TABLE members ADD COLUMN frozen_by text NOT NULL DEFAULT '' CHECK (frozen_by IN ('', 'refund', 'dispute', 'founder'));
ALTER TABLE members ADD COLUMN frozen_note text NOT NULL DEFAULT '';
UPDATE members SET frozen_by = 'refund' WHERE status = 'frozen';

-- Founders vote without a membership.
CREATE TABLE founder_votes (
  experiment_id text NOT NULL REFERENCES experiments (id),
  account_id    text NOT NULL REFERENCES accounts (id),
  value         integer NOT NULL CHECK (value IN (-1, 1)),
  created_at    datetime NOT NULL,
  updated_at    datetime NOT NULL,
  PRIMARY KEY (account_id, experiment_id)
);
CREATE INDEX founder_votes_by_experiment ON founder_votes (experiment_id);

-- The votes of these members do not count.
CREATE INDEX members_inactive ON members (id) WHERE status <> 'active';

-- Discounts count against the month's budget when they are paid, no longer when they are offered.
UPDATE price_decisions SET held_cents = 0 WHERE state = 'decided';
UPDATE discount_months SET held_cents =
  (SELECT COALESCE(SUM(d.held_cents), 0) FROM price_decisions d WHERE d.month = discount_months.month);
