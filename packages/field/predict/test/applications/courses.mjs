import assert from 'node:assert/strict';

const enrol = (user, student, course) =>
  user.transaction(async (query) => {
    const [{ places, taken }] = await query('select places, taken from courses where id = ?', course);
    if (taken >= places) return false;
    await query('insert into enrolments values (?, ?)', student, course);
    await query('update courses set taken = ? where id = ?', taken + 1, course);
    return true;
  });

const drop = (user, student, course) =>
  user.transaction(async (query) => {
    await query('delete from enrolments where student = ?', student);
    const [row] = await query('select taken from courses where id = ?', course);
    await query('update courses set taken = ? where id = ?', row.taken - 1, course);
  });

/** Closes a course without students. */
const close = (user, course) =>
  user.transaction(async (query) => {
    const [row] = await query('select id, taken from courses where id = ?', course);
    if (row.taken === 0) await query('update courses set places = 0 where id = ?', course);
    return row.taken === 0;
  });

export const tables = [
  'create table courses (id int primary key, places int not null, taken int not null)',
  'create table enrolments (student int primary key, course int not null)',
  'insert into courses values (1, 2, 0), (2, 2, 0)',
];

export const requests = [
  async (user) => assert.equal(await enrol(user, 1, 1), true),
  async (user) => assert.equal(await enrol(user, 2, 1), true),
  (user) => drop(user, 1, 1),
  async (user) => assert.equal(await close(user, 2), true),
  async (user) => assert.equal(await enrol(user, 3, 2), false),
];
