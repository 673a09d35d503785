import { connect } from './clients.ts';

/** Creates an empty database on the server of an address, and returns the address of that database. */
export async function freshDatabase(address: string, name: string): Promise<string> {
  const client = await connect(address);
  try {
    await client.execute(`create database ${name}`, []);
  } finally {
    await client.end();
  }
  const fresh = new URL(address);
  fresh.pathname = `/${name}`;
  return fresh.href;
}
