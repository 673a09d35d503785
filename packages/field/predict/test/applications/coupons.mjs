import assert from 'node:assert/strict';

const redeem = (user, coupon, customer) =>
  user.transaction(async (query) => {
    const [{ used, most }] = await query('select used, most from coupons where id = ?', coupon);
    if (used >= most) return false;
    await query('update coupons set used = ? where id = ?', used + 1, coupon);
    await query('insert into redeemed values (?, ?)', customer, coupon);
    return true;
  });

/** A customer gets one welcome, which the primary key ensures. */
const welcome = (user, customer) =>
  user.transaction(async (query) => {
    const known = await query('select customer from welcomed where customer = ?', customer);
    if (known.length === 0) await query('insert into welcomed values (?)', customer);
    return known.length === 0;
  });

const extend = (user, coupon) =>
  user.transaction(async (query) => {
    const [row] = await query('select id, used, most from coupons where id = ?', coupon);
    if (row.used + 1 >= row.most) await query('update coupons set most = ? where id = ?', row.most + 1, coupon);
  });

export const tables = [
  'create table coupons (id int primary key, used int not null, most int not null)',
  'create table redeemed (customer int primary key, coupon int not null)',
  'create table welcomed (customer int primary key)',
  'insert into coupons values (1, 0, 3)',
];

export const requests = [
  async (user) => assert.equal(await redeem(user, 1, 11), true),
  async (user) => assert.equal(await redeem(user, 1, 12), true),
  (user) => extend(user, 1),
  async (user) => assert.equal(await redeem(user, 1, 13), true),
  async (user) => assert.equal(await welcome(user, 11), true),
  async (user) => assert.equal(await welcome(user, 11), false),
  async (user) => assert.equal(await redeem(user, 1, 14), true),
  (user) => extend(user, 1),
];
