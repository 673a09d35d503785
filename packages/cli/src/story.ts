import { INTERNAL_ANOMALY_NAMES } from '@isolab/checker';
import {
  type History,
  type InternalAnomaly,
  STATUS_NAMES,
  locateOperation,
  nameAtom,
  nameTransaction,
  showOperation,
  transactionOf,
} from '@isolab/history';
import type { Style } from './print.ts';

/** An internal anomaly as a sentence with places in the source, and a drawing of the transactions that it takes. */
export function tellStory(history: History, anomaly: InternalAnomaly, style: Style): string {
  const { title, name } = INTERNAL_ANOMALY_NAMES[anomaly.name];
  return [
    `${style.red(name)}: ${title}`,
    ...explain(history, anomaly).map((line) => `  ${line}`),
    '',
    draw(history, anomaly, style),
  ].join('\n');
}

function explain(history: History, { name, read, other }: InternalAnomaly): string[] {
  const at = (op: number): string => `${showOperation(history, op)} at ${locateOperation(history, op)}`;
  const of = (op: number): string => nameTransaction(history, transactionOf(history, op));
  const first = `${capitalised(of(read))} has ${at(read)}.`;
  switch (name) {
    case 'thin-air-read':
      return [first, 'Nothing in this history wrote that.'];
    case 'aborted-read':
      return [first, `That was written by ${of(other)}, with ${at(other)}; but that transaction aborted.`];
    case 'future-read':
      return [first, `It writes that itself, but only later: ${at(other)}.`];
    case 'not-my-own-write':
      return [first, `Before that it did ${at(other)}, which the read does not see.`];
    case 'not-my-last-write':
      return [first, `Before that it did ${at(other)}; the read sees an earlier write of its own.`];
    case 'intermediate-read':
      return [first, `That was written by ${of(other)}, with ${at(other)}, and overwritten in the same transaction.`];
    case 'non-repeatable-read':
      return [first, `Before that it had ${at(other)}, and wrote nothing there in between.`];
  }
}

/** The transactions of an anomaly, one line each, with the two operations marked. */
function draw(history: History, { read, other }: InternalAnomaly, style: Style): string {
  const transactions = [...new Set([other, read].filter((op) => op >= 0).map((op) => transactionOf(history, op)))];
  const labels = transactions.map((t) => {
    const session = nameAtom(history.sessionNames, history.txnSession[t]!);
    return `session ${session}, ${nameTransaction(history, t).replace(/ of session .*/, '')}`;
  });
  const width = Math.max(...labels.map((label) => label.length));
  return transactions
    .map(
      (t, i) => `  ${labels[i]!.padEnd(width)}  ${style.dim('│')} ${drawTransaction(history, t, read, other, style)}`,
    )
    .join('\n');
}

function drawTransaction(history: History, t: number, read: number, other: number, style: Style): string {
  const { txnStart, txnStatus } = history;
  const shown: string[] = [];
  for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
    const text = showOperation(history, op);
    const nearby = Math.abs(op - read) < SHOWN_AROUND || Math.abs(op - other) < SHOWN_AROUND;
    if (op === read) shown.push(style.red(`[${text}]`));
    else if (op === other) shown.push(style.yellow(`<${text}>`));
    else if (nearby) shown.push(text);
    else if (shown[shown.length - 1] !== '…') shown.push('…');
  }
  const status = txnStatus[t] === 0 ? '' : style.yellow(`  ${STATUS_NAMES[txnStatus[t]!]}`);
  return shown.join('  ') + status;
}

const capitalised = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

const SHOWN_AROUND = 4;
