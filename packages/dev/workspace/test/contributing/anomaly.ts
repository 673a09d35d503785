/**
 * The steps of a new anomaly name, for write skew in a longer cycle: G2-item is a cycle of anti-dependencies, usually
 * of two edges. Of three or more it is to be called G2-item-long, and over predicates G2-long.
 */
import type { Copy } from './copy.ts';
import { type Step, stepsOf } from './steps.ts';

export const NAME = 'G2-item-long';
export const HISTORY = 'write-skew-of-three';
/** Each transaction reads a version that the next one overwrites. */
const TEXT = String.raw`r(x,0) w(y,1)\nr(y,0) w(z,1)\nr(z,0) w(x,1)`;

const WORDS = [
  'Add it to `CYCLIC_ANOMALIES`',
  'State which cycles have that name',
  'Add the smallest history that shows it',
  'Name it in [docs/glossary.md]',
];

/** The smallest history as a file. */
export const historyFile = (): string => TEXT.replaceAll(String.raw`\n`, '\n');

export function followAnomaly(copy: Copy): void {
  const [register, classify, show, document] = stepsOf('A new anomaly name', WORDS) as [Step, Step, Step, Step];
  registerName(copy, register);
  classifyCycles(copy, classify);
  showHistory(copy, show);
  nameInPages(copy, document);
}

/** Step 1: the table, the name of a cycle by its edges, and the row of its test. */
function registerName(copy: Copy, step: Step): void {
  const table = 'packages/core/contract/src/anomalies.ts';
  copy.edit(
    step,
    table,
    `  {
    name: 'stale-read',`,
    `  {
    name: '${NAME}',
    title: 'a cycle of three anti-dependencies or more',
    aliases: [],
    forbiddenBy: ['serializable'],
  },
  {
    name: 'stale-read',`,
  );
  copy.edit(
    step,
    table,
    `  {
    name: 'G0-realtime',`,
    `  {
    name: '${NAME}-process',
    title: 'a cycle of session order and three anti-dependencies or more',
    aliases: [],
    forbiddenBy: ['serializable'],
  },
  {
    name: 'G0-realtime',`,
  );
  copy.edit(
    step,
    table,
    `  'lost-update': 'lost-update-predicate',`,
    `  'lost-update': 'lost-update-predicate',
  '${NAME}': 'G2-long',
  '${NAME}-process': 'G2-long-process',`,
  );
  copy.edit(
    step,
    'packages/core/contract/src/cycle-name.ts',
    `isSplit ? 'G-nonadjacent' : 'G2-item';\n  return edges`,
    `isSplit ? 'G-nonadjacent' : antiDependencies > 2 ? '${NAME}' : 'G2-item';\n  return edges`,
  );
  copy.edit(
    step,
    'packages/core/contract/test/cycle-name.test.ts',
    `    ['G2-item-process', `,
    `    ['${NAME}', [misses, misses, misses], false],
    ['${NAME}-process', [misses, session, misses, misses], false],
    ['G2-item-process', `,
  );
}

/** Step 2: by the definitions, with suffixes, in titles of stories, and among Elle's names. */
function classifyCycles(copy: Copy, step: Step): void {
  const folder = 'packages/library/explain/src';
  copy.edit(
    step,
    `${folder}/classify/name.ts`,
    `  if (fails('plain-serializable') || fails('serializable'))
    return isLostUpdate(world)
      ? named('lost-update')
      : named('G2-item', ...(isReadOnlyAnomaly(world, orders) ? [READ_ONLY] : []));`,
    `  if (fails('plain-serializable') || fails('serializable')) {
    if (isLostUpdate(world)) return named('lost-update');
    const model = fails('plain-serializable') ? 'plain-serializable' : 'serializable';
    const also = isReadOnlyAnomaly(world, orders) ? [READ_ONLY] : [];
    return named(antisNeeded(world, model, orders) > 2 ? '${NAME}' : 'G2-item', ...also);
  }`,
  );
  copy.edit(
    step,
    `${folder}/classify/classify.ts`,
    `['G-single', 'G-nonadjacent', 'G2-item'] as const;`,
    `['G-single', 'G-nonadjacent', 'G2-item', '${NAME}'] as const;`,
  );
  copy.edit(
    step,
    `${folder}/explain.ts`,
    `  'G2-item': 'Write skew',`,
    `  'G2-item': 'Write skew',
  '${NAME}': 'Long write skew',
  '${NAME}-process': 'Long write skew in session order',
  'G2-long': 'Long write skew over a predicate',
  'G2-long-process': 'Long write skew over a predicate in session order',`,
  );
  copy.edit(
    step,
    'packages/checkers/elle/src/consistency-models.ts',
    `  'stale-read': ['G-single-realtime'],`,
    `  'stale-read': ['G-single-realtime'],
  '${NAME}': ['G2-item'],
  '${NAME}-process': ['G2-item-process'],
  'G2-long': ['G2'],
  'G2-long-process': ['G2-process'],`,
  );
}

/** Step 3: the history, its verdicts, its name, and its place in the gallery. */
function showHistory(copy: Copy, step: Step): void {
  copy.edit(
    step,
    'packages/proof/testkit/src/named-texts.ts',
    `  'read-only-anomaly': `,
    `  '${HISTORY}': '${TEXT}',\n  'read-only-anomaly': `,
  );
  copy.edit(
    step,
    'packages/proof/testkit/src/named-histories.ts',
    `  'read-only-anomaly': `,
    `  '${HISTORY}': ['strong-snapshot-isolation', 'linearizable'],\n  'read-only-anomaly': `,
  );
  copy.edit(
    step,
    'packages/library/explain/test/classify.test.ts',
    `  'read-only-anomaly': `,
    `  '${HISTORY}': '${NAME}',\n  'read-only-anomaly': `,
  );
  // This row of three anti-dependencies had the other name.
  copy.edit(
    step,
    'packages/library/explain/test/classify.test.ts',
    `    ['G2-item-process', 'serializable', 'r(x,0) w(y,1)`,
    `    ['${NAME}-process', 'serializable', 'r(x,0) w(y,1)`,
  );
  copy.edit(
    step,
    'packages/apps/site/src/reference/gallery.ts',
    `  ['list-', 'Lists', `,
    `  ['${HISTORY}', 'Longer cycles', \`Write skew of three transactions. \${WEAKEST}\`],\n  ['list-', 'Lists', `,
  );
}

/** Step 4, but for \`npm run generate\`. */
function nameInPages(copy: Copy, step: Step): void {
  copy.edit(
    step,
    'docs/glossary.md',
    '| lost update | ',
    `| long write skew (${NAME}) | a cycle of three anti-dependencies or more |\n| lost update | `,
  );
  copy.edit(
    step,
    'docs/levels.md',
    'in `G-nonadjacent` never two in a row.',
    `in \`G-nonadjacent\` never two in a row; \`${NAME}\` has three or more.`,
  );
  copy.edit(
    step,
    'packages/library/explain/README.md',
    '| serializability | `G2-item` |',
    `| serializability | \`G2-item\`, \`${NAME}\` where a cycle must have three anti-dependencies |`,
  );
}
