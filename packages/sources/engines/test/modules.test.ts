import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ENGINES, nameOf } from '../src/index.ts';
import { Turns } from '../src/modules/turns.ts';

/** Engines whose drivers are modules: those that live in their process, and two kinds of servers. */
const driven = ENGINES.filter(({ runs }) => ['module', 'etcd', 'redis'].includes(runs.kind));

describe('a database whose driver is a module has the claims of that driver in the list', () => {
  test.each(driven.map((engine) => [nameOf(engine), engine] as const))('%s', async (_, engine) => {
    const driver = engine.runs.kind === 'module' ? engine.runs.driver : `driver-${engine.runs.kind}`;
    const file = new URL(`../src/modules/${driver}.ts`, import.meta.url);
    expect(existsSync(file)).toBe(true);
    const { default: module } = (await import(file.href)) as { default: { isolations: object; data: string[] } };
    expect(module.isolations).toEqual(Object.fromEntries(engine.isolations.map(({ name, claims }) => [name, claims])));
    expect(module.data).toEqual(engine.data);
  });
});

describe('turns', () => {
  test('turns are had in the order in which they were asked for', async () => {
    const turns = new Turns();
    const takers = [turns.taker(), turns.taker(), turns.taker()];
    const order: number[] = [];
    for (const [index, taker] of takers.entries()) void taker.take().then(() => order.push(index));
    await Promise.resolve();
    takers[0]!.pass();
    await Promise.resolve();
    expect(takers.map(({ holds }) => holds)).toEqual([false, true, false]);
    takers[0]!.pass(); // it holds nothing any more
    takers[1]!.pass();
    await Promise.resolve();
    expect(order).toEqual([0, 1, 2]);
  });

  test('turns end for a session that waits for too long', async () => {
    const turns = new Turns();
    const [one, other] = [turns.taker(), turns.taker()];
    await one.take();
    await expect(other.take()).rejects.toMatchObject({ code: 'busy' });
    one.pass();
    await other.take();
    expect(other.holds).toBe(true);
  });
});
