import type { Condition, Row, States } from '../cases/case.ts';
import type { Sent } from './sessions.ts';
import { rowsText, sameRow, sameRows } from '../cases/rows.ts';

/** Verdict on a condition, with the reads that prove it; null where the reads do not suffice. */
export interface Judged {
  readonly holds: boolean | null;
  readonly because: readonly string[];
}

/** The rows of a read and its position among the statements. */
interface Read {
  readonly rows: readonly Row[];
  readonly place: string;
}

/** Evaluates a condition on the reads of statements. */
export function judge(condition: Condition, sent: readonly Sent[]): Judged {
  switch (condition.kind) {
    case 'saw': {
      const read = readNamed(condition.read, sent);
      if (read === null) return missing(condition.read);
      return told(read, sameRows(read.rows, condition.rows), rowsText(condition.rows));
    }
    case 'has': {
      const read = readNamed(condition.read, sent);
      if (read === null) return missing(condition.read);
      const holds = read.rows.some((row) => sameRow(row, condition.row));
      return told(read, holds, rowsText([condition.row]));
    }
    case 'all':
      return allOf(condition.of.map((each) => judge(each, sent)));
    case 'any':
      return anyOf(condition.of.map((each) => judge(each, sent)));
    case 'not-serial':
      return notSerial(condition.outcomes, sent);
    case 'goes-back':
      return goesBack(condition.reads, condition.states, sent);
  }
}

function readNamed(name: string, sent: readonly Sent[]): Read | null {
  const at = sent.findIndex(({ read }) => read === name);
  const found = sent[at];
  if (found?.answer.kind !== 'rows') return null;
  return { rows: found.answer.rows, place: `statement ${at + 1} (${found.session})` };
}

const missing = (name: string): Judged => ({ holds: null, because: [`the read “${name}” was not answered`] });

const told = ({ rows, place }: Read, holds: boolean, wrong: string): Judged => ({
  holds,
  because: [
    holds ? `${place} gave ${rowsText(rows)}` : `${place} gave ${rowsText(rows)}, where ${wrong} would be wrong`,
  ],
});

const becauses = (of: readonly Judged[]): readonly string[] => of.flatMap(({ because }) => because);

/** Unknown parts take precedence: a conjunction with an unknown part has no verdict. */
function allOf(of: readonly Judged[]): Judged {
  const open = of.filter(({ holds }) => holds === null);
  if (open.length > 0) return { holds: null, because: becauses(open) };
  const failing = of.filter(({ holds }) => holds === false);
  return failing.length > 0 ? { holds: false, because: becauses(failing) } : { holds: true, because: becauses(of) };
}

function anyOf(of: readonly Judged[]): Judged {
  const holding = of.find(({ holds }) => holds === true);
  if (holding) return holding;
  const open = of.filter(({ holds }) => holds === null);
  if (open.length > 0) return { holds: null, because: becauses(open) };
  return { holds: false, because: becauses(of) };
}

function notSerial(outcomes: readonly Condition[], sent: readonly Sent[]): Judged {
  const judged = outcomes.map((outcome) => judge(outcome, sent));
  const open = judged.filter(({ holds }) => holds === null);
  if (open.length > 0) return { holds: null, because: becauses(open) };
  const serial = judged.find(({ holds }) => holds === true);
  if (serial) return { holds: false, because: [...serial.because, 'a serial order gives these rows'] };
  const reads = sent.filter(({ read }) => read !== undefined).map(({ read }) => readNamed(read!, sent)!);
  return {
    holds: true,
    because: [
      ...reads.map(({ rows, place }) => `${place} gave ${rowsText(rows)}`),
      'no serial order of the transactions gives all these rows',
    ],
  };
}

function goesBack(names: readonly string[], states: States, sent: readonly Sent[]): Judged {
  let latest = 0;
  for (const name of names) {
    const read = readNamed(name, sent);
    if (read === null) return missing(name);
    const seen = read.rows.map(([key, value]) => states[String(key)]?.indexOf(Number(value)) ?? -1);
    if (seen.includes(-1) || seen.length === 0)
      return { holds: null, because: [`${read.place} gave ${rowsText(read.rows)}, which no transaction wrote`] };
    latest = Math.max(latest, ...seen);
    const old = seen.findIndex((state) => state < latest);
    if (old !== -1)
      return {
        holds: true,
        because: [
          `${read.place} gave ${rowsText(read.rows)}: ${rowsText([read.rows[old]!])} is older than the rows seen before, or appears together with newer rows`,
        ],
      };
  }
  return { holds: false, because: ['no read showed rows older than the rows seen before'] };
}
