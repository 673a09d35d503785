/** The module for simulators: its verdicts, without a module of Node, on the clock of the caller. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { findBrowser, openBrowser } from '@isolab/needs/browser';
import { unless } from '@isolab/needs';
import { open, verify } from 'isolab';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inProcessModule } from '../src/index.ts';
import type { Simulated, SimulatedOptions } from '../src/worker/simulator.ts';

type Check = (history: string | readonly object[], level: string, options?: Options) => Promise<Simulated>;
type Options = SimulatedOptions & { readonly now?: () => number };

const folder = mkdtempSync(join(tmpdir(), 'isolab-in-process-'));
const path = join(folder, 'check.mjs');
let code = '';
let check: Check;
beforeAll(async () => {
  code = await inProcessModule();
  writeFileSync(path, code);
  ({ check } = (await import(pathToFileURL(path).href)) as { readonly check: Check });
});
afterAll(() => rmSync(folder, { recursive: true }));

const LOST_UPDATE = [
  { session: 0, ops: [['r', 'x', 0], ['w', 'x', 1]] },
  { session: 1, ops: [['r', 'x', 0], ['w', 'x', 2]] },
]; // prettier-ignore
const CHAIN = 'w(1,1,0,0)\nr(1,1,1,1)\n';

/** Checks `count` small histories and returns the number of satisfied ones. */
const MANY = `async (check, count) => {
  let satisfied = 0;
  for (let i = 0; i < count; i++) {
    const history = [
      { session: 0, ops: [['r', 'x', 0], ['w', 'x', 1]] },
      { session: 1, ops: [['r', 'x', i % 2], ['w', 'y', 2]] },
      { session: 1, ops: [['r', 'y', 2]] },
    ];
    const { verdict } = await check(history, 'serializable', { initial: 0 });
    if (verdict === 'satisfied') satisfied++;
  }
  return satisfied;
}`;

describe('the module for simulators', () => {
  test('the module returns the verdict, the story and a certificate that the verifier accepts', async () => {
    const violated = await check(LOST_UPDATE, 'snapshot-isolation', { initial: 0 });
    expect(violated).toMatchObject({ verdict: 'violated', level: 'snapshot-isolation', anomaly: 'lost-update' });
    expect(violated.story).toContain('## Lost update');
    const text = ['{"isolab":"history","version":1,"initial":0}', ...LOST_UPDATE.map((each) => JSON.stringify(each))];
    const history = await open({ text: text.join('\n'), name: 'history' });
    expect(verify(history, violated.certificate!)).toMatchObject({ ok: true });
    expect(await check(CHAIN, 'si')).toMatchObject({ verdict: 'satisfied', level: 'snapshot-isolation', story: null });
    expect(await check(LOST_UPDATE, 'ser', { initial: 0, withoutStory: true })).toMatchObject({ story: null });
    expect(await check(CHAIN, 'ser', { steps: 0 })).toMatchObject({ verdict: 'unknown', certificate: null });
  });

  test('a wrong history and a wrong level are errors', async () => {
    await expect(check('nonsense', 'ser')).rejects.toThrow('history: found no known format');
    await expect(check([{ session: 0, ops: 7 }], 'ser')).rejects.toThrow("history, line 2, column 20: found '7'");
    await expect(check(CHAIN, 'serialisable')).rejects.toThrow('did you mean serializable');
  });

  test('the module reads only the clock of the caller, and draws no random numbers', async () => {
    let read = 0;
    const now = (): number => ++read;
    const first = await check(LOST_UPDATE, 'ser', { initial: 0, now });
    const readFirst = read;
    expect(readFirst).toBeGreaterThan(0);
    read = 0;
    expect(await check(LOST_UPDATE, 'ser', { initial: 0, now })).toEqual(first);
    expect(read).toBe(readFirst);
    expect(/Math\.random|crypto\.|hrtime|^import /m.exec(code)).toBeNull();
  });

  test('the module runs without any module or global of Node', async () => {
    const globals = { URL, TextDecoder, TextEncoder, Blob, AbortSignal, setTimeout, clearTimeout, queueMicrotask };
    const own = vm.createContext({ ...globals });
    vm.runInContext(`${code.replace('export function check', 'function check')}\nglobalThis.check = check;`, own);
    const result = vm.runInContext(`check(${JSON.stringify(CHAIN)}, 'ser')`, own) as Promise<Simulated>;
    expect((await result).verdict).toBe('satisfied');
  });

  test('Node checks a thousand small histories within seconds', () => {
    const script = `import { check } from ${JSON.stringify(pathToFileURL(path).href)};
      const many = ${MANY};
      const before = process.cpuUsage();
      const satisfied = await many(check, 1000);
      const { user, system } = process.cpuUsage(before);
      console.log(JSON.stringify({ satisfied, seconds: (user + system) / 1e6 }));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    const { satisfied, seconds } = JSON.parse(stdout) as { readonly satisfied: number; readonly seconds: number };
    expect(satisfied).toBe(1000);
    expect(seconds).toBeLessThan(4); // about 0.6; a busy machine takes longer
  });

  test('a browser checks a thousand small histories within seconds', unless('chromium'), async () => {
    const html = join(folder, 'page.html');
    const script = code.replaceAll('</script', String.raw`<\/script`).replaceAll('<!--', String.raw`<\!--`);
    writeFileSync(html, `<!doctype html><script type="module">${script}\nwindow.check = check;</script>`);
    const browser = await openBrowser(findBrowser()!);
    try {
      const { page, complaints, close } = await browser.open(pathToFileURL(html), {});
      await page.waitForFunction('window.check !== undefined');
      const begin = performance.now();
      expect(await page.evaluate(`(${MANY})(window.check, 1000)`)).toBe(1000);
      expect(performance.now() - begin).toBeLessThan(30_000);
      expect(complaints).toEqual([]);
      await close();
    } finally {
      await browser.close();
    }
  });
});
