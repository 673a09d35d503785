-- tables
CREATE TABLE isolab_t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER);
CREATE TABLE isolab_u (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER);
INSERT INTO isolab_t (id, a, b) VALUES (1, 10, 1), (2, 20, 2), (3, 30, 3);
INSERT INTO isolab_u (id, a, b) VALUES (1, 100, 1), (2, 200, 2);

-- T1
SELECT a FROM isolab_t WHERE id = 1;
UPDATE isolab_u SET a = 101 WHERE id = 1;

-- T2
SELECT a FROM isolab_t WHERE id = 2;
SELECT a FROM isolab_u WHERE id = 1;
UPDATE isolab_t SET a = 11 WHERE id = 1;
