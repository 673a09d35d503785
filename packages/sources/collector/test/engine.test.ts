import { unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { CollectorError, driverFor } from '../src/index.ts';
import { unlessFetched } from './fetched.ts';

const isLong = process.env['ISOLAB_LONG'] !== undefined;
const limits = { connectMs: 10_000 };

test('the server of the npm package is the release that its name says, with the settings of its address', async () => {
  const address = 'postgres@18.4?max_connections=50';
  const driver = await driverFor(address);
  expect(driver.isolations.map(({ name }) => name)).toEqual(['read committed', 'repeatable read', 'serializable']);
  const database = await driver.open(address, limits);
  try {
    expect(database.description).toBe('PostgreSQL 18.4');
    expect(database.isTemporary).toBe(true);
  } finally {
    await database.close();
  }
});

describe('an engine that cannot be started is refused with the known releases', () => {
  test.each([
    ['h2@0.1', 'isolab cannot start h2@0.1'],
    ['embedded?port=1', 'The setting port of the server cannot be changed'],
    ['', 'The address of the database is empty; is a variable unset? Expected an address that begins with'],
    ['embeded', 'There is no driver for embeded; did you mean embedded? Expected'],
    ['postgress', 'did you mean postgres? '],
    ['postgress://me@host', 'There is no driver for postgress:; did you mean postgres? Expected'],
  ])('%s', async (address, message) => {
    await expect(driverFor(address)).rejects.toThrow(CollectorError);
    await expect(driverFor(address)).rejects.toThrow(message);
  });
});

describe.each([
  ['postgres@18.4', {}],
  // Two recoveries of the fetched MariaDB take twenty seconds of a core, and those of an installed one two.
  isLong
    ? (['mariadb@11.4.5', await unlessFetched('mariadb@11.4.5')] as const)
    : (['mariadb@10.11.19', unless('mariadb')] as const),
] as const)('%s', (name, skipping) => {
  test('the server continues after it was killed, with its latest commits', skipping, async () => {
    const driver = await driverFor(name);
    const database = await driver.open(name, limits);
    const isolation = driver.isolations.at(-1)!;
    try {
      await database.prepare('registers', false);
      for (const value of [1, 2]) {
        const writer = await database.connect(isolation);
        await writer.begin();
        await writer.ask({ kind: 'write', key: 7, value });
        await writer.commit();
        await database.faults!.kill(0);
        writer.abandon();
        await database.faults!.restart(0);
        const reader = await database.connect(isolation);
        await reader.begin();
        expect(await reader.ask({ kind: 'read', key: 7 })).toBe(value);
        await reader.close();
        await database.prepare('registers', value === 1); // by a connection that was lost, too
      }
    } finally {
      await database.close();
    }
  });
});
