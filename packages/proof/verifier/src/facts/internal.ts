import { OpKind, type OperationId, TxnStatus, UNKNOWN_LIST, UNKNOWN_VALUE, countOperations } from '@isolab/history';
import { type Fields, integerOf, refuse, show } from '../verdict/flaw.ts';
import { LISTS_SHOW } from './internal-lists.ts';
import { type RawFacts, Saw, type Shows, isInitial } from './raw-facts.ts';
import { type Rules, readsRepeat } from './rules.ts';
import { Rank } from './versions.ts';

/** Refuses an external read of a register whose value cannot be from a last write. */
export function refuseAnomalousRead({ history, txnOf, source, versions }: RawFacts, t: number, op: OperationId): void {
  const write = source[op];
  if (write === Saw.ThinAir) refuseRead(t, op, 'reads a value that no transaction wrote');
  if (write === Saw.OneOfSeveral) refuseRead(t, op, SEVERAL);
  if (write < 0) return;
  if (txnOf[write] === t)
    refuseRead(t, op, `reads a value that its own transaction writes later, in operation ${write}`);
  const rank = versions.rank[write];
  if (rank === Rank.InPassing)
    refuseRead(t, op, `reads a value of operation ${write}, which the same writer later overwrote`);
  if (rank !== Rank.Aborted) return;
  const isAborted = history.txnStatus[txnOf[write]] === TxnStatus.Aborted;
  refuseRead(
    t,
    op,
    `reads from operation ${write} of ${isAborted ? 'an aborted transaction' : 'a transaction that the order leaves out'}`,
  );
}

const refuseRead = (t: number, op: OperationId, problem: string): never =>
  refuse(`operation ${op} of transaction ${t} ${problem}`);

export const SEVERAL = 'may have read from several transactions, because the value was written more than once';

/** Refuses unless two operations show the anomaly that the certificate or proof step names. */
export function verifyInternal(
  facts: RawFacts,
  rules: Rules,
  certificate: Fields,
  happened: (t: number) => boolean = (t) => facts.happened[t] === 1,
): void {
  const { history, txnOf } = facts;
  const numOps = countOperations(history);
  const anomaly = certificate['anomaly'];
  if (typeof anomaly !== 'string' || !Object.hasOwn(REGISTERS_SHOW, anomaly))
    refuse(`the anomaly is ${show(anomaly)}, which is not an internal anomaly`);
  const read = integerOf(certificate['read'], 0, numOps, 'the read');
  const other = integerOf(certificate['other'], -1, numOps, 'the other operation');
  const allowed = anomaly === 'non-repeatable-read' ? !readsRepeat(rules) : rules.axiom === 'cut';
  if (allowed) refuse(`the level ${rules.level} does not forbid ${anomaly}`);
  const isList = history.opKind[read] === OpKind.ListRead;
  if (!isList && history.opKind[read] !== OpKind.Read) refuse(`operation ${read} is not a read`);
  if (!happened(txnOf[read])) refuse(`transaction ${txnOf[read]}, of operation ${read}, did not happen`);
  if (history.opValue[read] === (isList ? UNKNOWN_LIST : UNKNOWN_VALUE))
    refuse(`operation ${read} has an unknown result`);
  if (anomaly === 'thin-air-read' ? other !== -1 : other < 0)
    refuse(`the other operation is ${other}, which cannot take part in ${anomaly}`);
  const problem = (isList ? LISTS_SHOW : REGISTERS_SHOW)[anomaly]!(facts, read, other);
  if (problem !== null) refuse(`operation ${read} does not show ${anomaly}: ${problem}`);
}

const REGISTERS_SHOW: Readonly<Record<string, Shows>> = {
  'thin-air-read': (facts, read) =>
    seesInitial(facts, read) ?? (bestRank(facts, read) === null ? null : `a transaction wrote the value`),

  'aborted-read': (facts, read, other) =>
    isSeen(facts, read, other) ??
    seesInitial(facts, read) ??
    (facts.history.txnStatus[facts.txnOf[other]] !== TxnStatus.Aborted
      ? `transaction ${facts.txnOf[other]} was not aborted`
      : bestRank(facts, read) !== Rank.Aborted
        ? 'a transaction that was not aborted also wrote the value'
        : null),

  'intermediate-read': (facts, read, other) =>
    isSeen(facts, read, other) ??
    seesInitial(facts, read) ??
    (sameTransaction(facts, read, other)
      ? `operation ${other} belongs to the same transaction`
      : facts.versions.rank[other] !== Rank.InPassing
        ? `the transaction of operation ${other} did not overwrite the value`
        : bestRank(facts, read) === Rank.Last
          ? 'another transaction wrote the value last'
          : ownWriteExists(facts, read)),

  'future-read': (facts, read, other) =>
    isSeen(facts, read, other) ??
    seesInitial(facts, read) ??
    (!sameTransaction(facts, read, other) || other < read
      ? `operation ${other} is not a later operation of the same transaction`
      : lastWrittenByAnother(facts, read)
        ? 'another transaction also wrote the value'
        : seesOwnWrite(facts, read)),

  'not-my-own-write': (facts, read, other) =>
    isLatestOwnWrite(facts, read, other) ??
    seesOwnWrite(facts, read) ??
    (ownWritesBefore(facts, read).some((write) => sameValue(facts, read, write))
      ? 'it sees an earlier write of its own transaction'
      : seenElsewhere(facts, read)
        ? null
        : 'no other transaction that was not aborted wrote the value'),

  'not-my-last-write': (facts, read, other) =>
    isLatestOwnWrite(facts, read, other) ??
    seesOwnWrite(facts, read) ??
    (ownWritesBefore(facts, read).some((write) => sameValue(facts, read, write))
      ? null
      : 'it does not see an earlier write of its own transaction'),

  'non-repeatable-read': (facts, read, other) => {
    const { opKind, opKey, opValue } = facts.history;
    if (!sameTransaction(facts, read, other) || other >= read || opKind[other] !== OpKind.Read)
      return `operation ${other} is not an earlier read of the same transaction`;
    if (opKey[read] !== opKey[other]) return `operation ${other} reads another key`;
    if (opValue[other] === UNKNOWN_VALUE) return `operation ${other} has an unknown result`;
    if (sameValue(facts, read, other)) return 'both reads see the same value';
    return ownWriteExists(facts, read);
  },
};

const sameTransaction = ({ txnOf }: RawFacts, a: number, b: number): boolean => txnOf[a] === txnOf[b];
const sameValue = ({ history }: RawFacts, a: number, b: number): boolean => history.opValue[a] === history.opValue[b];

/** The rank of the best write of the version that an operation reads; null if no operation wrote it. */
function bestRank(facts: RawFacts, read: OperationId): number | null {
  const writes = writesSeen(facts, read);
  return writes.length === 0 ? null : facts.versions.rank[writes[0]];
}

const writesSeen = ({ history, versions }: RawFacts, read: OperationId): Int32Array =>
  versions.writesOf(history.opKey[read], history.opValue[read]);

const lastWrittenByAnother = (facts: RawFacts, read: OperationId): boolean =>
  writesSeen(facts, read).some(
    (write) => facts.versions.rank[write] === Rank.Last && !sameTransaction(facts, read, write),
  );

const seenElsewhere = (facts: RawFacts, read: OperationId): boolean =>
  seesInitial(facts, read) !== null ||
  writesSeen(facts, read).some(
    (write) => facts.versions.rank[write] !== Rank.Aborted && !sameTransaction(facts, read, write),
  );

function isSeen({ history }: RawFacts, read: OperationId, write: number): string | null {
  const { opKind, opKey, opValue } = history;
  if (opKind[write] !== OpKind.Write) return `operation ${write} is not a write`;
  const seen = opKey[read] === opKey[write] && opValue[read] === opValue[write];
  return seen ? null : `it does not read the value of operation ${write}`;
}

const seesInitial = ({ history }: RawFacts, read: OperationId): string | null =>
  isInitial(history, history.opKey[read], history.opValue[read]) ? 'it may see the initial state' : null;

const ownWriteExists = ({ ownWrite }: RawFacts, read: OperationId): string | null =>
  ownWrite[read] < 0 ? null : `its own transaction wrote the key before, with operation ${ownWrite[read]}`;

const seesOwnWrite = (facts: RawFacts, read: OperationId): string | null =>
  facts.ownWrite[read] >= 0 && sameValue(facts, read, facts.ownWrite[read]) ? 'it sees its own latest write' : null;

const isLatestOwnWrite = ({ ownWrite }: RawFacts, read: OperationId, write: number): string | null =>
  ownWrite[read] === write ? null : `operation ${write} is not its own transaction's latest write of the key before it`;

function ownWritesBefore({ history, txnOf }: RawFacts, read: OperationId): number[] {
  const { txnStart, opKind, opKey } = history;
  const writes: number[] = [];
  for (let op = txnStart[txnOf[read]]; op < read; op++)
    if (opKind[op] === OpKind.Write && opKey[op] === opKey[read]) writes.push(op);
  return writes;
}
