// Slow: builds the wheel of the Python package, installs it in a virtual environment, and uses it like a user.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { NEEDS, programOnPath, unless } from '@isolab/needs';
import { type Browser, type OpenedPage, findBrowser, openBrowser } from '@isolab/needs/browser';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../../..');
const source = path.join(root, 'packages/field/record/recorders/python');
const page = readFileSync(path.join(root, 'docs/python.md'), 'utf8');
const command = path.join(root, 'packages/apps/cli/isolab.cjs');
const folder = mkdtempSync(path.join(tmpdir(), 'isolab-wheel-'));
const python = path.join(folder, 'venv/bin/python');

const canRun = NEEDS.psycopg.programs!.every((names) => programOnPath(names) !== null);
const mayFetch = (process.env['ISOLAB_RECORDERS'] ?? '').split(',').includes('psycopg');
const whyNot = 'the Python package is not built, which ISOLAB_RECORDERS=psycopg does';
const skipping = canRun ? unless('psycopg', mayFetch, whyNot) : unless('psycopg', false);

function run(program: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return spawnSync(program, words, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH']!, HOME: process.env['HOME']!, ISOLAB: command, ...env },
  });
}

function succeeds(program: string, ...words: readonly string[]): string {
  const { status, stdout, stderr } = run(program, words);
  expect({ words, status, stderr: status === 0 ? '' : stderr }).toEqual({ words, status: 0, stderr: '' });
  return stdout;
}

/** Runs a Python program in the virtual environment; -I hides the sources of the package. */
const runs = (program: string, env?: Readonly<Record<string, string>>): SpawnSyncReturns<string> =>
  run(python, ['-I', '-c', program], env);

/** Runs a Python program that prints JSON. */
const told = (program: string): unknown => JSON.parse(succeeds(python, '-I', '-c', program));

const pip = (...words: readonly string[]): string =>
  succeeds('python3', '-m', 'pip', '--quiet', '--disable-pip-version-check', ...words);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the Python package', { timeout: 120_000, ...skipping }, () => {
  let browser: Browser | undefined;

  beforeAll(async () => {
    pip('wheel', '--no-deps', '--wheel-dir', folder, source);
    succeeds('python3', '-m', 'venv', '--without-pip', path.join(folder, 'venv'));
    const [wheel] = readdirSync(folder).filter((name) => name.endsWith('.whl'));
    pip('--python', python, 'install', '--no-index', path.join(folder, wheel!));
    const program = findBrowser();
    if (program !== undefined) browser = await openBrowser(program);
  }, 120_000);
  afterAll(() => browser?.close());

  test('the wheel has the version of the repository, and no file but its own', () => {
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      readonly version: string;
    };
    const program = `
import importlib.metadata as metadata, isolab, json
files = sorted(str(file) for file in metadata.files("isolab") if ".dist-info" not in str(file) and "__pycache__" not in str(file))
print(json.dumps([metadata.version("isolab"), metadata.requires("isolab"), files, isolab.__file__]))`;
    const files = ['__init__.py', '_command.py', '_story.py', '_widget.py', 'py.typed'].map((name) => `isolab/${name}`);
    expect(told(program)).toEqual([
      version,
      ["anywidget>=0.9; extra == 'notebook'"],
      [...files, 'isolab_recorder.py'],
      expect.stringContaining(folder),
    ]);
    expect(page).toContain(`isolab-${version}-py3-none-any.whl`);
  });

  test('the example of docs/python.md prints the output in the page', () => {
    const [, program] = /^```python\n(.*?)^```$/ms.exec(page)!;
    const [, printed] = /^```text\n(.*?)^…\n```$/ms.exec(page)!;
    expect(succeeds(python, '-I', '-c', program!).startsWith(printed!)).toBe(true);
  });

  test('threads record failures and lost answers, and never a violation of SQLite', () => {
    const clients = path.join(import.meta.dirname, 'fixtures/clients.py');
    expect(JSON.parse(succeeds(python, '-I', clients, path.join(folder, 'clients.jsonl')))).toEqual({
      verdict: 'satisfied',
      aborted: 32,
      committed: 256,
      unknown: 32,
      verified: true,
      story: null,
    });
  });

  test('a connection has one transaction at a time', () => {
    const program = `
import isolab, sqlite3
recorder = isolab.Recorder("nested.jsonl")
connection = sqlite3.connect(":memory:")
with recorder.transaction(connection) as tx:
    try:
        recorder.begin(connection)
    except RuntimeError as error:
        print(error)
with recorder.transaction(connection) as tx:
    tx.read("x", None)
recorder.close()`;
    const text = 'this connection has a transaction in progress; end it, or use another connection\n';
    expect(succeeds(python, '-I', '-c', program)).toBe(text);
  });

  const lost = 'initial 0\\nr(x,0) w(x,1)\\nr(x,0) w(x,2)\\n';

  test('a result has the verdict, the story and a certificate that is verified', () => {
    const program = `
import isolab, json
open("lost.txt", "w").write("${lost}")
lost = isolab.check("lost.txt", "serializable")
every = isolab.check("lost.txt")
one = isolab.check(text="r(x,0)", level="causal")
wrong = isolab.verify("lost.txt", {**lost.certificate, "level": "causal"})
try:
    bool(lost)
except TypeError as error:
    refused = str(error)
print(json.dumps({
    "lost": [lost.verdict, lost.levels, lost.reason, lost.story.name, lost.story.title, len(lost.story.sentences)],
    "every": [every.verdict, every.levels["prefix"], every.levels["serializable"], every.certificate],
    "one": [one.verdict, one.reason, one.story, one.certificate],
    "verified": [bool(isolab.verify("lost.txt", lost.certificate)), wrong.accepted, wrong.problem],
    "refused": refused,
}))`;
    expect(told(program)).toEqual({
      lost: ['violated', { serializable: 'violated' }, null, 'lost-update', 'Lost update', 6],
      every: ['violated', 'satisfied', 'violated', null],
      one: ['unknown', expect.stringContaining('nothing to judge'), null, null],
      verified: [true, false, expect.stringContaining('not a reason at this level')],
      refused: expect.stringContaining("compare result.verdict with 'satisfied', 'violated' or 'unknown'"),
    });
  });

  test.each([
    ['a missing file', 'check("none.jsonl")', 'IsolabError: none.jsonl: no such file or directory'],
    ['no history', 'check(text="")', 'IsolabError: standard input: found an empty file, expected a history'],
    ['a file that is named like standard input', 'check("-")', 'IsolabError: ./-: no such file or directory'],
    ['a file that is named like an option', 'check("--help")', 'IsolabError: --help: no such file or directory'],
    [
      'an unknown level',
      'check(text="w(x,1)", level="seri")',
      'IsolabError: There is no level seri; did you mean ser?',
    ],
    ['two inputs', 'check("a", text="b")', 'IsolabError: check needs either a path or text'],
    ['a wrong limit', 'check(text="w(x,1)", time="soon")', 'IsolabError: --time needs a time'],
    ['a missing history', 'verify("none.jsonl", {"isolab": "certificate"})', 'IsolabError: none.jsonl: no such file'],
  ])('%s is an error without a verdict', (_, call, message) => {
    const { status, stderr } = runs(`import isolab; isolab.${call}`);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  const answer = (verdict: string, named = ['serializable']): string =>
    JSON.stringify({ verdict, named, levels: { serializable: verdict } });

  test.each([
    ['prints nothing', '', 'exit 0', 'ended with code 0 and gave no verdict'],
    ['prints half an answer', answer('satisfied').slice(0, 30), 'exit 0', 'ended with code 0 and gave no verdict'],
    ['is killed', answer('satisfied'), 'kill -9 $$', 'was ended by signal 9 and gave no verdict'],
    ['exits with another verdict', answer('satisfied'), 'exit 1', 'ended with code 1 and gave no verdict'],
    ['exits as for a satisfied level', answer('violated'), 'exit 0', 'ended with code 0 and gave no verdict'],
    ['fails after its answer', answer('satisfied'), 'echo isolab: full disk >&2; exit 3', 'IsolabError: full disk'],
    ['prints an unknown word', answer('fine'), 'exit 0', 'ended with code 0 and gave no verdict'],
  ])('a command that %s gives no verdict', (_, out, end, message) => {
    const fake = path.join(folder, 'fake.sh');
    writeFileSync(fake, `#!/bin/sh\nprintf '%s' '${out}'\n${end}\n`);
    chmodSync(fake, 0o755);
    const { status, stderr } = runs('import isolab; isolab.check(text="x", level="serializable")', { ISOLAB: fake });
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  test('a command that is not there is an error that names the places', () => {
    const { stderr } = runs('import isolab; isolab.check("x")', { ISOLAB: '', PATH: '/nowhere' });
    expect(stderr).toContain('CommandNotFound: There is no command isolab: not in the variable ISOLAB, on the PATH');
    const named = runs('import isolab; isolab.check("x")', { ISOLAB: '/nowhere/isolab' });
    expect(named.stderr).toContain('CommandNotFound: /nowhere/isolab cannot be started');
  });

  /** Opens a page of HTML, and insists that nothing complained. */
  async function onPage(html: string, use: (opened: OpenedPage['page']) => Promise<void>): Promise<void> {
    const at = path.join(folder, 'page.html');
    writeFileSync(at, `<!doctype html><meta charset="utf-8"><body>${html}</body>`);
    const { page: opened, complaints, close } = await browser!.open(pathToFileURL(at));
    await use(opened);
    expect(complaints).toEqual([]);
    await close();
  }

  test('the HTML of a story shows its picture and its sentences, without scripts', unless('chromium'), async () => {
    const key = '<img src=x onerror=alert(1)>';
    const lines = [1, 2].map((value) => ({
      session: value,
      ops: [
        ['r', key, 0],
        ['w', key, value],
      ],
    }));
    const text = [{ isolab: 'history', version: 2, initial: 0 }, ...lines]
      .map((line) => JSON.stringify(line))
      .join('\n');
    const [html, sentences] = told(`
import isolab, json
result = isolab.check(text=${JSON.stringify(text)}, level="serializable")
print(json.dumps([result._repr_html_(), result.story.sentences]))`) as [string, string[]];
    await onPage(html, async (opened) => {
      const image = opened.locator('img');
      expect(await image.getAttribute('alt')).toBe('Lost update');
      const widthOf = (element: unknown): number => (element as { readonly naturalWidth: number }).naturalWidth;
      expect(await image.evaluate(widthOf)).toBeGreaterThan(300);
      expect(await opened.locator('li').allTextContents()).toEqual(sentences);
      expect(sentences[0]).toContain(key);
    });
  });

  test('the widget names the package that it needs', () => {
    const { stderr } = runs(`import isolab; isolab.check(text="${lost}", level="serializable").story.widget()`);
    expect(stderr).toContain("ImportError: a widget needs anywidget: pip install 'isolab[notebook]'");
  });

  test('the widget shows the page of a story in a frame of its own', unless('chromium'), async () => {
    pip('--python', python, 'install', 'anywidget==0.11.0');
    const [code, state, types] = told(`
import isolab, json
from IPython.core.interactiveshell import InteractiveShell
result = isolab.check(text="${lost}", level="serializable")
widget = result.story.widget()
formats = InteractiveShell.instance().display_formatter.format
types = [sorted(formats(each)[0] or widget._repr_mimebundle_()[0]) for each in (result, result.story, widget)]
state = {name: getattr(widget, name) for name in ("title", "page", "height")}
print(json.dumps([widget._esm, state, types]))`) as [string, Record<string, unknown>, string[][]];
    const notebook = ['text/html', 'text/plain'];
    expect(types).toEqual([notebook, notebook, ['application/vnd.jupyter.widget-view+json', 'text/plain']]);
    const script = `import widget from "data:text/javascript,${encodeURIComponent(code)}";
const state = ${JSON.stringify(state).replaceAll('<', String.raw`\u003c`)};
widget.render({ model: { get: (name) => state[name], on() {}, off() {} }, el: document.body });`;
    await onPage(`<script type="module">${script.replaceAll('</', String.raw`<\/`)}</script>`, async (opened) => {
      const frame = opened.frameLocator('iframe[title="Lost update"]');
      await frame.locator('svg.story').first().waitFor();
      expect(await frame.locator('.prose > li').count()).toBe(6);
      await frame.getByRole('button', { name: 'Next edge' }).click();
      expect(await frame.locator('#cycle-note').textContent()).toMatch(/^1 of 2: /);
      expect(await opened.frames()[1]!.evaluate('origin')).toBe('null');
    });
  });
});
