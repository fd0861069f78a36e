-- A ticket that an operator gives is worth the buy-in of its offer; no caller gives a value any more.
DROP FUNCTION IF EXISTS give_ticket(bigint, text, text, bigint, integer, text, acting);

-- It tells which part of a prize is a ticket.
DROP FUNCTION IF EXISTS pay_place(text, smallint);
