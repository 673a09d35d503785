import { type Edge, type FoundAnomaly, INITIAL_TXN, findAnomaly } from '@isolab/contract';
import {
  type History,
  type InternalAnomaly,
  STATUS_NAMES,
  commonPlace,
  locateOperation,
  nameAtom,
  nameTransaction,
  showOperation,
  transactionOf,
} from '@isolab/history';
import type { Story } from '@isolab/story';
import type { BriefStory } from './judge.ts';
import type { Style } from './print.ts';

/** An anomaly in sentences with places in the source, and a drawing of the transactions that it takes. */
export function tellAnomaly(history: History, anomaly: FoundAnomaly, style: Style): string {
  const { name, pattern, transactions, certificate } = anomaly;
  const head = `${style.red(name)}${pattern === undefined ? '' : ` (${pattern})`}: ${findAnomaly(name)?.title ?? ''}`;
  const marked = new Map<number, 'read' | 'other'>();
  let sentences: string[] = [];
  if (certificate?.kind === 'internal') {
    sentences = explain(history, certificate, certificate.anomaly as InternalAnomaly['name']);
    marked.set(certificate.read, 'read').set(certificate.other, 'other');
  } else if (certificate?.kind === 'cycle') {
    sentences = certificate.edges.map((edge) => `${sentence(history, edge)}.`);
    for (const edge of certificate.edges) markOperations(edge, marked);
    sentences.push('These edges form a cycle, so no valid order exists.');
  }
  const drawn = draw(
    history,
    transactions.filter((t) => t !== INITIAL_TXN && history.txnStart[t + 1]! > history.txnStart[t]!),
    marked,
    style,
  );
  return [head, ...sentences.map((line) => `  ${line}`), '', drawn].join('\n');
}

/** A story for the terminal: what happened, what it is called, what follows for levels, and why, step by step. */
export async function tellStory(story: Story, style: Style): Promise<string> {
  const { hiddenNote, standingOf, struckLines } = await import('@isolab/story');
  const { title, summary, meaning, anomaly, prose, copies } = story;
  const hidden = hiddenNote(story);
  const names = anomaly === null ? [] : [anomaly.name, ...anomaly.aliases];
  const facts = [
    ...(meaning === undefined ? [] : [meaning]),
    ...(names.length === 0 ? [] : [`Also called ${names.join(', ')}.`]),
    ...standingOf(story).map(([label, levels]) => `${capitalised(label)} ${levels.join(', ')}.`),
    ...struckLines(story).map((line) => `Meanwhile ${line}.`),
  ];
  return [
    `${style.red(title)}: ${style.bold(summary)}`,
    ...facts.map((line) => style.dim(`  ${line}`)),
    '',
    ...prose.map(({ text }, i) => `  ${String(i + 1).padStart(2)}. ${text}`),
    ...(copies?.notation === undefined ? [] : ['', ...copies.notation.split('\n').map((line) => `      ${line}`)]),
    ...(hidden === '' ? [] : ['', style.dim(`  ${hidden}.`)]),
  ].join('\n');
}

/** The same in a few lines: what happened, and the transactions that it takes. */
export async function tellBriefly({ story, isSmallest }: BriefStory, style: Style): Promise<string> {
  const { standingOf, struckLines } = await import('@isolab/story');
  const { title, summary, anomaly, sessions } = story;
  const names = anomaly === null ? [] : [anomaly.name, ...anomaly.aliases];
  const facts = [
    ...(names.length === 0 ? [] : [`Also called ${names.join(', ')}.`]),
    ...standingOf(story).map(([label, levels]) => `${capitalised(label)} ${levels.join(', ')}.`),
    ...struckLines(story).map((line) => `Meanwhile ${line}.`),
  ];
  const shown = story.transactions.filter(({ role, session }) => role !== 'context' && session !== null);
  const rows = shown.map((transaction) => {
    const session = sessions.find(({ id }) => id === transaction.session);
    const where = [session?.label, transaction.name, transaction.place].filter((word) => word !== undefined);
    return [transaction.label, where.join(', '), operationsOf(transaction, style)] as const;
  });
  const width = (column: 0 | 1): number => Math.max(0, ...rows.map((row) => row[column].length));
  const [wide, wider] = [width(0), width(1)];
  const more = isSmallest ? 'explains it step by step' : 'looks for a smaller part, and explains it step by step';
  return [
    `${style.red(title)}: ${style.bold(summary)}`,
    '',
    ...rows.map(
      ([label, where, operations]) =>
        `  ${label.padEnd(wide)}  ${style.dim(where.padEnd(wider))}  ${style.dim('│')} ${operations}`,
    ),
    '',
    ...facts.map((line) => style.dim(`  ${line}`)),
    style.dim(`  --shrink ${more}; isolab view draws it.`),
  ].join('\n');
}

/** For a long transaction, only the operations that take part in the violation are printed. */
function operationsOf({ operations, status }: Story['transactions'][number], style: Style): string {
  const isShort = operations.length <= SHOWN_WHOLE;
  const texts = operations.map(({ text, role }) => {
    if (role === 'read') return style.red(`[${text}]`);
    if (role === 'write') return style.yellow(`<${text}>`);
    return isShort || role === 'cycle' ? text : '…';
  });
  return `${texts.filter((text, i) => text !== '…' || texts[i - 1] !== '…').join('  ')}${status === 'committed' ? '' : style.yellow(`  ${status}`)}`;
}

/** Reason why one transaction comes before another, in a sentence. */
function sentence(history: History, { from, to, reason }: Edge): string {
  const name = (t: number): string => (t === INITIAL_TXN ? 'the initial transaction' : nameTransaction(history, t));
  const of = (op: number): string => name(transactionOf(history, op));
  const at = (op: number): string => `${showOperation(history, op)} at ${placeOf(history, op)}`;
  const order = `${capitalised(name(from))} comes before ${name(to)}`;
  switch (reason.kind) {
    case 'session':
      return `${order}, because it is earlier in the same session`;
    case 'initial':
      return `${order}, because it precedes every other transaction`;
    case 'read-from':
      return `${order}, which reads from it: ${at(reason.read)}`;
    case 'real-time':
      return `${order}, because it returned before the other was called`;
    case 'overwritten':
      return `${order}, because ${of(reason.read)} sees ${name(from)}, which executes ${at(reason.write)}, but reads ${at(reason.read)} from ${name(to)}: ${seen(history, reason.visible)}`;
    case 'overwrites':
      return `${order}, because it reads ${at(reason.read)}, which ${name(to)} overwrites with ${at(reason.write)}`;
    default:
      return `${order}, by assumption`;
  }
}

function seen(history: History, visible: readonly Edge[]): string {
  const steps = visible.map(({ from, to, reason }) => {
    const name = (t: number): string => (t === INITIAL_TXN ? 'the initial transaction' : nameTransaction(history, t));
    return reason.kind === 'session'
      ? `${name(to)} follows ${name(from)} in the same session`
      : `${name(to)} reads from ${name(from)}`;
  });
  return steps.toReversed().join(', and ');
}

function markOperations({ reason }: Edge, marked: Map<number, 'read' | 'other'>): void {
  if ('read' in reason) marked.set(reason.read, 'read');
  if ('write' in reason) marked.set(reason.write, 'other');
  if (reason.kind === 'overwritten') for (const edge of reason.visible) markOperations(edge, marked);
}

function explain(
  history: History,
  { read, other }: { readonly read: number; readonly other: number },
  name: InternalAnomaly['name'],
): string[] {
  const at = (op: number): string => `${showOperation(history, op)} at ${placeOf(history, op)}`;
  const of = (op: number): string => nameTransaction(history, transactionOf(history, op));
  const first = `${capitalised(of(read))} executes ${at(read)}.`;
  switch (name) {
    case 'thin-air-read':
      return [first, 'No transaction in this history writes that value.'];
    case 'aborted-read':
      return [first, `${capitalised(of(other))} wrote that value with ${at(other)}, but it aborted.`];
    case 'future-read':
      return [first, `It writes that value itself, but only later: ${at(other)}.`];
    case 'not-my-own-write':
      return [first, `Earlier it executes ${at(other)}, which the read does not see.`];
    case 'not-my-last-write':
      return [first, `Earlier it executes ${at(other)}, but the read returns one of its older writes.`];
    case 'intermediate-read':
      return [
        first,
        `${capitalised(of(other))} wrote that value with ${at(other)}, and overwrote it in the same transaction.`,
      ];
    case 'non-repeatable-read':
      return [first, `Earlier it executes ${at(other)}, and it does not write that key in between.`];
  }
}

type Marks = ReadonlyMap<number, 'read' | 'other'>;

/** Transactions, one line each, with the operations that matter marked. */
function draw(history: History, transactions: readonly number[], marks: Marks, style: Style): string {
  const labels = transactions.map((t) => {
    const session = nameAtom(history.sessionNames, history.txnSession[t]!);
    return `session ${session}, ${nameTransaction(history, t).replace(/ of session .*/, '')}`;
  });
  const width = Math.max(0, ...labels.map((label) => label.length));
  return transactions
    .map((t, i) => `  ${labels[i]!.padEnd(width)}  ${style.dim('│')} ${drawTransaction(history, t, marks, style)}`)
    .join('\n');
}

/** Long transactions are cut down to the operations near the marked ones. */
function drawTransaction(history: History, t: number, marks: Marks, style: Style): string {
  const { txnStart, txnStatus } = history;
  const marked = [...marks.keys()];
  const short = txnStart[t + 1]! - txnStart[t]! <= SHOWN_WHOLE;
  const shown: string[] = [];
  for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
    const text = showOperation(history, op);
    const mark = marks.get(op);
    if (mark === 'read') shown.push(style.red(`[${text}]`));
    else if (mark === 'other') shown.push(style.yellow(`<${text}>`));
    else if (short || marked.some((other) => Math.abs(op - other) < SHOWN_AROUND)) shown.push(text);
    else if (shown[shown.length - 1] !== '…') shown.push('…');
  }
  const status = txnStatus[t] === 0 ? '' : style.yellow(`  ${STATUS_NAMES[txnStatus[t]!]}`);
  return shown.join('  ') + status;
}

/** Without the path, which the line of the verdict has. */
const placeOf = (history: History, op: number): string =>
  locateOperation(history, op).slice(commonPlace(history).length);

const capitalised = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

const SHOWN_WHOLE = 8;
const SHOWN_AROUND = 3;
