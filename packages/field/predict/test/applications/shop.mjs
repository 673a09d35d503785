import assert from 'node:assert/strict';

const buy = (user, item) =>
  user.transaction(async (query) => {
    const [{ stock }] = await query('select stock from items where id = ?', item);
    if (stock > 0) await query('update items set stock = ? where id = ?', stock - 1, item);
    return stock > 0;
  });

const restock = (user, item, amount) =>
  user.transaction(async (query) => {
    const [row] = await query('select id, stock from items where id = ?', item);
    await query('update items set stock = ?, restocked = 1 where id = ?', row.stock + amount, item);
  });

const raisePrice = (user, item) =>
  user.transaction(async (query) => {
    const [{ price }] = await query('select price from items where id = ?', item);
    await query('update items set price = ? where id = ?', price + 1, item);
  });

const atMost = (user, item, most) =>
  user.transaction((query) => query('update items set stock = least(stock, ?) where id = ?', most, item));

export const tables = [
  'create table items (id int primary key, stock int not null, price int not null, restocked int not null)',
  'insert into items values (1, 10, 5, 0), (2, 10, 5, 0)',
];

export const requests = [
  async (user) => assert.equal(await buy(user, 1), true),
  async (user) => assert.equal(await buy(user, 1), true),
  (user) => restock(user, 1, 5),
  async (user) => assert.equal(await buy(user, 1), true),
  (user) => raisePrice(user, 2),
  (user) => raisePrice(user, 2),
  async (user) => assert.equal(await buy(user, 2), true),
  (user) => restock(user, 2, 5),
  (user) => restock(user, 2, 1),
  (user) => atMost(user, 1, 9),
  async (user) => assert.deepEqual(await user.query('select stock from items where id = 1'), [{ stock: 9 }]),
];
