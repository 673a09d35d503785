import assert from 'node:assert/strict';

const reserve = (user, part, amount) =>
  user.transaction(async (query) => {
    const [{ here, reserved }] = await query('select here, reserved from parts where id = ?', part);
    if (here - reserved < amount) return false;
    await query('update parts set reserved = ? where id = ?', reserved + amount, part);
    return true;
  });

const ship = (user, part, amount) =>
  user.transaction(async (query) => {
    const [row] = await query('select id, here, reserved from parts where id = ?', part);
    await query('update parts set here = ?, reserved = ? where id = ?', row.here - amount, row.reserved - amount, part);
  });

/** Locks the row, so that nothing is lost. */
const receive = (user, part, amount) =>
  user.transaction(async (query) => {
    const [{ here }] = await query('select here from parts where id = ? for update', part);
    await query('update parts set here = ? where id = ?', here + amount, part);
  });

const move = (user, from, to) =>
  user.transaction(async (query) => {
    const [{ here }] = await query('select here from parts where id = ?', from);
    await query('update parts set here = 0 where id = ?', from);
    await query('update parts set here = here + ? where id = ?', here, to);
  });

export const tables = [
  'create table parts (id int primary key, here int not null, reserved int not null)',
  'insert into parts values (1, 20, 0), (2, 20, 0)',
];

export const requests = [
  async (user) => assert.equal(await reserve(user, 1, 3), true),
  (user) => ship(user, 1, 2),
  async (user) => assert.equal(await reserve(user, 1, 3), true),
  (user) => receive(user, 1, 7),
  (user) => receive(user, 1, 7),
  (user) => move(user, 1, 2),
  (user) => ship(user, 2, 1),
];
