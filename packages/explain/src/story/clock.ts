import { type History, NO_TIME, TxnStatus } from '@isolab/history';

type Moment = 'began' | 'ended';

/** What the clock says of two transactions: the first one's moment came before the second one's. */
export interface ClockFact {
  readonly first: Moment;
  readonly second: Moment;
  readonly times: readonly [bigint, bigint];
}

/** The strongest fact by which real time puts a transaction before another; null where the times show none. */
export function clockFact(history: History, from: number, to: number): ClockFact | null {
  const { txnBegin, txnEnd, txnStatus } = history;
  const timeOf = (t: number, moment: Moment): bigint => {
    if (moment === 'began') return txnBegin?.[t] ?? NO_TIME;
    return txnStatus[t] === TxnStatus.Committed ? (txnEnd?.[t] ?? NO_TIME) : NO_TIME;
  };
  for (const [first, second] of PAIRS) {
    const times = [timeOf(from, first), timeOf(to, second)] as const;
    if (times[0] !== NO_TIME && times[1] !== NO_TIME && times[0] < times[1]) return { first, second, times };
  }
  return null;
}

/** The last one is for commits that nobody saw return, which came after their call. */
const PAIRS = [
  ['ended', 'began'],
  ['ended', 'ended'],
  ['began', 'ended'],
  ['began', 'began'],
] as const;
