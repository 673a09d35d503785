// Two customers, one after the other. Run: npx isolab record in-turns.jsonl -- node in-turns.mjs
import pg from 'pg';
import { book, buy } from './shop.mjs';

const open = async () => {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  return client;
};

const [ann, ben] = [await open(), await open()];
await ann.query('drop table if exists items, bookings');
await ann.query('create table items (id int primary key, stock int not null)');
await ann.query('create table bookings (id serial primary key, room int, hour int, guest text)');
await ann.query('insert into items values (1, 100)');
await buy(ann, 1);
await buy(ben, 1);
await book(ann, 7, 9, 'ann');
await book(ben, 7, 9, 'ben');
await Promise.all([ann.end(), ben.end()]);
