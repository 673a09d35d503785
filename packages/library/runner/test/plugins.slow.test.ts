// Slow: starts plug-ins that crash, hang, lie and flood, each in processes of its own.
import type { History } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { type RunPlace, type Report, type RunOptions, loadChecker, loadPlugin, prepare, run } from '../src/index.ts';
import { PLACES, fixture, historyOf, r, w } from './support/moody.ts';

const naughty = fixture('plugins/naughty.mjs').href;

const simple = (): History => historyOf([[[w('x', 1)]], [[r('x', 1), w('x', 2)]], [[r('x', 2)]]]);

async function runDeed(
  deed: string,
  pluginPlace?: RunPlace,
  options: RunOptions = {},
  history: History = simple(),
): Promise<Report> {
  const checker = await loadPlugin(naughty);
  const job = { checker, prepared: prepare(history), level: 'serializable', options: { deed } } as const;
  return run(job, { ...(pluginPlace && { pluginPlace }), ...options });
}

describe('a plug-in', () => {
  test('a plug-in is described without running here, and runs in a process unless asked otherwise', async () => {
    const { checker, isPlugin, url } = await loadPlugin(naughty);
    expect(checker.info).toEqual((await loadChecker(naughty)).checker.info);
    expect({ isPlugin, url }).toEqual({ isPlugin: true, url: naughty });
    expect(await runDeed('nothing')).toMatchObject({ place: 'process', isPlugin: true });
  });

  test.each([
    ['exits-when-loaded', 'ended its thread (exit code 0)'],
    ['broken', 'does not load: the plug-in is broken'],
    ['no-default', 'has no default export (it exports check, info)'],
    ['version-2', 'was written for version 2 of the checker contract'],
  ])('a plug-in that %s is refused with the reason', async (name, message) => {
    await expect(loadPlugin(fixture(`plugins/${name}.mjs`).href)).rejects.toThrow(message);
  });

  test('a plug-in that loops when it is loaded is given up, within the limit of time', async () => {
    const begin = performance.now();
    const loading = loadPlugin(fixture('plugins/loops-when-loaded.mjs').href, undefined, { timeMs: 100 });
    await expect(loading).rejects.toThrow('loading the checker took more than 3 s');
    expect(performance.now() - begin).toBeLessThan(15_000);
  });

  test.each<[RunPlace, string]>([
    ['worker', 'loops-when-loaded'],
    ['process', 'loops-when-loaded'],
  ])('a plug-in that loops when it is loaded in a %s is out of time', async (pluginPlace, name) => {
    const described = await loadPlugin(naughty);
    const checker = { ...described, url: fixture(`plugins/${name}.mjs`).href };
    const job = { checker, prepared: prepare(simple()), level: 'serializable' } as const;
    const report = await run(job, { pluginPlace, budget: { timeMs: 100 } });
    expect(report.verdict).toEqual({
      status: 'unknown',
      reason: 'timeout',
      detail: 'loading the checker took more than 3 s',
    });
  });

  test.each<[RunPlace, string, string]>([
    ['thread', 'exit', 'the checker called process.exit(0)'],
    ['thread', 'exit-and-swallow', 'the checker called process.exit(0)'],
    ['thread', 'really-exit', 'the checker called process.reallyExit(0)'],
    ['thread', 'kill', 'the checker called process.kill('],
    ['thread', 'exit-later', 'the checker called process.exit(0)'],
    ['thread', 'throw-later', 'the checker threw an uncaught error: Error: my bug'],
    ['thread', 'reject-later', 'the checker threw an uncaught error: Error: my bug'],
    ['worker', 'exit', 'the checker ended its thread (exit code 0)'],
    ['worker', 'exit-and-swallow', 'the checker ended its thread (exit code 0)'],
    ['worker', 'exit-later', 'the checker ended its thread (exit code 0)'],
    ['worker', 'throw-later', 'Error: my bug'],
    ['worker', 'reject-later', 'Error: my bug'],
    ['process', 'exit', 'the checker ended its thread (exit code 0)'],
    ['process', 'really-exit', 'the checker ended its thread (exit code 0)'],
    ['worker', 'kill', 'the checker called process.kill('],
    ['process', 'kill', 'the checker called process.kill('],
    ['process', 'exit-later', 'the checker ended its thread (exit code 0)'],
    ['process', 'throw-later', 'Error: my bug'],
    ['process', 'reject-later', 'Error: my bug'],
  ])('a plug-in in a %s that tries to %s has crashed', async (place, deed, detail) => {
    const { verdict } = await runDeed(deed, place);
    expect(verdict).toMatchObject({ status: 'unknown', reason: 'crashed' });
    expect(verdict).toHaveProperty('detail', expect.stringContaining(detail));
  });

  test.each(PLACES)('a plug-in in a %s that returns or throws an unreadable object has crashed', async (place) => {
    for (const deed of ['getter-throws', 'throws-what-throws', 'nonsense-warnings'])
      expect((await runDeed(deed, place)).verdict).toMatchObject({ status: 'unknown', reason: 'crashed' });
  });

  test('a plug-in in a thread that changes its result is asked once', async () => {
    expect((await runDeed('getter-changes', 'thread')).verdict.status).toBe('satisfied');
  });

  test('a plug-in whose child holds the output keeps no caller waiting', async () => {
    const begin = performance.now();
    expect((await runDeed('child-holds-output', 'process')).verdict).toMatchObject({ reason: 'crashed' });
    expect(performance.now() - begin).toBeLessThan(15_000);
  });

  test('a plug-in that explains itself at length is cut short', async () => {
    const { verdict } = await runDeed('long-detail');
    expect(verdict).toHaveProperty('detail', `${'x'.repeat(4000)}…`);
  });
});

describe('the verdict of a plug-in', () => {
  test.each([
    ['nothing', 'satisfied', 'absent'],
    ['bare-anomaly', 'violated', 'absent'],
    ['right-order', 'satisfied', 'verified'],
    ['wrong-order', 'unknown', 'refused'],
    ['garbage-certificate', 'unknown', 'refused'],
    ['garbage-anomaly', 'unknown', 'refused'],
  ])('with %s is %s, its proof %s', async (deed, status, proof) => {
    const report = await runDeed(deed);
    expect(report).toMatchObject({ proof, verdict: { status } });
    if (proof !== 'refused') return;
    expect(report.verdict).toMatchObject({ reason: 'certificate-refused' });
    expect(report.verdict).toHaveProperty('detail', expect.stringContaining('the verifier refuses its certificate: '));
  });

  test('the verdict of a plug-in keeps the anomalies that are proved, and only those', async () => {
    const thinAir = historyOf([[[w('x', 1)]], [[w('x', 2)]], [[r('x', 3)]]]);
    const report = await runDeed('one-proved-anomaly', 'process', {}, thinAir);
    expect(report).toMatchObject({ proof: 'verified', verdict: { status: 'violated' } });
    expect(report.verdict).toHaveProperty('anomalies', [expect.objectContaining({ name: 'thin-air-read' })]);
    expect(report.notes).toEqual(['1 of 2 anomalies are left out because they have no proof.']);
  });

  test('the verdict of a plug-in is that of a checker of our own without being verified', async () => {
    const checker = await loadChecker(naughty);
    const job = { checker, prepared: prepare(simple()), level: 'serializable' } as const;
    const report = await run({ ...job, options: { deed: 'wrong-order' } });
    expect(report).toMatchObject({ proof: 'not checked', isPlugin: false, verdict: { status: 'satisfied' } });
  });
});

test('names that every object has are no options and no variants', async () => {
  const checker = await loadPlugin(naughty);
  const job = { checker, prepared: prepare(simple()), level: 'serializable' } as const;
  for (const name of ['constructor', '__proto__', 'toString'])
    await expect(run({ ...job, options: Object.fromEntries([[name, '3']]) })).rejects.toThrow(`no option '${name}'`);
  await expect(run({ ...job, variant: '__proto__' })).rejects.toThrow("no variant '__proto__'");
});
