import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

interface Change {
  readonly heading: string;
  readonly sentence: string;
}
interface Changes {
  readChange(name: string, text: string): Change;
  withChanges(changelog: string, version: string, changes: readonly Change[]): string;
}

const { readChange, withChanges } = (await import(
  String(new URL('../changes.mjs', import.meta.url))
)) as unknown as Changes;

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const changelog = readFileSync(`${root}CHANGELOG.md`, 'utf8');

test('every file of .changes has a heading and a sentence', () => {
  for (const name of readdirSync(`${root}.changes`).filter((each) => each !== 'README.md'))
    expect(readChange(name, readFileSync(`${root}.changes/${name}`, 'utf8')).sentence).not.toBe('');
});

test.each([
  ['News\n\nIt is fast.', '.changes/a.md, line 1: found "News", expected one of Wrong verdicts fixed, New, Faster'],
  ['New\n\nNo sentence', 'expected one line with a sentence'],
  ['New\n\nOne.\nTwo.', 'expected one line with a sentence'],
])('%j is refused', (text, problem) => {
  expect(() => readChange('a.md', text)).toThrow(problem);
});

test('without changes, the changelog stays as it is', () => {
  expect(withChanges(changelog, /^## (.*)$/m.exec(changelog)![1]!, [])).toBe(changelog);
});

test('changes go below their headings, in the section of the version', () => {
  const changes = [readChange('a.md', 'Faster\n\nIt is fast.\n'), readChange('b.md', 'New\n\nIt is new.\n')];
  const once = withChanges('# Changelog\n\n## 1.0.0\n\n### New\n\n- It exists.\n', '1.1.0', changes);
  expect(once).toMatchInlineSnapshot(`
    "# Changelog

    ## 1.1.0

    ### New

    - It is new.

    ### Faster

    - It is fast.

    ## 1.0.0

    ### New

    - It exists.
    "
  `);
  const twice = withChanges(once, '1.1.0', [readChange('c.md', 'New\n\nIt is newer.\n')]);
  expect(twice).toContain('- It is new.\n- It is newer.\n\n### Faster');
});
