import { expect, test } from 'vitest';
import { Settings } from '../src/recording/settings.ts';
import type { Catalog } from '../src/sql/catalog.ts';

const FACTS = {
  user: 'me',
  database: 'db',
  applicationName: null,
  settings: { level: 'serializable', schemas: '["a"]' },
  reported: { client_encoding: 'UTF8', server_encoding: 'UTF8', standard_conforming_strings: 'on' },
};
const fresh = (): Settings => new Settings(FACTS, new Set(['a.secret']));
const namesOf = (settings: Settings) => settings.names({} as Catalog);
function changes(settings: Settings, what: 'settings' | 'definitions'): void {
  settings.mayChange();
  settings.hasChanged(what);
}

const ANSWER = ['repeatable read', 'serializable', '["b"]', 'me', null];

test('a setting that may have changed is uncertain until the server has answered', () => {
  const settings = fresh();
  expect(settings.level).toBe('serializable');
  settings.mayChange();
  expect(settings.level).toBe('read committed');
  settings.hasChanged(null);
  expect(settings.level).toBe('serializable');
  changes(settings, 'settings');
  expect(settings.level).toBe('read committed');
  expect(namesOf(settings).doubt).toContain('a setting that may have changed');
  expect(settings.answers(ANSWER)).toBe('serializable');
  expect(settings.level).toBe('repeatable read');
  expect(namesOf(settings)).toMatchObject({ schemas: ['b'], doubt: null });
});

test('the end of a transaction, or of a savepoint, may take settings back', () => {
  const settings = fresh();
  settings.ends();
  settings.rollbackTo();
  expect(settings.isInDoubt).toBe(false);
  changes(settings, 'settings');
  settings.answers(ANSWER);
  settings.rollbackTo();
  expect(settings.isInDoubt).toBe(true);
  settings.answers(ANSWER);
  settings.ends();
  expect(settings.isInDoubt).toBe(true);
  settings.answers(ANSWER);
  settings.ends();
  expect(settings.isInDoubt).toBe(false);
});

test('the definitions of a transaction are unknown to others up to its end', () => {
  const settings = fresh();
  changes(settings, 'definitions');
  settings.answers(ANSWER);
  expect(namesOf(settings).doubt).toContain('a definition');
  settings.ends();
  settings.answers(ANSWER);
  expect(namesOf(settings).doubt).toBe(null);
});

test('names that mean something else mean it for their connection alone', () => {
  const [changed, other] = [fresh(), fresh()];
  expect(changed.meaning).toBe(other.meaning);
  changed.createsTemporary('accounts');
  expect(namesOf(changed)).toMatchObject({ temporary: new Set(['accounts']), doubt: null });
  expect(changed.meaning).not.toBe(other.meaning);
  expect(changed.path).toBe(other.path);
  changed.answers(['serializable', 'serializable', '["a"]', 'you', null]);
  expect(namesOf(changed).doubt).toBe('a changed role');
});

test.each([
  [{}, 'select 1', false],
  [{}, String.raw`select 'é\n'`, false],
  [{ client_encoding: 'LATIN1' }, 'select 1', false],
  [{ client_encoding: 'LATIN1' }, "select 'é'", true],
  [{ client_encoding: 'SQL_ASCII' }, "select 'é'", false],
  [{ client_encoding: 'SQL_ASCII', server_encoding: 'LATIN1' }, "select 'é'", true],
  [{ standard_conforming_strings: 'off' }, "select 'a'", false],
  [{ standard_conforming_strings: 'off' }, String.raw`select '\'`, true],
])('with %j, %s is obscure: %s', (reported, sql, isObscure) => {
  const settings = fresh();
  for (const [name, value] of Object.entries(reported)) settings.reports(name, value);
  expect(settings.obscures(sql) !== null).toBe(isObscure);
});

test('a long text is not parsed', () => {
  const settings = fresh();
  expect(settings.obscures('x'.repeat(100_000))).toBe(null);
  expect(settings.obscures('x'.repeat(100_001))).toBe('a text of more than 100,000 characters');
});
