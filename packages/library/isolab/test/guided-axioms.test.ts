import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseNotation } from '@isolab/formats';
import { certificate, check, convert, generate, open, story, verify } from '../src/index.ts';
import { openedHistory } from '../src/open.ts';

// A file of dbcop has one session after the other, and no times: it says nothing of when things happened.
test.each([
  ['serializable', 'serializable', 'thread'],
  ['serializable', 'read-committed', 'thread'],
  ['serializable', 'monotonic-reads', 'thread'],
  ['snapshot-isolation', 'snapshot-isolation', 'thread'],
  ['snapshot-isolation', 'adya-snapshot-isolation', 'thread'],
  ['snapshot-isolation', 'parallel-snapshot-isolation', 'thread'],
  ['causal', 'causal', 'thread'],
  ['serializable', 'serializable', 'worker'],
] as const)(
  'the guided checker looks once where weave finds an order: made at %s, judged at %s, in a %s',
  async (made, level, place) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'isolab-guided-'));
    try {
      const { history } = await generate({
        workload: 'general',
        level: made,
        sessions: 8,
        transactions: 60,
        seed: 1,
        times: false,
      });
      const file = path.join(folder, 'h.bincode');
      await convert(history, file, { to: 'dbcop-bincode', allowLossy: true });
      const input = await open(file);
      const result = await check(input, { level, checker: 'axioms', place });
      expect(result.verdict).toBe('satisfied');
      expect(result.runs.at(-1)?.counters['rounds']).toBe(1);
      expect(verify(input, certificate(input, result))).toMatchObject({ ok: true });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test.each([
  ['cursor-stability', 'initial 0\nr(x,0) w(x,1)\nr(x,0) w(x,2)', 'lost-update'],
  ['update-serializable', 'initial 0\nr(x,0) r(y,0) w(x,1)\nr(x,0) r(y,0) w(y,1)', 'G2-item'],
] as const)('a violation of %s that only axioms explain: %s', async (level, text, name) => {
  const opened = openedHistory(parseNotation(text), { name: 'a history', format: 'notation', ms: 0 });
  const result = await check(opened, { level });
  const told = await story(opened, result);
  expect(told).toMatchObject({ level, anomaly: { name } });
  expect(told!.summary).not.toContain('axiom');
});
