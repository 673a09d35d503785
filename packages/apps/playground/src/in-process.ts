/** The code of the page's worker as one ES module for simulators, with a clock of the caller. */

/** Name of the exports in the code of the worker, and the call after them that makes it answer a page. */
export const WORKER = 'isolabWorker';
export const LISTEN = `\n${WORKER}.listen();`;

/** Takes the code of the worker out of the page. */
export function moduleOf(page: string): string {
  const [, json] = /<script type="application\/json" id="worker-code">([\s\S]*?)<\/script>/.exec(page) ?? [];
  if (json === undefined) throw new Error('The page of the playground contains no worker.');
  const code = JSON.parse(json) as string;
  if (!code.endsWith(LISTEN)) throw new Error('The worker of the playground does not end with its call.');
  return `${HEAD}${code.slice(0, -LISTEN.length)}\n${FOOT}`;
}

/** Names that hide the global clocks, so all code of isolab reads the clock of the caller. */
const HEAD = `// The checker of isolab in one module: no import, no thread, no clock but that of the caller. Written by isolab new in-process.
let now = () => 0;
const performance = { timeOrigin: 0, now: () => now() };
const Date = class extends globalThis.Date {
  static now() { return now(); }
  constructor(...given) { super(...(given.length > 0 ? given : [now()])); }
};
`;

const FOOT = `
/**
 * Checks a history, as text or as transactions such as { session: 0, ops: [['r', 'x', 0], ['w', 'x', 1]] }, and resolves
 * to { verdict, reason, level, anomaly, story, certificate }. Options: initial, the value of
 * unwritten keys (null if absent); steps; withoutStory; and now, a clock in milliseconds, without which time stands still.
 */
export function check(history, level, options = {}) {
  now = options.now ?? (() => 0);
  return ${WORKER}.checkInProcess(history, level, options);
}
`;
