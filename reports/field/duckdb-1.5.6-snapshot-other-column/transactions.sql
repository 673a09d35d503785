-- tables
CREATE TABLE isolab_t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER);
CREATE TABLE isolab_u (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER);
INSERT INTO isolab_t (id, a, b) VALUES (1, 10, 1), (2, 20, 2), (3, 30, 3);
INSERT INTO isolab_u (id, a, b) VALUES (1, 100, 1), (2, 200, 2);

-- T1
UPDATE isolab_t SET a = 5 WHERE b = 2;

-- T2
UPDATE isolab_t SET b = 9 WHERE a = 20;
