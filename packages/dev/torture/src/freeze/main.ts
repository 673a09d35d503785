/**
 * Records the verdicts of every checker on many histories, to check that a change alters none:
 * npm run freeze -- write FILE [--random N] [--seed N]
 * npm run freeze -- compare FILE
 */
import { createReadStream, writeFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { type Observation, observeAll } from './observe.ts';

const USAGE = `npm run freeze -- write FILE [--random N] [--seed N]
npm run freeze -- compare FILE

Writes down what every checker says of the histories where ISOLAB_DATASETS points and of N random ones (2000 unless
given), at every level: the verdict, the anomaly, a hash of the certificate, the counters. Compares that with what they
say now; exit code 1 if anything differs.`;

/** More differences than this add no information. */
const MOST_SHOWN = 100;

const { values, positionals } = parseArgs({
  options: {
    random: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const [command, file, ...rest] = positionals;
if (values.help) console.log(USAGE);
else if (file === undefined || rest.length > 0 || (command !== 'write' && command !== 'compare')) {
  console.error(USAGE);
  process.exitCode = 3;
} else if (command === 'write') await write(file);
else process.exitCode = (await compare(file)) ? 0 : 1;

async function write(path: string): Promise<void> {
  const scope = { random: Number(values.random), seed: Number(values.seed) };
  const lines = [JSON.stringify(scope)];
  for await (const observation of watched(scope)) lines.push(JSON.stringify(observation));
  writeFileSync(path, `${lines.join('\n')}\n`);
  console.log(`${lines.length - 1} verdicts written to ${path}`);
}

async function compare(path: string): Promise<boolean> {
  const lines = createInterface({ input: createReadStream(path) })[Symbol.asyncIterator]();
  const scope = JSON.parse((await lines.next()).value as string) as { random: number; seed: number };
  let [same, different] = [0, 0];
  for await (const now of watched(scope)) {
    const { value, done } = await lines.next();
    const before = done ? null : (JSON.parse(value as string) as Observation);
    if (before?.of === now.of && before.said === now.said) {
      same++;
      continue;
    }
    different++;
    if (different <= MOST_SHOWN)
      console.log(`${now.of}\n  before: ${before?.of === now.of ? before.said : 'nothing'}\n  now:    ${now.said}`);
  }
  const isShorter = !(await lines.next()).done;
  if (isShorter) console.log('The file has more verdicts than this run.');
  console.log(`${same} verdicts are equal, ${different} differ`);
  return different === 0 && !isShorter;
}

async function* watched(scope: { readonly random: number; readonly seed: number }): AsyncGenerator<Observation> {
  for await (const { observations, done, total } of observeAll(scope)) {
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${total} histories `);
    yield* observations;
  }
  if (process.stderr.isTTY) process.stderr.write('\n');
}
