import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@isolab/workloads';
import { type Report, type Suite, reportAttempt } from '../suite/suite.ts';
import { Judge } from './judge.ts';
import { Scenario } from './scenario.ts';
import { Workers } from './workers.ts';

/**
 * Writes two streams, one after the other, into one folder, from every source, with kills: each verdict must concern
 * the lines that were read.
 */
export const streams: Suite = {
  name: 'streams',
  title: 'pairs of streams into one folder, from every source, with kills: no verdict about unread lines',
  short: 12,
  long: 1000,
  async run(count, seed, report) {
    const root = mkdtempSync(join(tmpdir(), 'isolab-streams-'));
    const workers = new Workers();
    try {
      for (let i = 0; i < count; i++) {
        const random = new Random(`${seed}/${i}`);
        const folder = mkdtempSync(join(root, 'pair-'));
        const scenario = new Scenario(folder, random, workers, new Judge(join(root, 'checked.jsonl')));
        await attempt(scenario, `--seed ${seed}, pair ${i + 1}`, report);
        rmSync(folder, { recursive: true });
      }
    } finally {
      await workers.close();
      rmSync(root, { recursive: true, force: true });
    }
  },
};

async function attempt(scenario: Scenario, which: string, report: Report): Promise<void> {
  const late = sleep(MOST_MS, 'it did not end', { ref: false });
  const attempted = (): Promise<string | null> => Promise.race([scenario.run(), late]);
  await reportAttempt(report, scenario.kind, attempted, () => `${scenario.told}\n  (${which})`);
}

const MOST_MS = 120_000;
