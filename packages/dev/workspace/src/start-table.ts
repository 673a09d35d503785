/** Table of docs/speed.md: the time of `isolab check` as a whole process, from the results of `npm run bench start`. */
import { readFileSync } from 'node:fs';
import { markdownTable } from '@isolab/site';

interface Times {
  readonly ms: number;
  readonly cpuMs: number;
}

interface Results {
  readonly cpu: string;
  /** Number of processes that wanted a core, on average. */
  readonly load: number;
  readonly node: string;
  readonly level: string;
  readonly runs: number;
  /** Times of `node -e 0`. */
  readonly idle: Times;
  readonly measured: readonly (Times & { readonly operations: number; readonly bytes: number })[];
}

export function startTable(): string {
  const path = new URL('../../../../reports/results/start.json', import.meta.url);
  const { cpu, load, node, level, runs, idle, measured } = JSON.parse(readFileSync(path, 'utf8')) as Results;
  const row = (name: string, size: string, { ms, cpuMs }: Times): string[] => [
    name,
    size,
    `${ms} ms`,
    `${cpuMs} ms`,
    `${cpuMs - idle.cpuMs} ms`,
  ];
  return [
    `Best of ${runs} runs at ${level}, on ${cpu} with Node ${node} and a load of ${load}. CPU time includes the threads of Node.`,
    markdownTable(
      ['operations', 'size of the file', 'time', 'CPU time', 'CPU time above Node’s start'],
      [
        row('none: `node -e 0`', '', idle),
        ...measured.map((each) =>
          row(each.operations.toLocaleString('en'), `${Math.ceil(each.bytes / 1000)} KB`, each),
        ),
      ],
    ),
  ].join('\n\n');
}
