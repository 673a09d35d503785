import assert from 'node:assert/strict';

const balanceOf = async (query, account) =>
  (await query('select balance from accounts where id = ?', account))[0].balance;

const transfer = (user, from, to, amount) =>
  user.transaction(async (query) => {
    const [rich, poor] = [await balanceOf(query, from), await balanceOf(query, to)];
    await query('update accounts set balance = ? where id = ?', rich - amount, from);
    await query('update accounts set balance = ? where id = ?', poor + amount, to);
  });

/** The two accounts of a person may cover each other. */
const withdraw = (user, account, other, amount) =>
  user.transaction(async (query) => {
    const total = (await balanceOf(query, account)) + (await balanceOf(query, other));
    if (total < amount) return false;
    await query('update accounts set balance = balance - ? where id = ?', amount, account);
    return true;
  });

const total = (user) =>
  user.transaction(async (query) => {
    const first = await balanceOf(query, 1);
    return first + (await balanceOf(query, 2));
  });

export const tables = [
  'create table accounts (id int primary key, balance int not null)',
  'insert into accounts values (1, 100), (2, 100), (3, 50), (4, 50)',
];

export const requests = [
  (user) => transfer(user, 1, 2, 10),
  async (user) => assert.equal(await total(user), 200),
  (user) => transfer(user, 1, 2, 5),
  async (user) => assert.equal(await withdraw(user, 3, 4, 80), true),
  async (user) => assert.equal(await withdraw(user, 4, 3, 80), false),
  async (user) => assert.equal(await withdraw(user, 4, 3, 10), true),
];
