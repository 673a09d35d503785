/** Sells one of an item, if there is one left. */
export async function buy(client, item) {
  await client.query('begin');
  const { rows } = await client.query('select stock from items where id = $1', [item]);
  const { stock } = rows[0];
  if (stock > 0) await client.query('update items set stock = $1 where id = $2', [stock - 1, item]);
  await client.query('commit');
  return stock > 0;
}

/** Books a room, if nobody has booked it for that hour. */
export async function book(client, room, hour, guest) {
  await client.query('begin');
  const { rows } = await client.query('select id from bookings where room = $1 and hour = $2', [room, hour]);
  const isFree = rows.length === 0;
  if (isFree) await client.query('insert into bookings (room, hour, guest) values ($1, $2, $3)', [room, hour, guest]);
  await client.query('commit');
  return isFree;
}
