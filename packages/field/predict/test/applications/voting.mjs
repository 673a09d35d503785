import assert from 'node:assert/strict';

const vote = (user, voter, choice) =>
  user.transaction(async (query) => {
    const [{ voted }] = await query('select voted from voters where id = ?', voter);
    if (voted === 1) return false;
    const [{ votes }] = await query('select votes from choices where id = ?', choice);
    await query('update voters set voted = 1 where id = ?', voter);
    await query('update choices set votes = ? where id = ?', votes + 1, choice);
    return true;
  });

/** Reads both results in two statements. */
const winner = (user) =>
  user.transaction(async (query) => {
    const [first] = await query('select votes from choices where id = 1');
    const [second] = await query('select votes from choices where id = 2');
    return first.votes >= second.votes ? 1 : 2;
  });

const change = (user, from, to) =>
  user.transaction(async (query) => {
    await query('update choices set votes = votes - 1 where id = ?', from);
    await query('update choices set votes = votes + 1 where id = ?', to);
  });

export const tables = [
  'create table voters (id int primary key, voted int not null)',
  'create table choices (id int primary key, votes int not null)',
  'insert into voters values (1, 0), (2, 0), (3, 0)',
  'insert into choices values (1, 0), (2, 0)',
];

export const requests = [
  async (user) => assert.equal(await vote(user, 1, 1), true),
  async (user) => assert.equal(await vote(user, 2, 1), true),
  async (user) => assert.equal(await vote(user, 2, 2), false),
  (user) => change(user, 1, 2),
  async (user) => assert.equal(await winner(user), 1),
  async (user) => assert.equal(await vote(user, 3, 2), true),
  (user) => change(user, 2, 1),
];
