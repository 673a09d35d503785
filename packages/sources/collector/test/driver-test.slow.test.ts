// Slow: starts drivers that are wrong in many ways, each in a process of its own.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { type DataKind, driverFor, startEmbedded, testDriver } from '../src/index.ts';
import { unlessFetched } from './fetched.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-driver-test-'));
const example = fileURLToPath(new URL('../examples/memory-driver.mjs', import.meta.url));
const ownDriver = fileURLToPath(new URL('../examples/own-driver.mjs', import.meta.url));
const client = fileURLToPath(new URL('../examples/file-client.mjs', import.meta.url));
let files = 0;

/** The example, with something else in it. */
function changed(changes: Readonly<Record<string, string>>): string {
  let code = readFileSync(example, 'utf8');
  for (const [from, to] of Object.entries(changes)) {
    expect(code).toContain(from);
    code = code.replace(from, to);
  }
  const path = join(folder, `${files++}.mjs`);
  writeFileSync(path, code);
  return `module:${path}`;
}

/** The checks that did not hold, with the findings. */
async function failures(address: string, kinds?: readonly DataKind[]): Promise<Record<string, string>> {
  const driver = await driverFor(address);
  const isolation = driver.isolations.at(-1)!;
  const findings = await testDriver(driver, address, isolation, { connectMs: 5000 }, kinds ?? driver.data, {
    onFinding: () => {},
  });
  expect(findings.length).toBeGreaterThan(0);
  const failed = findings.filter(({ holds }) => holds === false);
  return Object.fromEntries(failed.map(({ data, check, found }) => [`${data}: ${check}`, found]));
}

test('the driver in docs/drivers.md is the example that is tested here, in forty lines of code', () => {
  const page = readFileSync(new URL('../../../../docs/drivers.md', import.meta.url), 'utf8');
  const code = readFileSync(example, 'utf8');
  expect(/```js\n([^]*?)```/.exec(page)?.[1]).toBe(code);
  const lines = code.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('//'));
  expect(lines.length).toBeLessThanOrEqual(40);
});

describe('the test kit passes', () => {
  describe.each([
    ['SurrealDB, whose rows are no registers', 'surrealdb@3.0.3', ['rows']],
    ['etcd, three nodes of it', 'etcd@3.4.23', ['registers', 'lists', 'rows']],
    ['Redis', 'redis@7.0.15', ['registers', 'lists']],
  ] as const)('%s', async (_, name, kinds) => {
    test('in its own way', await unlessFetched(name), async () => expect(await failures(name, kinds)).toEqual({}));
  });

  test('the example of a module', async () => expect(await failures(`module:${example}`)).toEqual({}));

  test('the driver of docs/field.md, at PostgreSQL', async () => {
    const server = await startEmbedded();
    try {
      const { hostname, port, username, password, pathname } = new URL(server.address);
      vi.stubEnv('PGHOST', hostname);
      vi.stubEnv('PGPORT', port);
      vi.stubEnv('PGUSER', username);
      vi.stubEnv('PGPASSWORD', password);
      vi.stubEnv('PGDATABASE', pathname.slice(1));
      expect(await failures(`module:${ownDriver}`)).toEqual({});
    } finally {
      vi.unstubAllEnvs();
      await server.database.close();
    }
  });

  test('the example of a program, whose killed processes leave no lock', async () => {
    const address = `exec:node ${client} ${join(folder, 'store.json')}`;
    expect(await failures(address, ['registers', 'lists'])).toEqual({});
  });
});

describe('the test kit finds', () => {
  const WRITE_NOW = 'this.store.content.set(key, { value, version: ++this.store.version });';

  test.each([
    [
      'writes that are seen at once',
      {
        'this.writes.set(key, value);': WRITE_NOW,
        'this.snapshot.get(key)?.value ?? null': 'this.store.content.get(key)?.value ?? null',
      },
      'no session sees uncommitted writes',
      'values while the writer was active: [',
    ],
    [
      'a rollback that commits',
      { 'rollback() {}': 'rollback() { try { this.commit() } catch {} }' },
      'rollback undoes writes',
      'values in the other session: [',
    ],
    [
      'a commit that forgets',
      { 'content.set(key, { value, version });': 'if (value % 2) content.set(key, { value, version });' },
      'other sessions and the same session see committed writes',
      'values in the other session: [] instead of [',
    ],
    [
      'rounded values',
      { 'this.writes.set(key, value);': 'this.writes.set(key, Math.fround(value));' },
      'values are exact',
      'answered 9007199254740992, expected a whole number',
    ],
    [
      'values of text',
      { 'this.snapshot.get(key)?.value ?? null': 'String(this.snapshot.get(key)?.value ?? 0)' },
      'a key has no value before its first write',
      'answered "0", expected a whole number',
    ],
    [
      'a prepare that keeps',
      { 'store.content.clear()': '0' },
      'prepare empties or keeps the data, as requested',
      'emptied: [',
    ],
    [
      'a prepare that empties always',
      { 'keep ||': '' },
      'prepare empties or keeps the data, as requested',
      'kept: [] instead of [',
    ],
    [
      'an abort whose writes stay',
      {
        'throw conflict(`key ${key} was changed`)':
          '{ for (const [k, value] of this.writes) content.set(k, { value, version: -1 }); throw conflict(`key ${key} was changed`); }',
      },
      'an aborted transaction has no effects, and its session continues',
      'is visible, although its transaction aborted',
    ],
    [
      'updates that are lost',
      { 'throw conflict(`key ${key} was changed`)': 'continue' },
      'an aborted transaction has no effects, and its session continues',
      'a lost update, which snapshot forbids',
    ],
    [
      'a session that ends with its first abort',
      {
        'begin() {': "begin() { if (this.over) throw new Error('no more');",
        'throw conflict(`key ${key} was changed`)': '{ this.over = true; throw conflict(key); }',
      },
      'an aborted transaction has no effects, and its session continues',
      'says error: no more',
    ],
    [
      'a rollback that is refused',
      { 'rollback() {}': "rollback() { throw new Error('nothing to undo'); }" },
      'rollback undoes writes',
      'says error: nothing to undo',
    ],
    [
      'a cut connection that commits',
      { 'rollback() {}': 'rollback() { this.writes.clear(); } close() { if (this.writes?.size) this.commit(); }' },
      'cutting the connection during a transaction undoes the transaction',
      'values in another session: [',
    ],
    [
      'a lock that a cut connection keeps',
      {
        'begin() {':
          'async begin() { while (this.store.busy) await new Promise((go) => setTimeout(go, 1)); this.store.busy = true;',
        'commit() {': 'commit() { this.store.busy = false;',
        'rollback() {}': 'rollback() { this.store.busy = false; }',
      },
      'cutting the connection during a transaction undoes the transaction',
      'no answer to begin for 5 seconds',
    ],
    [
      'keys that are taken for one',
      {
        'write(key, value) {': 'write(key, value) { key = String(key).toLowerCase();',
        'read(key) {': 'read(key) { key = String(key).toLowerCase();',
      },
      'keys can be texts',
      'keys ["user 1","it\'s","User 1"]',
    ],
    [
      'a level that does not work',
      {
        'isolations: { snapshot': "isolations: { low: 'read-committed', snapshot",
        'connect: () =>': "connect: (level) => level === 'low' ? Promise.reject(new Error('no such level')) :",
      },
      'every isolation level of the driver can be used',
      'no such level',
    ],
  ] as const)('%s', async (_, changes, check, found) => {
    const failed = await failures(changed(changes), ['registers']);
    expect(failed).toMatchObject({ [`registers: ${check}`]: expect.stringContaining(found) });
  });

  test('one session for all', async () => {
    const oneForAll = { 'connect: () => new Session(store)': 'connect: () => (store.one ??= new Session(store))' };
    const failed = await failures(changed(oneForAll), ['registers']);
    // Either of them notices, as the transactions happen to take turns.
    const noticing = [
      'registers: concurrent sessions do not affect each other’s keys',
      'registers: an aborted transaction has no effects, and its session continues',
    ];
    expect(Object.keys(failed).filter((name) => noticing.includes(name))).not.toEqual([]);
  });

  const TOGETHER = 'concurrent writes of one key all take effect, also below snapshot isolation';
  /** The example with a level below its own, at which nothing is compared at commit. */
  const low = {
    'isolations: { snapshot': "isolations: { low: 'read-committed', snapshot",
    'connect: () => new Session(store)': 'connect: (level) => Object.assign(new Session(store), { level })',
    'if (content.get(key)?.version': "if (this.level !== 'low' && content.get(key)?.version",
  };

  test('an append that reads before it writes, where nothing else would show it', async () => {
    expect(await failures(changed(low), ['lists', 'registers'])).toEqual({
      [`lists: ${TOGETHER}`]: expect.stringMatching(
        /^at low, \[\d+,\d+\] were appended and committed, but the list is \[\d+\]$/,
      ),
    });
  });

  test('writes that undo each other', async () => {
    const conflict =
      'if (content.get(key)?.version !== this.snapshot.get(key)?.version) throw conflict(`key ${key} was changed`);';
    const undone =
      'if (content.get(key)?.version !== this.snapshot.get(key)?.version) { content.delete(key); return; }';
    const { 'if (content.get(key)?.version': _, ...levels } = low;
    expect(await failures(changed({ ...levels, [conflict]: undone }), ['registers'])).toMatchObject({
      [`registers: ${TOGETHER}`]: expect.stringMatching(/were written and committed, but the value is \[\]$/) as string,
    });
  });

  test('an append that reads before it writes, at PostgreSQL’s read committed', async () => {
    const server = await startEmbedded();
    const file = fileURLToPath(new URL('fixtures/reading-appends.mjs', import.meta.url));
    const address = `module:${file}?address=${encodeURIComponent(server.address)}`;
    try {
      for (let times = 0; times < 3; times++)
        expect(await failures(address)).toEqual({
          [`lists: ${TOGETHER}`]: expect.stringContaining('at read committed, ') as string,
        });
      expect(await failures(`${address}&atomic=yes`)).toEqual({});
    } finally {
      await server.database.close();
    }
  });

  test('the test kit finds lists whose elements come first', async () => {
    const failed = await failures(changed({ '[...this.readList(key), value]': '[value, ...this.readList(key)]' }), [
      'lists',
    ]);
    expect(failed['lists: appended values are at the end, in commit order']).toContain(
      'instead of [3000,1000,2000,10000,9000]',
    );
  });
});
