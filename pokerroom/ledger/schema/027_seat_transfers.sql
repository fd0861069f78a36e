-- The results of a hosted table are read from the buy-ins, top-ups and cash-outs since it was opened. Hands, which are most
-- of the transfers, are not in this index. The new function is in functions/.

CREATE INDEX seat_transfers ON transfers (created) WHERE kind IN ('buy_in', 'top_up', 'cash_out');
