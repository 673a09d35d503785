import {
  type Edge,
  type FoundAnomaly,
  INITIAL_TXN,
  type LevelName,
  type ProofCertificate,
  type Stages,
  implies,
  levelNamed,
} from '@isolab/contract';
import {
  type History,
  type OperationId,
  atomOf,
  capitalised,
  countAtoms,
  plural,
  transactionOf,
} from '@isolab/history';
import type { Story, StoryCopies, StoryOrigin, StorySentence } from '@isolab/story';
import { type Classification, classify } from './classify/classify.ts';
import { READ_ONLY } from './classify/name.ts';
import { notationOf } from './copies/notation.ts';
import { type Argument, argumentOf, casesOf } from './story/argument.ts';
import { type Cast, hiddenBehind, shownOperations, storySessions, storyTransactions } from './story/cast.ts';
import { asTold, tellCycle } from './story/cycle.ts';
import { EdgeList } from './story/edge-list.ts';
import { headlineOf } from './story/headline.ts';
import { tellInternal, tellLists, tellUpdates } from './story/internal.ts';
import { axiomsHeadline, tellAxioms } from './story/axioms.ts';
import { type Leaf, type TellCase, soleLeaf, tellAggregates, tellSole } from './story/aggregates.ts';
import { tellTimestamps } from './story/timestamps.ts';
import { Names, type Whole } from './story/names.ts';
import { STAGE_NAMES, storyStages } from './story/stages.ts';
import { storyTimelines } from './story/timelines.ts';

export interface ExplainOptions {
  /** The history that this history was shrunk from. Names and places then refer to the whole history. */
  readonly whole?: Whole;
  /** Draws all transactions, with irrelevant transactions as context. Small histories are always drawn whole. */
  readonly everything?: boolean;
  /** Reason why the remaining transactions may be left out. */
  readonly hiddenBecause?: string;
  /** Stages of PolySI's interpretation of the same history. */
  readonly stages?: Stages;
  readonly origin?: StoryOrigin;
  /** Anomaly of the same transactions at a stronger level, which names a violation that only axioms explain. */
  readonly named?: { readonly level: LevelName; readonly anomaly: FoundAnomaly };
  /** The history file that the page offers. */
  readonly historyFile?: { readonly fileName: string; readonly text: string };
}

/** Explains a violation, preferably of a shrunk history, in sentences and in edges with their reasons. */
export function explain(
  history: History,
  level: LevelName,
  anomaly: FoundAnomaly,
  options: ExplainOptions = {},
): Story {
  const sole = soleLeaf(history, anomaly);
  return sole === null
    ? storyOf(history, level, anomaly, options, null)
    : storyOf(sole.history, level, sole.anomaly, options, sole.leaf);
}

/** If the results of the aggregates leave only one choice of rows, the story supposes these rows. */
function storyOf(
  history: History,
  level: LevelName,
  anomaly: FoundAnomaly,
  options: ExplainOptions,
  sole: Leaf | null,
): Story {
  const named = options.named ?? { level, anomaly };
  const classification = classify(history, named.level, named.anomaly, options.whole?.history, options.whole);
  const names = namesInOrder(history, level, anomaly, options);
  const list = new EdgeList(names, level);
  const { told, edges } = tell(names, list, level, anomaly);
  const headline = options.named
    ? headlineAt(names, classification, options.named)
    : anomaly.certificate?.kind === 'axioms'
      ? axiomsHeadline(names, edges, told)
      : headlineOf({ names, list, edges, name: classification.name, anomaly });
  const stages = options.stages ? storyStages(names, list, options.stages) : null;

  const cast: Cast = {
    names,
    transactions: castOf(history, anomaly, list, options),
    inCycle: list.inCycle,
    operations: list.operations,
    reasons: list.touched,
    initialReads: list.initialReads,
  };
  const prose = [...introduce(cast), ...restrictions(cast), ...(sole ? tellSole(names, sole) : []), ...told];
  const timelines = storyTimelines(names, edges);
  const hidden = hiddenBehind(cast, options.whole ?? null, options.hiddenBecause);
  const title = titleOf(classification, level);
  const meaning = `${title}: ${classification.title}, which ${lowerFirst(levelNamed(level).title)} forbids.`;
  const story: Story = {
    title,
    verdict: 'violated',
    level,
    anomaly: { name: classification.name, aliases: classification.aliases },
    ...(headline === null ? { summary: meaning } : { summary: headline, meaning }),
    ...(hidden && { isPart: true }),
    ruledOut: classification.ruledOut,
    ...(classification.leftStanding && { leftStanding: classification.leftStanding }),
    sessions: storySessions(cast),
    transactions: storyTransactions(cast),
    edges: list.all,
    prose,
    ...(hidden && { hidden }),
    ...(timelines.length > 0 && { timelines }),
    ...(stages && { stages }),
    ...(options.origin && { origin: options.origin }),
  };
  return { ...withoutRowNumbers(history, story), copies: copiesOf(history, cast, options) };
}

/** Returns the headline of an anomaly at a level of its own. */
function headlineAt(
  names: Names,
  { name }: Classification,
  { level, anomaly }: ExplainOptions['named'] & object,
): string | null {
  const list = new EdgeList(names, level);
  const { edges } = tell(names, list, level, anomaly);
  return headlineOf({ names, list, edges, name, anomaly });
}

/**
 * Shows a row whose key was reused, `items/"7#1204"` in a recording, by its key alone. The recorder added the number, and
 * clients did not see it.
 */
function withoutRowNumbers({ source, keys }: History, story: Story): Story {
  if (!source.hiddenColumns?.includes('xmin')) return story;
  const isNumbered = Array.from({ length: countAtoms(keys) }, (_, key) => String(atomOf(keys, key))).some((name) =>
    /#\d+"?$/.test(name),
  );
  if (!isNumbered) return story;
  return JSON.parse(JSON.stringify(story).replaceAll(/\/(\\"|)([^"\\\s/#]+)#\d+\1/g, '/$2')) as Story;
}

/**
 * Names transactions T1, T2 … in the order of the history. A trial run of the story determines which transactions
 * appear.
 */
function namesInOrder(history: History, level: LevelName, anomaly: FoundAnomaly, options: ExplainOptions) {
  const names = new Names(history, options.whole ?? null, { leavesOut: options.hiddenBecause !== undefined });
  const rehearsal = new EdgeList(names, level);
  tell(names, rehearsal, level, anomaly);
  names.relabel(castOf(history, anomaly, rehearsal, options));
  return names;
}

interface Told {
  readonly told: StorySentence[];
  readonly edges: readonly Edge[];
}

function tell(names: Names, list: EdgeList, level: LevelName, anomaly: FoundAnomaly): Told {
  const { certificate, transactions } = anomaly;
  switch (certificate?.kind) {
    case 'internal':
      return { told: tellInternal(names, list, certificate), edges: [] };
    case 'lists':
      return { told: tellLists(names, list, certificate), edges: [] };
    case 'axioms':
      return tellAxioms(names, list, level, certificate);
    case 'aggregates':
      return { told: tellAggregates(names, list, level, anomaly, certificate, tellCase), edges: [] };
    case 'timestamps':
      return { told: tellTimestamps(names, list, certificate), edges: [] };
    case 'updates':
      return { told: tellUpdates(names, list, certificate), edges: [] };
    case 'cycle':
    case 'cases':
      return tellArgument(names, list, argumentOf(certificate));
    case 'proof': {
      const cases = casesOf(certificate);
      const argument = cases && argumentOf(cases);
      return argument && argument.size <= EDGES_TOLD
        ? tellArgument(names, list, argument)
        : digest(names, list, certificate);
    }
    case undefined: {
      const shown = transactions.map((t) => names.txn(t)).join(', ');
      return {
        told: [
          {
            text: `No order explains ${shown} together, but the checker gave no certificate that shows why.`,
            edges: [],
          },
        ],
        edges: [],
      };
    }
  }
}

const tellCase: TellCase = (names, level, anomaly) => {
  const list = new EdgeList(names, level);
  const { told, edges } = tell(names, list, level, anomaly);
  return (
    headlineOf({ names, list, edges, name: anomaly.name, anomaly }) ??
    (edges.length > 0 ? `there is a cycle: ${list.reasons.path(edges)}` : told.map(({ text }) => text).join(' '))
  );
};

function tellArgument(names: Names, list: EdgeList, argument: Argument): Told {
  const shown = asTold(names.history, argument);
  return { told: tellCycle(names, list, shown), edges: shown.edges };
}

/** Summarises a proof that is too long to read by its size and by the cycle with the fewest assumptions. */
function digest(names: Names, list: EdgeList, { choices, steps }: ProofCertificate): Told {
  const cycles = steps.flatMap((step) => (step.kind === 'cycle' ? [step] : []));
  const shortest = cycles.toSorted((a, b) => a.clause.length - b.clause.length).slice(0, LEMMAS_TOLD);
  const reads = choices.filter((choice) => 'read' in choice).length;
  const told: StorySentence[] = [
    {
      text: `Every choice leads to a cycle: a proof of ${plural(steps.length, 'step')} covers ${plural(choices.length - reads, 'pair')} of writers of the same key${reads > 0 ? ` and ${plural(reads, 'possible writer')} of reads` : ''}. ${shortest.length === 1 ? 'One of its cycles follows.' : `The ${shortest.length} of its ${cycles.length} cycles with the fewest assumptions follow.`}`,
      edges: [],
    },
  ];
  let main: readonly Edge[] = [];
  shortest.forEach(({ edges }, i) => {
    const argument: Argument = { ...argumentOf({ kind: 'cycle', edges }) };
    const shown = asTold(names.history, argument);
    if (i > 0) {
      const ids = shown.edges.map((edge) => list.add(edge, 'reason', shown));
      told.push({ text: `Another cycle: ${list.reasons.path(shown.edges)}.`, edges: ids });
      return;
    }
    main = shown.edges;
    told.push(...tellCycle(names, list, shown));
  });
  return { told, edges: main };
}

/** Returns the transactions of a story in the order of the history. A small history appears in full. */
function castOf(
  { txnStatus }: History,
  anomaly: FoundAnomaly,
  list: EdgeList,
  { stages, everything = false }: ExplainOptions,
): number[] {
  if (list.touched.size === 0) for (const t of anomaly.transactions) list.touched.add(t);
  if (list.inCycle.size === 0) for (const t of list.touched) list.inCycle.add(t);
  const all = new Set(list.touched);
  for (const name of STAGE_NAMES) for (const t of stages?.[name].transactions ?? []) all.add(t);
  if (everything || txnStatus.length <= DRAWN_WHOLE) for (const t of txnStatus.keys()) all.add(t);
  return [...all].toSorted((a, b) => a - b);
}

/** Writes "Let T1 be …" for each transaction that matters. */
function introduce({ names, operations, reasons }: Cast): StorySentence[] {
  const { history } = names;
  const spokenOf = [...reasons].filter((t) => t !== INITIAL_TXN).toSorted((a, b) => a - b);
  return spokenOf.map((t) => {
    const shown = shownOperations(history, t, operations);
    const whole = shown.length === history.txnStart[t + 1] - history.txnStart[t];
    const text = names.drawnAll(shown);
    return {
      text: `Let ${names.txn(t)} be ${names.sourceName(t)}${names.atLevel(t)} (${names.txnPlace(t)}): ${text}${whole ? '' : ', …'}.`,
      edges: [],
      operations: [
        ...new Set(
          shown.filter((op) => operations.has(op) && transactionOf(history, op) === t).map((op) => names.opId(op)),
        ),
      ],
    };
  });
}

/** Explains why a list or a condition differs from its form in the source. */
function restrictions({ names, reasons }: Cast): StorySentence[] {
  const { txnStart } = names.history;
  const isSo = (what: (op: OperationId) => boolean): boolean =>
    [...reasons].some((t) => {
      if (t === INITIAL_TXN) return false;
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) if (what(op)) return true;
      return false;
    });
  const said = [
    ...(isSo((op) => names.isRestricted(op))
      ? ['Lists show only the relevant elements; the source has the full lists.']
      : []),
    ...(isSo((op) => names.scanOf(op) !== null && names.view!.isShortened(op))
      ? ['Conditions of scans are shown without irrelevant parts; the source has the full conditions.']
      : []),
    ...(names.leavesColumnsOut ? ['Sentences name only the columns that distinguish the versions of a row.'] : []),
  ];
  return said.map((text) => ({ text, edges: [] }));
}

const titleOf = ({ name, aliases }: Classification, level: LevelName): string => {
  // Where a snapshot was expected, anomalies of weaker levels have the names that developers know.
  const expectsSnapshot = implies(level, 'adya-snapshot-isolation');
  if (expectsSnapshot && name === 'PMP') return 'Phantom';
  if (aliases.includes(READ_ONLY)) return 'Read-only anomaly';
  if (expectsSnapshot && aliases.includes('read-skew')) return 'Read skew';
  return anomalyInWords(name);
};

/** Title of an anomaly, such as "Write skew" for G2-item. */
export const anomalyInWords = (name: string): string =>
  TITLES[name] ?? capitalised(name.replaceAll('-', ' ').replace(/^non /, 'non-'));

const TITLES: Readonly<Record<string, string>> = {
  PMP: 'Predicate-many-preceders',
  G2: 'Write skew over a predicate',
  'G1-predicate': 'Fractured scan',
  'lost-update-predicate': 'Lost update over a predicate',
  'G-single-predicate': 'Phantom',
  'G-nonadjacent-predicate': 'Long fork over a predicate',
  'G2-process': 'Write skew over a predicate in session order',
  'G-single-predicate-process': 'Phantom in session order',
  'G-nonadjacent-predicate-process': 'Long fork over a predicate in session order',
  'G2-realtime': 'Write skew over a predicate in real time',
  'G-single-predicate-realtime': 'Phantom in real time',
  'G-nonadjacent-predicate-realtime': 'Long fork over a predicate in real time',
  G0: 'Write cycle',
  G1a: 'Aborted read',
  G1b: 'Intermediate read',
  G1c: 'Circular information flow',
  'G-nonadjacent': 'Long fork',
  'G-single': 'Read skew',
  'G2-item': 'Write skew',
  'G-single-process': 'Read skew in session order',
  'G-nonadjacent-process': 'Long fork in session order',
  'G2-item-process': 'Write skew in session order',
  'G0-realtime': 'Circular order in real time',
  'G1c-realtime': 'Circular information flow in real time',
  'G-single-realtime': 'Read skew in real time',
  'G-nonadjacent-realtime': 'Long fork in real time',
  'G2-item-realtime': 'Write skew in real time',
};

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function copiesOf(history: History, { transactions, names }: Cast, { historyFile }: ExplainOptions): StoryCopies {
  const shown = transactions.filter((t) => t !== INITIAL_TXN);
  return { ...notationOf(history, names.view, shown), ...(historyFile && { history: historyFile }) };
}

const LEMMAS_TOLD = 3;
const EDGES_TOLD = 120;
const DRAWN_WHOLE = 12;
