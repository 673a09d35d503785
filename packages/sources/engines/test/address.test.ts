import process from 'node:process';
import { describe, expect, test } from 'vitest';
import {
  ENGINES,
  EngineError,
  availability,
  findEngine,
  isEngineAddress,
  isolationsWith,
  nameOf,
  parseEngineAddress,
} from '../src/index.ts';

describe('the releases that isolab knows', () => {
  test('the releases that isolab knows have a name each, levels, and a checksum where they come from elsewhere', () => {
    expect(new Set(ENGINES.map(nameOf)).size).toBe(ENGINES.length);
    for (const { origin, isolations } of ENGINES) {
      expect(isolations.length).toBeGreaterThan(0);
      if (origin.kind === 'maven') expect(origin.sha256).toMatch(/^[0-9a-f]{64}$/);
      if (origin.kind === 'npm')
        for (const pin of Object.values(origin.pins!)) expect(pin).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
      if (origin.kind === 'debian') for (const { sha256 } of origin.packages) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  test('the releases that isolab knows are distinguished by their addresses from servers of other people', () => {
    const own = [
      'postgres',
      'surrealdb?backend=rocksdb',
      'embedded',
      'embedded:',
      'embedded?max_connections=50',
      'postgres@12.3',
      'postgres@12.3?fsync=on',
    ];
    expect(own.filter((address) => !isEngineAddress(address))).toEqual([]);
    const others = [
      'duckdb:',
      'sqlite:',
      'duckdb:',
      'sqlite:',
      'postgres://me@host/db',
      'postgres://me:secret@host',
      'exec:a@b',
      'sqlite:a@b',
      'mysql://a@b?c=d',
      'localhost',
    ];
    expect(others.filter(isEngineAddress)).toEqual([]);
  });

  test('the releases that isolab knows may be another version that npm has, which is fetched on npm’s word alone', () => {
    expect(findEngine('postgres@16.2').origin).toMatchObject({ kind: 'npm', version: '16.2', pins: null });
    expect(findEngine('surrealdb@2.3.4').runs).toEqual(findEngine('surrealdb@3.0.3').runs);
  });

  test('the releases that isolab knows are the first of the list where no version is named', () => {
    expect(nameOf(findEngine('postgres'))).toBe('postgres@18.4');
    expect(nameOf(findEngine('turso'))).toBe(nameOf(ENGINES.find(({ name }) => name === 'turso')!));
  });

  test('the releases that isolab knows take settings of the server that are numbers and switches', () => {
    expect(parseEngineAddress('postgres@12.3?statement_timeout=1s&fsync=on')).toMatchObject({
      engine: { version: '12.3' },
      options: { statement_timeout: '1s', fsync: 'on' },
    });
  });

  test.each([
    ['mariadb@1.0', 'isolab cannot start mariadb@1.0; it can start mariadb@11.4.5'],
    ['postgres@latest', 'isolab cannot start postgres@latest; it can start postgres@18.4, postgres@18.0'],
    ['postgress@12', 'There is no engine postgress; did you mean postgres? '],
    ['embeded@1', 'There is no engine embeded; did you mean embedded? '],
    [
      'surrealdb@3.0.3?backend=floppy',
      'The option backend of SurrealDB is floppy, expected one of mem, rocksdb, surrealkv.',
    ],
    ['turso@0.7.2?x=1', 'Turso has no option x; it has no options.'],
    ['embedded?listen_addresses=0', 'The setting listen_addresses of the server cannot be changed'],
    ['embedded?port=1', 'The setting port of the server cannot be changed'],
    [
      'embedded?deadlock_timeout=1s',
      `Every session sets deadlock_timeout itself, so the server’s setting has no effect. Set it with --session-setup "SET deadlock_timeout = '1s'".`,
    ],
    ['mariadb?innodb_lock_wait_timeout=5', '--session-setup "SET innodb_lock_wait_timeout = 5"'],
    ['galera?innodb_lock_wait_timeout=5', '--session-setup "SET innodb_lock_wait_timeout = 5"'],
    ['embedded?archive_command=rm', 'The setting archive_command is rm, expected a number'],
  ])('%s is refused', (address, message) => {
    expect(() => parseEngineAddress(address)).toThrow(EngineError);
    expect(() => parseEngineAddress(address)).toThrow(message);
  });
});

test('an engine that cannot run here names the missing tool', () => {
  const [engine] = ENGINES;
  expect(availability({ ...engine!, needs: ['no-such-program', 'nor-this'] })).toBe(
    'needs no-such-program and nor-this, which are not installed',
  );
  expect(availability({ ...engine!, platforms: ['plan9-mips'] })).toContain('runs only on plan9-mips; this machine is');
  expect(availability({ ...engine!, clients: ['no-such-package'] })).toBe(
    'needs the package no-such-package, which is not installed: npm install no-such-package',
  );
  expect(availability({ ...engine!, needs: [], clients: ['vitest'] })).toBeNull();
});

test('MariaDB claims snapshots at REPEATABLE READ only where its address asks for them', () => {
  const claimed = (address: string): string | undefined => {
    const { engine, options } = parseEngineAddress(address);
    return isolationsWith(engine, options).find(({ name }) => name === 'repeatable read')?.claims;
  };
  expect(claimed('mariadb@10.11.19')).toBe('read-committed-pl2');
  expect(claimed('mariadb@10.11.19?innodb_snapshot_isolation=off')).toBe('read-committed-pl2');
  expect(claimed('mariadb@10.11.19?innodb_snapshot_isolation=ON')).toBe('snapshot-isolation');
  expect(claimed('galera?innodb_snapshot_isolation=1')).toBe('snapshot-isolation');
  expect(claimed('mariadb@10.11.5?innodb_snapshot_isolation=on')).toBe('read-committed-pl2');
  expect(claimed('postgres?innodb_snapshot_isolation=on')).toBe('snapshot-isolation');
});

test('an engine whose programs want a newer glibc says so', () => {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const why = availability({ ...ENGINES[0]!, needs: [], glibc: '99.1' });
  expect(why).toBe(
    header.glibcVersionRuntime === undefined
      ? null
      : `needs glibc 99.1, but this machine has ${header.glibcVersionRuntime}`,
  );
});
