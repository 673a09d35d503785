import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { LevelName } from '../../src/index.ts';
import { problemOf } from './support/certificates.ts';
import { history } from './support/notation.ts';

interface Example {
  readonly level: LevelName;
  readonly verdict: 'satisfied' | 'violated';
  readonly certificate: { readonly kind: string };
}

const page = readFileSync(new URL('../../../../docs/certificates.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/```history\n(.*?)```\s+```json\n(.*?)```/gs)].map(
  ([, text, json]) => [text!, JSON.parse(json!) as Example] as const,
);

describe('the examples of docs/certificates.md', () => {
  test.each(blocks)('prove what they say: %s', (text, { level, verdict, certificate }) => {
    expect(problemOf(history(text), level, verdict, certificate)).toBeNull();
  });

  test('show every kind', () => {
    const kinds = new Set(blocks.map(([, { certificate }]) => certificate.kind));
    const all = ['inspection', 'commit-order', 'event-order', 'internal', 'lists', 'cycle', 'cases', 'proof'];
    expect([...kinds].toSorted()).toEqual(all.toSorted());
    expect(page.match(/```json/g)).toHaveLength(blocks.length);
  });
});
