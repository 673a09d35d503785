import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ended, type Installed, root } from './installed.ts';

const page = readFileSync(path.join(root, 'docs/ci.md'), 'utf8');

/** The commands of docs/ci.md, run as they stand there, against a PostgreSQL of our own. */
export function describeCi(installed: () => Installed): void {
  let server: EmbeddedServer;
  beforeAll(async () => {
    server = await startEmbedded();
  });
  afterAll(() => server?.database.close(), 60_000);

  /** Not by spawnSync: a server with an unread output stops when it has said too much. */
  const bash = async (script: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> => {
    const { folder, environment, tarballs } = installed();
    for (const name of MADE) rmSync(path.join(folder, name), { force: true });
    expect(script).toContain('npx isolab');
    // Where the page says that the tarball lies.
    copyFileSync(tarballs.isolab, path.join(folder, 'isolab-0.3.0.tgz'));
    const quick = script
      .replaceAll('--transactions 500', '--transactions 20')
      .replaceAll('isolab run history.jsonl', 'isolab run history.jsonl --transactions 20')
      .replaceAll('npx isolab', 'isolab'); // which npx finds in the same place, half a second later
    const bin = path.join(folder, 'node_modules/.bin');
    const options = {
      cwd: folder,
      env: {
        ...environment,
        npm_config_offline: 'true',
        npm_config_audit: 'false',
        PATH: `${bin}:${environment['PATH']}`,
        DATABASE_URL: server.address,
        ...env,
      },
    };
    try {
      const { stdout: out, stderr: err } = await promisify(execFile)('bash', ['-e', '-c', quick], options);
      return { code: 0, out, err };
    } catch (error) {
      const { code, stdout: out, stderr: err } = error as { code: number; stdout: string; stderr: string };
      return { code, out, err };
    }
  };
  const made = (name: string): string | null => {
    const file = path.join(installed().folder, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  };

  const [commands = '', oneLine = ''] = blocks('sh');

  test('the commands, on a database that keeps its promise', async () => {
    expect(await bash(commands)).toMatchObject({ code: 0 });
    expect(made('isolab.xml')).toContain('failures="0"');
    expect(made('isolab.md')).toContain('| serializable | ✅ satisfied |');
    expect(made('isolab.html')).toContain('What was checked');
  });

  test('the commands, on one that does not', async () => {
    const weaker = commands.replace('--isolation serializable', '--isolation "read committed" --set keys=5');
    expect(weaker).not.toBe(commands);
    // On a busy machine the transactions may not meet.
    let ended = await bash(weaker);
    for (let again = 0; again < 3 && ended.code === 0; again++) ended = await bash(weaker);
    expect(ended).toMatchObject({ code: 1 });
    expect(made('isolab.xml')).toContain('<failure');
    expect(made('isolab.md')).toContain('| serializable | ❌ violated |');
    expect(made('isolab.html')).toContain('<!doctype html>');
  });

  test('the one line', async () => {
    expect(await bash(oneLine)).toMatchObject({ code: 0, out: expect.stringContaining('satisfied') });
  });

  test('the steps of the GitHub Action', async () => {
    const steps = stepsOf(blocks('yaml')[0] ?? '');
    expect(steps).toHaveLength(3);
    const summary = path.join(installed().folder, 'summary.md');
    writeFileSync(summary, '');
    const env = { LEVEL: 'serializable', GITHUB_RUN_ID: '42', GITHUB_STEP_SUMMARY: summary };
    expect(await bash(steps.join('\n'), env)).toMatchObject({ code: 0 });
    expect(made('isolab.xml')).toContain('failures="0"');
    expect(made('summary.md')).toContain('| serializable | ✅ satisfied |');
    expect(made('isolab.html')).toContain('What was checked');
  });

  test('every other command that it speaks of exists, with its options', () => {
    const spoken = [...page.matchAll(/`(?:npx )?isolab ([a-z]+)[^`]*`/g)].map(([, name]) => name!);
    expect(spoken.length).toBeGreaterThan(1);
    const names = new Set([...spoken, 'check', 'collect', 'run', 'explain', 'serve', 'hunt']);
    const helps = [...names].map((name) => installed().isolab(name, '--help'));
    expect(helps.every(({ code }) => code === 0)).toBe(true);
    const help = helps.map(({ out }) => out).join('\n');
    for (const [flag] of page.matchAll(/--[a-z]+(?:-[a-z]+)*/g)) expect(help).toContain(flag);
  });
}

const MADE = ['history.jsonl', 'isolab.xml', 'isolab.md', 'isolab.html'];

const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text]) => text!);

/** Commands of the steps of a workflow, in order; the text of a block is indented more than its `run: |`. */
function stepsOf(workflow: string): string[] {
  const lines = workflow.split('\n');
  return lines.flatMap((line, at) => {
    const [, indent, command] = /^(\s*)run: (.*)$/.exec(line) ?? [];
    if (indent === undefined || command === undefined) return [];
    if (command !== '|') return [command];
    const rest = lines.slice(at + 1);
    const end = rest.findIndex((each) => each.search(/\S/) <= indent.length);
    return [
      rest
        .slice(0, end)
        .map((each) => each.trim())
        .join('\n'),
    ];
  });
}
