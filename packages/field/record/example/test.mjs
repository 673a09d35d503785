import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { book, buy } from './shop.mjs';

const open = async () => {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  return client;
};

let ann, ben;

before(async () => {
  [ann, ben] = [await open(), await open()];
  await ann.query('drop table if exists items, bookings');
  await ann.query('create table items (id int primary key, stock int not null)');
  await ann.query('create table bookings (id serial primary key, room int, hour int, guest text)');
  await ann.query('insert into items values (1, 100)');
});

after(() => Promise.all([ann.end(), ben.end()]));

test('two customers buy at once', async () => {
  for (let day = 0; day < 5; day++) assert.deepEqual(await Promise.all([buy(ann, 1), buy(ben, 1)]), [true, true]);
});

test('a room is booked once', async () => {
  assert.equal(await book(ann, 7, 9, 'ann'), true);
  assert.equal(await book(ben, 7, 9, 'ben'), false);
});
