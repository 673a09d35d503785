import { expect, test } from 'vitest';
import { Settings } from '../src/recording/settings.ts';
import type { Catalog } from '../src/sql/catalog.ts';

const FACTS = {
  user: 'me',
  database: 'db',
  applicationName: null,
  settings: { level: 'serializable', schemas: '["a"]' },
};
const fresh = (): Settings => new Settings(FACTS, new Set(['a.secret']));
const namesOf = (settings: Settings) => settings.names({} as Catalog);
const PATH = { kind: 'names', of: 'path', isInitial: false } as const;

test('a setting that a savepoint rolls back is unknown afterwards, and is not relied on', () => {
  const settings = fresh();
  settings.begin();
  settings.rollbackTo();
  expect(settings.level).toBe('serializable');
  settings.change({ kind: 'level', scope: 'session', level: 'repeatable read' });
  settings.rollbackTo();
  expect(settings.level).toBe('read committed');
  expect(namesOf(settings)).toMatchObject({ schemas: null, isOtherUser: true });
  settings.rollback();
  expect(settings.level).toBe('serializable');
  expect(namesOf(settings)).toMatchObject({ schemas: ['a'], isOtherUser: false });
});

test('names that mean something else mean it for their connection alone, until they are set back', () => {
  const [changed, other] = [fresh(), fresh()];
  expect(changed.meaning).toBe(other.meaning);
  changed.change(PATH);
  changed.change({ kind: 'definition', temporary: 'accounts' });
  expect(namesOf(changed)).toMatchObject({ schemas: null, temporary: new Set(['accounts']) });
  expect(changed.meaning).not.toBe(other.meaning);
  changed.change({ kind: 'reset', discards: false });
  expect(namesOf(changed)).toMatchObject({ schemas: ['a'], temporary: new Set(['accounts']) });
  changed.change({ kind: 'reset', discards: true });
  expect(changed.meaning).toBe(other.meaning);
  changed.change({ kind: 'names', of: 'user', isInitial: false });
  changed.change({ ...PATH, isInitial: true });
  expect(namesOf(changed)).toMatchObject({ schemas: ['a'], isOtherUser: true });
  changed.change({ kind: 'names', of: 'user', isInitial: true });
  expect(changed.meaning).toBe(other.meaning);
  changed.change({ kind: 'names', of: 'any' });
  expect(namesOf(changed)).toMatchObject({ schemas: null, isOtherUser: true });
  expect(namesOf(other).isOtherUser).toBe(false);
});
