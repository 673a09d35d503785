import assert from 'node:assert/strict';

const book = (user, seat, guest) =>
  user.transaction(async (query) => {
    const [{ guest: taken }] = await query('select guest from seats where id = ?', seat);
    if (taken !== '') return false;
    await query('update seats set guest = ? where id = ?', guest, seat);
    return true;
  });

const free = (user, seat, guest) =>
  user.transaction(async (query) => {
    const [row] = await query('select guest, booked from seats where id = ?', seat);
    if (row.guest === guest) await query("update seats set guest = '' where id = ?", seat);
  });

/** Takes both seats, or none. */
const bookPair = (user, first, second, guest) =>
  user.transaction(async (query) => {
    const [left] = await query('select id, guest from seats where id = ?', first);
    const [right] = await query('select id, guest from seats where id = ?', second);
    if (left.guest !== '' || right.guest !== '') return false;
    await query('update seats set guest = ?, booked = 1 where id = ?', guest, first);
    await query('update seats set guest = ?, booked = 1 where id = ?', guest, second);
    return true;
  });

export const tables = [
  'create table seats (id int primary key, guest varchar(20) not null, booked int not null)',
  "insert into seats values (1, '', 0), (2, '', 0), (3, '', 0)",
];

export const requests = [
  async (user) => assert.equal(await book(user, 1, 'ann'), true),
  (user) => free(user, 1, 'ann'),
  async (user) => assert.equal(await book(user, 1, 'ben'), true),
  async (user) => assert.equal(await bookPair(user, 2, 3, 'cid'), true),
  (user) => free(user, 2, 'cid'),
];
