import { describe, expect, test } from 'vitest';
import { driverFor } from '../src/drivers/drivers.ts';
import { secretsHider, withoutSecrets } from '../src/database/secrets.ts';
import { LIMITS } from './fake.ts';

describe('an address for people', () => {
  test.each([
    ['postgres://me:secret@host/db', 'postgres://me:…@host/db'],
    ['mysql://u:s@crét:/x@host:1/db?a=b', 'mysql://u:…@host:1/db?a=b'],
    ['mongodb+srv://u:p%40ss@host/db', 'mongodb+srv://u:…@host/db'],
    ['postgres://host/db?user=me&password=secret&x=1', 'postgres://host/db?user=me&password=…&x=1'],
    ['exec:node c.mjs mysql://u:secret@h/d --password=hunter2 x', 'exec:node c.mjs mysql://u:…@h/d --password=… x'],
    ['exec:PGPASSWORD=secret node c.mjs', 'exec:PGPASSWORD=… node c.mjs'],
    ['postgres://me@host/db', 'postgres://me@host/db'],
    ['sqlite:a:b.db', 'sqlite:a:b.db'],
  ])('%s', (address, shown) => {
    expect(withoutSecrets(address)).toBe(shown);
  });

  test('any text loses its secrets, encoded or not', () => {
    const hide = secretsHider('postgres://me:s%40cret@host/db');
    expect(hide('login of me with "s@cret" (s%40cret) at postgres://me:s%40cret@host')).toBe(
      'login of me with "…" (…) at postgres://me:…@host',
    );
  });

  test('a short password does not tear other words', () => {
    expect(secretsHider('postgres://a:a@host/db')('a database at postgres://a:a@host')).toBe(
      'a database at postgres://a:…@host',
    );
  });
});

describe('no message contains a password', () => {
  test.each([
    'oracle://u:hunter2@host',
    'constructor:hunter2',
    'hunter2@host:5432',
    'POSTGRES://u:hunter2@host',
    '__proto__:hunter2',
  ])('%s', async (address) => {
    const failure = driverFor(address);
    await expect(failure).rejects.toThrow('There is no driver for');
    await expect(failure).rejects.not.toThrow('hunter2');
  });

  test.each([
    'postgres://u:hunter2@127.0.0.1:1/db',
    'postgres://u:hunter2@[bad/db',
    'postgres://u:hunter2@127.0.0.1:99999999/db',
    'exec:exit 3 # mysql://u:hunter2@host',
    'exec:echo \'{"error":"no mysql://u:hunter2@host for hunter2"}\' # mysql://u:hunter2@host',
  ])('%s', async (address) => {
    const driver = await driverFor(address);
    const error = await driver.open(address, LIMITS).then(
      () => null,
      (reason: Error) => reason,
    );
    expect(error?.name).toBe('CollectorError');
    for (let one: unknown = error; one instanceof Error; one = one.cause)
      expect(`${one.message} ${one.stack}`).not.toContain('hunter2');
  });
});
