import assert from 'node:assert/strict';

/** Takes over the shift of another doctor. */
const follow = (user, doctor, other) =>
  user.transaction(async (query) => {
    const [{ shift }] = await query('select shift from doctors where id = ?', other);
    await query('update doctors set shift = ? where id = ?', shift, doctor);
  });

const postpone = (user, doctor) =>
  user.transaction(async (query) => {
    const [row] = await query('select id, shift from doctors where id = ?', doctor);
    await query('update doctors set shift = ? where id = ?', row.shift + 1, doctor);
  });

/** Somebody must stay on call. */
const leave = (user, doctor) =>
  user.transaction(async (query) => {
    const present = await query('select id from doctors where on_call = 1');
    if (present.length > 1) await query('update doctors set on_call = 0, away = 1 where id = ?', doctor);
    return present.length > 1;
  });

export const tables = [
  'create table doctors (id int primary key, on_call int not null, away int not null, shift int not null)',
  'insert into doctors values (1, 1, 0, 5), (2, 1, 0, 6), (3, 1, 0, 7)',
];

export const requests = [
  (user) => follow(user, 1, 2),
  (user) => follow(user, 2, 1),
  (user) => postpone(user, 2),
  async (user) => assert.equal(await leave(user, 3), true),
  async (user) => assert.equal(await leave(user, 2), true),
  (user) => postpone(user, 1),
  (user) => postpone(user, 1),
];
