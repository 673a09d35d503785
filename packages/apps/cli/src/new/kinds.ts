/**
 * A kind of plug-in that `isolab new KIND NAME` creates: one commented file that works, and the command that tests it.
 */
export interface PluginKind {
  /** Word for the kind on the command line. */
  readonly name: string;
  /** Noun for the file in the help, such as "a workload". */
  readonly title: string;
  /** Template in the folder template/KIND/; the name replaces `my-KIND` in it. */
  readonly template: string;
  /** Names of isolab's own parts, which the new file must not have: on the command line they would mean those parts. */
  readonly taken: () => Promise<readonly string[]>;
  /** Next command lines; the first one tests the file. */
  readonly steps: (file: string, name: string) => readonly string[];
}

/** Kinds that `isolab new` creates as one file. To add a kind, add its row here and its template. */
export const KINDS: readonly PluginKind[] = [
  {
    name: 'checker',
    title: 'a checker',
    template: 'my-checker.mjs',
    taken: async () => (await import('isolab')).CHECKERS.map(({ name }) => name),
    steps: (file) => [`isolab test ${file}`, `isolab check history.jsonl --level read-committed --checker ${file}`],
  },
  {
    name: 'workload',
    title: 'a workload',
    template: 'my-workload.mjs',
    taken: async () => (await import('@isolab/workloads')).WORKLOADS.map(({ name }) => name),
    steps: (file) => [
      `isolab test ${file}`,
      `isolab generate ${file} history.jsonl --set keys=5`,
      `isolab run history.jsonl --workload ${file}`,
    ],
  },
  {
    name: 'distribution',
    title: 'a distribution of keys',
    template: 'my-distribution.mjs',
    taken: async () => (await import('@isolab/workloads')).KEY_DISTRIBUTIONS.map(({ name }) => name),
    steps: (file) => [
      `isolab test ${file}`,
      `isolab generate general history.jsonl --set keys=20 --set distribution=${file}`,
    ],
  },
  {
    name: 'fault',
    title: 'a fault of the simulated database',
    template: 'my-fault.mjs',
    taken: async () => (await import('@isolab/workloads')).FAULT_NAMES,
    steps: (file) => [
      `isolab test ${file}`,
      `isolab generate contention history.jsonl --level serializable --faults ${file}=0.1`,
      `isolab check history.jsonl --level serializable`,
    ],
  },
  {
    name: 'format',
    title: 'a file format',
    template: 'my-format.mjs',
    taken: async () =>
      (await import('isolab/formats')).ALL_FORMATS.flatMap((each) => [
        each.name,
        ...('aliases' in each ? (each.aliases ?? []) : []),
      ]),
    steps: (file) => [
      `isolab test ${file}`,
      `isolab generate general history.txt --to ${file}`,
      `isolab check history.txt --format ${file} --level serializable`,
    ],
  },
  {
    name: 'driver',
    title: 'a driver of a database',
    template: 'my-driver.mjs',
    taken: async () => [],
    steps: (file) => [`isolab test ${file}`, `isolab run history.jsonl --db module:${file} --isolation snapshot`],
  },
  {
    name: 'experiment',
    title: 'an experiment',
    template: 'my-experiment.json',
    taken: async () => [],
    steps: (file) => [`isolab test ${file}`, `isolab bench ${file}`],
  },
  {
    name: 'level',
    title: 'an isolation level',
    template: 'my-level.lvl',
    taken: async () => (await import('isolab/levels')).BUILT_IN.names,
    steps: (file) => [`isolab test ${file}`, `isolab levels place ${file}`],
  },
  {
    name: 'model',
    title: 'a model of an object',
    template: 'my-model.mjs',
    taken: async () => Object.keys((await import('isolab/objects')).MODELS),
    steps: (file) => [`isolab test ${file}`, `isolab check history.jsonl --model ${file} --level all`],
  },
];
