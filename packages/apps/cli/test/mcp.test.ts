/** `isolab mcp`, called by a client of the official SDK: every call has an answer, and wrong calls have no verdict. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { unless } from '@isolab/needs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isolab } from './support/isolab.ts';
import { leftOf, start, until, workplace, write } from './support/program.ts';

const { folder, place, ok, violated } = workplace('mcp');
const temporary = join(folder, 'temporary');
const client = new Client({ name: 'test', version: '1' });

beforeAll(async () => {
  mkdirSync(temporary);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [fileURLToPath(new URL('../isolab.cjs', import.meta.url)), 'mcp'],
      cwd: folder,
      env: { PATH: process.env['PATH']!, TMPDIR: temporary },
    }),
  );
});
afterAll(() => client.close());

interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>> | undefined;
}

async function call(name: string, given: Record<string, unknown>): Promise<Answer> {
  const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: given });
  const text = (content as { readonly text: string }[]).map((part) => part.text).join('\n');
  return { isError: isError as boolean, text, structured: structuredContent as Answer['structured'] };
}

describe('isolab mcp', () => {
  test('isolab mcp lists its tools, and none of them runs a command of the caller', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['check', 'explain', 'predict', 'levels', 'hermitage']);
    for (const { description, inputSchema } of tools) {
      expect(description).toMatch(/^[A-Z].+\.$/);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });

  test('check returns verdicts, in words and as data, with a certificate that isolab verify accepts', async () => {
    expect(await call('check', { path: ok, level: 'ser' })).toMatchObject({
      isError: false,
      text: expect.stringContaining('satisfied  serializable') as string,
      structured: { verdict: 'satisfied', levels: { serializable: 'satisfied' } },
    });
    const certificate = join(folder, 'c.json');
    const { text, structured } = await call('check', { path: violated, level: 'serializable', certificate });
    expect(text).toContain('Thin air read: T1 reads key 1 = 7');
    expect(structured).toMatchObject({ verdict: 'violated', certificate, anomalies: [{ name: 'thin-air-read' }] });
    expect(structured).not.toHaveProperty('runs');
    const verified = await start(['verify', violated, certificate], folder).ended;
    expect(verified).toMatchObject({ code: 0, out: expect.stringContaining('accepted') as string });
  });

  test('check answers unknown with the reason, and is asked for all levels without a level', async () => {
    const alone = write(join(folder, 'alone.txt'), 'w(1,1,0,0)\n');
    expect((await call('check', { path: alone, level: 'ser' })).structured).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringContaining('nothing to judge') as string,
    });
    expect((await call('check', { path: ok })).structured).toMatchObject({ level: 'all' });
  });

  const nonsense = write(join(folder, 'nonsense.txt'), 'this is no history\n');
  const refused: readonly (readonly [what: string, tool: string, given: Record<string, unknown>, message: string])[] = [
    ['a missing file', 'check', { path: 'none.txt', level: 'ser' }, 'none.txt: no such file or directory'],
    ['a nonsense file', 'check', { path: nonsense, level: 'ser' }, 'nonsense.txt'],
    ['an unknown level', 'check', { path: ok, level: 'serialisable' }, 'did you mean serializable'],
    ['a huge level', 'check', { path: ok, level: 'x'.repeat(1_000_000) }, 'must NOT have more than 200 characters'],
    ['a huge path', 'predict', { path: 'x'.repeat(1_000_000) }, 'must NOT have more than 4096 characters'],
    ['a path with a zero byte', 'check', { path: 'x\0', level: 'ser' }, 'null bytes'],
    ['the protocol as a path', 'check', { path: '-' }, '-: no such file or directory'],
    ['a path like an option', 'check', { path: '--version' }, '--version: no such file or directory'],
    ['a level like an option', 'levels', { action: 'show', levels: ['--help'] }, 'There is no level --help'],
    ['a file of another kind in the way', 'check', { path: ok, level: 'ser', certificate: nonsense }, 'nonsense.txt'],
    ['a missing path', 'check', { level: 'ser' }, "must have required property 'path'"],
    ['an unknown argument', 'check', { path: ok, checker: './own.mjs' }, 'must NOT have additional properties'],
    ['half a call', 'explain', { path: ok }, 'explain needs either name, or both path and level.'],
    ['an address', 'hermitage', { engine: 'postgres://me@localhost/mine' }, 'must match pattern'],
    ['an unknown tool', 'record', { command: 'ls' }, 'There is no tool record; expected check'],
  ];

  test('wrong calls are errors without a verdict', async () => {
    const answers = await Promise.all(refused.map(([, name, given]) => call(name, given)));
    for (const [i, [what, , , message]] of refused.entries()) {
      const { isError, text, structured } = answers[i]!;
      expect({ what, isError, structured }).toEqual({ what, isError: true, structured: undefined });
      expect(text).toContain(message);
      expect(text.length).toBeLessThan(1000);
      expect(text).not.toContain('bug in isolab');
    }
  });

  test('explain returns the steps of a violation, or the description of a name', async () => {
    const skew = write(join(folder, 'skew.txt'), 'r(1,0,0,0)\nw(2,1,0,0)\nr(2,0,1,1)\nw(1,1,1,1)\n');
    const { text, structured } = await call('explain', { path: skew, level: 'ser' });
    expect(text).toContain('   1. Let T1 be');
    expect(structured).toMatchObject({ shrunk: { name: 'G2-item' } });
    expect(await call('explain', { name: 'lost-update' })).toMatchObject({
      text: expect.stringContaining('Remedy: ') as string,
      structured: { kind: 'anomaly', name: 'lost-update' },
    });
  });

  test('predict and levels answer in words and as data', async () => {
    const mixed = write(join(folder, 'mixed.txt'), 'w(1,1,0,0)\nr(1,1,1,1)\nw(1,2,1,1)\nr(1,2,2,2)\nw(1,3,2,2)\n');
    const predicted = await call('predict', { path: mixed, level: 'read-committed' });
    expect(predicted).toMatchObject({ isError: false, text: expect.stringContaining('Lost update') as string });
    expect(predicted.structured).toMatchObject({ level: 'read-committed', against: 'serializable' });
    const compared = await call('levels', { action: 'compare', levels: ['si', 'ser'] });
    expect(compared).toMatchObject({
      text: expect.stringContaining('does not imply') as string,
      structured: { levels: ['snapshot-isolation', 'serializable'], onlySecond: null },
    });
    expect((await call('levels', { action: 'list' })).text).toContain('serializable');
  });

  test('the server answers calls at the same time, and leaves no file of them', async () => {
    const answers = await Promise.all([ok, violated].map((path) => call('check', { path, level: 'ser' })));
    expect(answers.map(({ structured }) => structured!['verdict'])).toEqual(['satisfied', 'violated']);
    expect(readdirSync(temporary)).toEqual([]);
    expect(existsSync(join(folder, 'answer.json'))).toBe(false);
  });
});

describe('isolab mcp, by lines', () => {
  const line = (id: number, method: string, params: object): string =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;

  test('isolab mcp ignores nonsense lines, and exits with 0 when its input ends', async () => {
    const { child, ended } = start(['mcp'], place());
    child.stdin!.write(`nonsense\n{}\n[1]\n${line(1, 'tools/list', {})}`);
    let out = '';
    child.stdout!.on('data', (chunk: Buffer) => (out += chunk.toString()));
    await until(() => out.includes('\n'));
    child.stdin!.end();
    expect(await ended).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ id: 1, result: { tools: { length: 5 } } });
  });

  test('the end of the input ends running calls', unless('linux'), async () => {
    const { child, ended, mark } = start(['mcp'], place());
    const idle = leftOf(mark).length;
    child.stdin!.write(line(1, 'tools/call', { name: 'hermitage', arguments: {} }));
    await until(() => leftOf(mark).length > idle + 2);
    child.stdin!.end();
    expect((await ended).code).toBe(0);
    await until(() => leftOf(mark).length === 0);
  });

  test.each([
    ['--time', '0s'],
    ['--memory', 'much'],
  ])('isolab mcp refuses %s %s', async (flag, value) => {
    const { code, err } = await isolab('mcp', flag, value);
    expect(code).toBe(3);
    expect(err).toContain(flag);
  });
});
