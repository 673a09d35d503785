/** Engines in driver programs of isolab, as a user asks for them. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { unlessFetched } from './fetched.ts';
import { STARTED, WORKLOADS, expectHistory } from './programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-engines-test-'));

describe.each(await Promise.all(STARTED.map(async (name) => [name, await unlessFetched(name)] as const)))(
  '%s',
  (name, skipping) => {
    test.each(WORKLOADS)('the engine serves %s with all sessions in one process', { ...skipping }, (workload) =>
      expectHistory(name, workload, join(folder, `${name}-${workload}.jsonl`)),
    );
  },
);
