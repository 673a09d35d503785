import { readFileSync } from 'node:fs';
import type { LevelName, Verdict } from '@isolab/contract';
import { observeForTest, prepare } from '@isolab/testkit';
import { realHistory, unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { consistencyModels, elle } from '../src/index.ts';
import { readJepsen } from './support/jepsen.ts';

async function verdictOf(path: string, level: LevelName, variant: string | null = null): Promise<Verdict> {
  const history = readJepsen(readFileSync(realHistory(path), 'utf8'));
  return (await observeForTest(elle, prepare(history), level, { findAll: true, variant })).verdict;
}

const patternsOf = (verdict: Verdict): string[] =>
  verdict.status === 'violated' ? verdict.anomalies.map(({ pattern, name }) => pattern ?? name) : [];

describe('the histories of Elle and elle-cli', unless('datasets'), () => {
  test.each([
    'elle/histories/paper-example.edn',
    ...['edn', 'json'].map((e) => `Plume/elle-cli-elle/paper-example.${e}`),
  ])('%s is not strict serializable', async (path) => {
    const verdict = await verdictOf(path, 'strict-serializable');
    expect(verdict.status).toBe('violated');
    expect(consistencyModels(patternsOf(verdict)).alsoNot).toContain('strong-serializable');
  });

  test('a history in which only anti-dependencies make a cycle is snapshot isolation and not repeatable read', async () => {
    const path = 'elle/histories/si-without-g-single.edn';
    expect((await verdictOf(path, 'snapshot-isolation')).status).toBe('satisfied');
    const verdict = await verdictOf(path, 'plain-serializable');
    expect(patternsOf(verdict)).toEqual(['G2-item']);
    expect(consistencyModels(patternsOf(verdict)).not).toEqual(['repeatable-read']);
  });

  test('a component in which Elle’s search gives up is not strong snapshot isolation', async () => {
    const verdict = await verdictOf('elle/histories/huge-scc.edn', 'strong-snapshot-isolation');
    expect(verdict.status).toBe('violated');
    expect(patternsOf(verdict).every((pattern) => pattern.endsWith('-realtime'))).toBe(true);
  });

  test.each(['edn', 'json'])(
    'elle-cli’s register history passes as published, although no transaction wrote its value (%s)',
    async (e) => {
      const path = `Plume/elle-cli-elle/rw-register.${e}`;
      expect((await verdictOf(path, 'strict-serializable', 'as-published')).status).toBe('satisfied');
      expect(patternsOf(await verdictOf(path, 'strict-serializable'))).toEqual(['thin-air-read']);
    },
  );
});
