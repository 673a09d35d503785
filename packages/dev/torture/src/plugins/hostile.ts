/** Harmful plug-ins, by their effect. Each is a whole module; CHECKER stands for a harmless one. */
export interface Hostile {
  readonly does: string;
  readonly code: string;
  /** Whether its verdict, satisfied, is accepted; its effects come later. */
  readonly isHarmless?: true;
  /** Whether its violation may be accepted without verification, like that of any plug-in without a certificate. */
  readonly mayAccuse?: true;
  /** Not tried in the place `thread`, where such code controls the program, as the documentation says. */
  readonly notInThread?: true;
  /** Only tried in the default place of plug-ins: a thread shares our file descriptors. */
  readonly onlyInProcess?: true;
}

/** A checker with this body of `check`. */
const checking = (body: string, before = ''): string => `${before}
const satisfied = { status: 'satisfied' };
const forever = () => new Promise(() => {});
const spin = () => { for (;;); };
export default { info: ${INFO}, async check(input, level, options, context) { ${body} } };`;

/** A module with an effect when it is loaded. */
const loading = (body: string): string => checking('return satisfied;', body);

const INFO = `{ name: 'hostile', title: 'hostile', version: '1.0.0', apiVersion: 1, paper: null, levels: ['serializable'],
  sound: true, complete: true, requires: [], options: {}, variants: {} }`;

const holdingOutput = (then: string): string => `
  const { spawn } = await import('node:child_process');
  spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { stdio: ['ignore', 'inherit', 'inherit'] });
  ${then}`;

export const HOSTILE: readonly Hostile[] = [
  { does: 'exits with 0 in check', code: checking('process.exit(0);') },
  { does: 'exits with 1 in check', code: checking('process.exit(1);') },
  { does: 'exits with 0 when loaded', code: loading('process.exit(0);') },
  { does: 'exits with 1 when loaded', code: loading('process.exit(1);') },
  { does: 'exits with 0 from a timer', code: checking('setTimeout(() => process.exit(0), 10); return forever();') },
  {
    does: 'exits with 0 and swallows the error',
    code: checking('try { process.exit(0); } catch {} return satisfied;'),
  },
  { does: 'really exits with 0', code: checking('process.reallyExit(0);') },
  { does: 'aborts', code: checking('process.abort();') },
  { does: 'aborts when loaded', code: loading('process.abort();') },
  { does: 'kills itself', code: checking("process.kill(process.pid, 'SIGKILL'); spin();") },
  { does: 'kills itself when loaded', code: loading("process.kill(process.pid, 'SIGKILL'); for (;;);") },
  { does: 'terminates itself', code: checking("process.kill(process.pid, 'SIGTERM'); return forever();") },
  { does: 'sets the exit code 0 and throws', code: checking("process.exitCode = 0; throw new Error('my bug');") },
  {
    does: 'sets the exit code 1 and answers',
    code: checking('process.exitCode = 1; return satisfied;'),
    isHarmless: true,
  },
  { does: 'loops when loaded', code: loading('for (;;);') },
  { does: 'waits forever when loaded', code: loading('await new Promise(() => setInterval(() => {}, 1000));') },
  { does: 'loops in check', code: checking('spin();'), notInThread: true },
  { does: 'waits forever', code: checking('return forever();') },
  { does: 'waits forever with a timer', code: checking('setInterval(() => {}, 1000); return forever();') },
  { does: 'throws when loaded', code: loading("throw new Error('my bug');") },
  { does: 'throws null', code: checking('throw null;') },
  {
    does: 'throws an error whose message throws',
    code: checking("throw { name: 'Stop', get message() { throw 1; }, toString() { throw 2; } };"),
  },
  { does: 'throws later', code: checking("setTimeout(() => { throw new Error('my bug'); }, 10); return forever();") },
  {
    does: 'rejects later',
    code: checking("setTimeout(() => Promise.reject(new Error('my bug')), 10); return forever();"),
  },
  {
    does: 'throws after its verdict',
    code: checking("setTimeout(() => { throw new Error('my bug'); }, 50); return satisfied;"),
    isHarmless: true,
  },
  {
    does: 'rejects after its verdict',
    code: checking("setTimeout(() => Promise.reject(new Error('my bug')), 50); return satisfied;"),
    isHarmless: true,
  },
  {
    does: 'exits with 1 after its verdict',
    code: checking('setTimeout(() => process.exit(1), 50); return satisfied;'),
    isHarmless: true,
  },
  { does: 'leaves a timer', code: checking('setInterval(() => {}, 1000); return satisfied;'), isHarmless: true },
  {
    does: 'leaves a server',
    code: checking("(await import('node:net')).createServer().listen(0, '127.0.0.1'); return satisfied;"),
    isHarmless: true,
  },
  {
    does: 'leaves a worker that loops',
    code: checking("new (await import('node:worker_threads')).Worker('for (;;);', { eval: true }); return satisfied;"),
    isHarmless: true,
  },
  {
    does: 'leaves a child that holds the output',
    code: checking(holdingOutput('return satisfied;')),
    isHarmless: true,
  },
  { does: 'leaves a child that holds the output and exits', code: checking(holdingOutput('process.exit(0);')) },
  {
    does: 'leaves a child that holds the output and dies',
    code: checking(holdingOutput("process.kill(process.pid, 'SIGKILL'); spin();")),
  },
  {
    does: 'floods the output',
    code: checking(
      "const line = 'flood '.repeat(10_000); for (let i = 0; i < 300; i++) console.log(line); return satisfied;",
    ),
    isHarmless: true,
  },
  {
    does: 'floods the file descriptor of the output',
    code: checking(
      "const fs = await import('node:fs'); try { for (let i = 0; i < 300; i++) fs.writeSync(1, 'flood '.repeat(10_000)); } catch {} return satisfied;",
    ),
    isHarmless: true,
    onlyInProcess: true,
  },
  { does: 'returns nothing', code: checking('') },
  { does: 'returns a text', code: checking("return 'satisfied';") },
  { does: 'returns a function', code: checking('return () => satisfied;') },
  { does: 'returns a status that is an object', code: checking("return { status: { toString: () => 'satisfied' } };") },
  { does: 'returns a getter that throws', code: checking("return { get status() { throw new Error('my bug'); } };") },
  {
    does: 'returns a getter that changes its mind',
    code: checking("let n = 0; return { get status() { return n++ === 0 ? 'violated' : 'satisfied'; } };"),
  },
  { does: 'returns a proxy', code: checking('return new Proxy({}, { get() { throw 1; }, ownKeys() { throw 2; } });') },
  { does: 'returns a thenable that never settles', code: checking('return { then() {} };') },
  { does: 'violates without an anomaly', code: checking("return { status: 'violated', anomalies: [] };") },
  {
    does: 'violates with an anomaly that does not exist',
    code: checking("return { status: 'violated', anomalies: [{ name: '__proto__', transactions: [0] }] };"),
  },
  {
    does: 'violates with a garbage certificate',
    code: checking(
      "return { status: 'violated', anomalies: [{ name: 'G2', transactions: [0], certificate: { kind: 'cycle', edges: 7 } }] };",
    ),
  },
  {
    does: 'satisfies with a garbage certificate',
    code: checking("return { status: 'satisfied', certificate: { kind: 'commit-order', order: ['rubbish'] } };"),
  },
  {
    does: 'satisfies with a certificate that is a text',
    code: checking("return { status: 'satisfied', certificate: 'trust me' };"),
  },
  {
    does: 'satisfies with a wrong order',
    code: checking("return { status: 'satisfied', certificate: { kind: 'commit-order', order: [1, 0] } };"),
  },
  { does: 'warns nonsense', code: checking("return { status: 'satisfied', warnings: [{ name: {}, text: null }] };") },
  {
    does: 'returns a circle',
    code: checking(
      "const it = { status: 'satisfied', certificate: { kind: 'commit-order' } }; it.certificate.order = it; return it;",
    ),
  },
  {
    does: 'nests its verdict deep',
    code: checking(
      "let c = { kind: 'cases' }; for (let i = 0; i < 1e5; i++) c = { kind: 'cases', ifFirst: c }; return { status: 'violated', anomalies: [{ name: 'G2', transactions: [0], certificate: c }], x: 1 };",
    ),
    mayAccuse: true,
  },
  {
    does: 'returns a huge verdict',
    code: checking(
      "return { status: 'satisfied', certificate: { kind: 'commit-order', order: new Array(3e6).fill(0) } };",
    ),
  },
  {
    does: 'explains itself at length',
    code: checking("return { status: 'unknown', reason: 'incomplete', detail: 'x'.repeat(1e8) };"),
  },
  {
    does: 'counts nonsense',
    code: checking(
      "try { context.count('__proto__', NaN); context.count('x', {}); context.progress('a', -1); } catch {} return satisfied;",
    ),
    isHarmless: true,
  },
  { does: 'ticks nonsense', code: checking("context.tick('1e9'); return satisfied;") },
  {
    does: 'pollutes prototypes',
    code: checking(
      "Object.prototype.status = 'satisfied'; Array.prototype.push = () => 0; JSON.stringify = () => '{}'; return undefined;",
    ),
    notInThread: true,
  },
  {
    does: 'replaces what prints',
    code: checking("process.stdout.write = () => true; process.stderr.write = () => true; throw new Error('my bug');"),
    notInThread: true,
  },
  {
    does: 'forges the answer of its thread',
    code: checking(
      "const { parentPort } = await import('node:worker_threads'); parentPort?.postMessage({ kind: 'ended', outcome: 5 }); parentPort?.postMessage(null); return forever();",
    ),
  },
  {
    does: 'forges garbage on the channel of its process',
    code: checking(
      "const fs = await import('node:fs'); try { fs.writeSync(3, Buffer.alloc(100_000, 0x7f)); } catch {} return forever();",
    ),
    onlyInProcess: true,
  },
  {
    does: 'closes all its file descriptors',
    code: checking(
      "const fs = await import('node:fs'); for (let fd = 1; fd < 40; fd++) try { fs.closeSync(fd); } catch {} return forever();",
    ),
    onlyInProcess: true,
  },
  {
    does: 'exits with 0 as the process exits',
    code: checking("process.on('exit', () => process.exit(0)); throw new Error('my bug');"),
    notInThread: true,
  },
  { does: 'recurses without end', code: checking('const f = () => f() + 1; return f();') },
  { does: 'is no checker', code: "export default { info: { apiVersion: 1, name: '__proto__', levels: 'all' } };" },
  {
    does: 'is no checker but a proxy',
    code: 'export default new Proxy({}, { get() { throw new Error(1); }, has() { throw new Error(2); } });',
  },
  {
    does: 'has an info with functions',
    code: `export default { info: { ...${INFO}, extra: () => 1 }, check: () => ({ status: 'violated' }) };`,
  },
  { does: 'has a default export that throws', code: 'export { default } from "data:text/javascript,throw 1";' },
  { does: 'does not parse', code: 'export default {' },
  { does: 'catches Stop', code: checking('for (;;) try { context.tick(1); } catch { return satisfied; }') },
  { does: 'catches Stop forever', code: checking('for (;;) try { context.tick(1); } catch {}'), notInThread: true },
];
