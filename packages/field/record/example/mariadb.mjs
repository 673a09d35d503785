// Run: npx isolab record shop.jsonl --db mariadb -- node mariadb.mjs
import mysql from 'mysql2/promise';

const open = () => mysql.createConnection(process.env.DATABASE_URL);
const [ann, ben] = [await open(), await open()];

async function look(client, item) {
  await client.query('start transaction');
  const [[{ stock }]] = await client.execute('select stock from items where id = ?', [item]);
  return stock;
}

async function buy(client, item, stock) {
  await client.execute('update items set stock = ? where id = ?', [stock - 1, item]);
  await client.query('commit');
}

await ann.query('drop table if exists items');
await ann.query('create table items (id int primary key, stock int not null)');
await ann.query('insert into items values (1, 100)');
for (let day = 0; day < 2; day++) {
  const [seen, alsoSeen] = await Promise.all([look(ann, 1), look(ben, 1)]);
  await Promise.all([buy(ann, 1, seen), buy(ben, 1, alsoSeen)]);
}
await Promise.all([ann.end(), ben.end()]);
