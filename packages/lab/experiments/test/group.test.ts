import type { Job } from 'bullmq';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Measurer } from '../src/measurement/measure.ts';
import { groupsOf } from '../src/measurement/cells.ts';
import { programVersion } from '../src/queue/program-version.ts';
import { type GroupRun, runGroup } from '../src/queue/group.ts';
import { type GroupJob, type GroupReport, whyNoGroup } from '../src/queue/job.ts';
import { hostId } from '../src/measurement/results.ts';
import { taskOf } from '../src/measurement/task.ts';
import { type Laboratory, experimentWith, laboratory, quick } from './support/laboratory.ts';

const series = [
  { name: 'A', checker: 'quick' },
  { name: 'B', checker: 'quick', level: 'causal' },
];

/** A worker's run of a group as a producer would have put it, with changes. */
async function groupWith(lab: Laboratory, change: (job: GroupJob) => GroupJob, progress: unknown = 0) {
  const cache = `${lab.folder}/cache`;
  const measurer = new Measurer({ root: lab.folder, cache, datasets: lab.datasets(), tools: {}, loadChecker: quick });
  const [group] = groupsOf(experimentWith({ series }), 'ci', 1);
  const tasks = group!.map((cell) => taskOf(cell, { scale: 'ci', verify: false, jobs: 1 }));
  const cells = await Promise.all(
    tasks.map(async (task) => {
      const [engine, history] = [await measurer.engineFor(task), await measurer.historyFor(task)];
      if (engine.kind === 'absent' || 'reason' in history) throw new Error('expected to be there');
      return { task, history: history.sha256, code: engine.code, known: [] };
    }),
  );
  const told: unknown[] = [];
  const job = {
    data: change({ program: programVersion(), commit: 'abc', cells }),
    attemptsStarted: 2,
    progress,
    extendLock: async () => 1,
    updateProgress: async (report: unknown) => void told.push(report),
  } as unknown as Job<GroupJob, GroupReport>;
  const run: GroupRun = {
    measurer,
    job,
    token: '',
    lockMs: 1,
    cancelled: new AbortController().signal,
    onRow: undefined,
  };
  return { run: () => runGroup(run), told, job, host: hostId(measurer.host) };
}
const firstWith = (change: Partial<GroupJob['cells'][0]>) => (job: GroupJob) => ({
  ...job,
  cells: job.cells.map((cell, index) => (index === 0 ? { ...cell, ...change } : cell)),
});

test('a worker with other code, another checker or another history refuses, and says so', async () => {
  const lab = laboratory();
  const refusal = async (change: (job: GroupJob) => GroupJob): Promise<string> =>
    (await groupWith(lab, change)).run().then(
      () => 'none',
      (error: Error) => `${error.constructor.name}: ${error.message}`,
    );
  expect(await refusal((job) => ({ ...job, program: 'other' }))).toMatch(
    /^RefusalError: The code of isolab on this machine \(commit unknown\) differs from that of the producer \(commit abc\)/,
  );
  expect(await refusal(firstWith({ code: 'other' }))).toMatch(
    /^RefusalError: The code of quick on this machine .* differs from that of the producer/,
  );
  expect(await refusal(firstWith({ history: 'f'.repeat(64) }))).toMatch(
    /^RefusalError: general-[0-9a-f]+ is a different history on the producer’s machine .*expected ffffffffffff…/,
  );
});

test('a worker continues with the work that an earlier one on such a machine has left, and skips known measurements', async () => {
  const lab = laboratory();
  const { host } = await groupWith(lab, (job) => job);
  const kept = { cell: 0, row: null };
  const resumed = await groupWith(lab, (job) => job, { attempt: 1, host, cells: [kept] });
  const report = await resumed.run();
  expect(report).toMatchObject({ attempt: 2, host, cells: [kept, { cell: 1, row: { verdict: 'satisfied' } }] });
  expect(resumed.told).toEqual([report]);
  const known = await groupWith(lab, (job) => ({
    ...job,
    cells: job.cells.map((cell) => ({ ...cell, known: [host] })),
  }));
  expect(await known.run()).toEqual({ attempt: 2, host, cells: [kept, { cell: 1, row: null }] });
});

test('a job that is no group of ours is distinguished from one, with any contents', async () => {
  const lab = laboratory();
  const { job } = await groupWith(lab, (given) => given);
  expect(whyNoGroup(JSON.parse(JSON.stringify(job.data)))).toBeNull();
  fc.assert(
    fc.property(fc.jsonValue(), (data) => void expect(whyNoGroup(data)).toMatch(/^found .*, expected a group/s)),
  );
  const { program, commit, cells } = job.data;
  for (const cell of [
    null,
    'x',
    {},
    { ...cells[0], task: null },
    { ...cells[0], history: 7 },
    { ...cells[0], known: {} },
  ])
    expect(whyNoGroup({ program, commit, cells: [...cells, cell] })).toMatch(/ as cell 2, expected a task/);
});
