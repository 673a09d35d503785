import { describe, expect, test } from 'vitest';
import { ENGINES, EngineError, availability, isEngineAddress, nameOf, parseEngineAddress } from '../src/index.ts';

describe('the releases that isolab knows', () => {
  test('have a name each, levels, and a checksum where they come from elsewhere', () => {
    expect(new Set(ENGINES.map(nameOf)).size).toBe(ENGINES.length);
    for (const { origin, isolations } of ENGINES) {
      expect(isolations.length).toBeGreaterThan(0);
      if (origin.kind === 'maven') expect(origin.sha256).toMatch(/^[0-9a-f]{64}$/);
      if (origin.kind === 'npm') expect(Object.values(origin.integrity ?? {})).not.toEqual([]);
    }
  });

  test('are told by their addresses from servers of other people', () => {
    const own = ['embedded', 'embedded:', 'embedded?deadlock_timeout=1s', 'postgres@12.3', 'postgres@12.3?fsync=on'];
    expect(own.filter((address) => !isEngineAddress(address))).toEqual([]);
    const others = ['postgres://me@host/db', 'postgres://me:secret@host', 'exec:a@b', 'sqlite:a@b', 'mysql://a@b?c=d'];
    expect(others.filter(isEngineAddress)).toEqual([]);
  });

  test('take settings of the server that are numbers and switches', () => {
    expect(parseEngineAddress('postgres@12.3?deadlock_timeout=1s&fsync=on')).toMatchObject({
      engine: { version: '12.3' },
      options: { deadlock_timeout: '1s', fsync: 'on' },
    });
  });

  test.each([
    ['postgres@13.1', 'isolab cannot start postgres@13.1, only postgres@18.4, postgres@12.3'],
    ['embedded?listen_addresses=0', 'The setting listen_addresses of the server cannot be changed'],
    ['embedded?port=1', 'The setting port of the server cannot be changed'],
    ['embedded?archive_command=rm', 'The setting archive_command is rm, expected a number'],
  ])('%s is refused', (address, message) => {
    expect(() => parseEngineAddress(address)).toThrow(EngineError);
    expect(() => parseEngineAddress(address)).toThrow(message);
  });
});

test('an engine that cannot run here says what is missing', () => {
  const [engine] = ENGINES;
  expect(availability({ ...engine!, needs: ['no-such-program', 'nor-this'] })).toBe(
    'needs no-such-program and nor-this, which are not installed',
  );
  expect(availability({ ...engine!, platforms: ['plan9-mips'] })).toContain('is for plan9-mips, and this is');
  expect(availability({ ...engine!, needs: [] })).toBeNull();
});
