import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { certificate, check, convert, generate, open, verify } from '../src/index.ts';

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
