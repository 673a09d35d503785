import assert from 'node:assert/strict';

const like = (user, post) =>
  user.transaction(async (query) => {
    const [{ likes }] = await query('select likes from posts where id = ?', post);
    await query('update posts set likes = ? where id = ?', likes + 1, post);
  });

const unlike = (user, post) =>
  user.transaction(async (query) => {
    const [row] = await query('select id, likes from posts where id = ?', post);
    await query('update posts set likes = ?, changed = 1 where id = ?', row.likes - 1, post);
  });

/** Counts in the database, so that nothing is lost. */
const share = (user, post) =>
  user.transaction((query) => query('update posts set shares = shares + 1 where id = ?', post));

const rank = (user, post) =>
  user.transaction(async (query) => {
    const [{ likes }] = await query('select likes, shares from posts where id = ?', post);
    await query('update ranks set score = ? where post = ?', likes, post);
  });

export const tables = [
  'create table posts (id int primary key, likes int not null, shares int not null, changed int not null)',
  'create table ranks (post int primary key, score int not null)',
  'insert into posts values (1, 0, 0, 0)',
  'insert into ranks values (1, 0)',
];

export const requests = [
  (user) => like(user, 1),
  (user) => like(user, 1),
  (user) => unlike(user, 1),
  (user) => unlike(user, 1),
  (user) => like(user, 1),
  (user) => rank(user, 1),
  (user) => share(user, 1),
  (user) => share(user, 1),
  async (user) => assert.deepEqual(await user.query('select score from ranks where post = 1'), [{ score: 1 }]),
];
