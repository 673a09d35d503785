import { Exchange, type History, OpKind, TxnStatus, UNKNOWN_LIST, UNKNOWN_VALUE } from '@isolab/history';

/** Effect of an operation on the state of its key: the states in which it may take effect, and the resulting state. */
export const Action = {
  /** Finds the state `a`. */
  Read: 0,
  /** Finds any state: a read with an unknown result. */
  ReadAny: 1,
  /** Leaves the state `b`. */
  Write: 2,
  /** Finds `a` and leaves `b`. */
  Exchange: 3,
  /** Finds a state other than `a`: a compare-and-set that failed. */
  FindOther: 4,
  /** Leaves `b` if it finds `a`: a compare-and-set of unknown outcome. */
  TryExchange: 5,
  /** Adds the value `b`. */
  Append: 6,
  /** Finds the text of the value `a`. */
  ReadText: 7,
  /** Leaves the text of the value `b`. */
  WriteText: 8,
} as const;

/** Operations that matter, in the order of the history's transactions. Each transaction is one operation. */
export interface Operations {
  readonly count: number;
  readonly txn: Int32Array;
  readonly key: Int32Array;
  readonly action: Uint8Array;
  /** Value ids, or nodes of the list tree; see Action. */
  readonly a: Int32Array;
  readonly b: Int32Array;
  /** 1 for an operation of unknown outcome, which may have taken effect at any time after its call, or never. */
  readonly isOptional: Uint8Array;
}

/** Kinds of the states of a key. */
export const Model = { Register: 0, Text: 1, List: 2, Mixed: 3 } as const;

/** Returns the model of each key: a register, a list, or, if a register is appended to, a text. */
export function modelsOf({ opKind, opKey }: History, numKeys: number): Uint8Array {
  const [APPENDED, WHOLE, LIST] = [1, 2, 4];
  const uses = new Uint8Array(numKeys);
  for (let op = 0; op < opKind.length; op++) {
    const kind = opKind[op];
    uses[opKey[op]] |= kind === OpKind.Append ? APPENDED : kind === OpKind.ListRead ? LIST : WHOLE;
  }
  return uses.map((use) => {
    if (use & LIST) return use & WHOLE ? Model.Mixed : Model.List;
    if (use & APPENDED) return use & WHOLE ? Model.Text : Model.List;
    return Model.Register;
  });
}

export function operationsOf(history: History, models: Uint8Array): Operations {
  const { txnStart, txnStatus, opKind, opKey, opValue, exchanges } = history;
  const numTxns = txnStatus.length;
  const txn = new Int32Array(numTxns);
  const key = new Int32Array(numTxns);
  const action = new Uint8Array(numTxns);
  const a = new Int32Array(numTxns);
  const b = new Int32Array(numTxns);
  const isOptional = new Uint8Array(numTxns);
  let count = 0;
  for (let t = 0; t < numTxns; t++) {
    const op = txnStart[t];
    if (txnStatus[t] === TxnStatus.Aborted || op === txnStart[t + 1]) continue;
    const optional = txnStatus[t] === TxnStatus.Unknown;
    const kind = opKind[op];
    const k = opKey[op];
    const isText = models[k] === Model.Text;
    const value = opValue[op];
    if (kind === OpKind.Read) {
      action[count] = value === UNKNOWN_VALUE ? Action.ReadAny : isText ? Action.ReadText : Action.Read;
      a[count] = value;
    } else if (kind === OpKind.ListRead) {
      action[count] = value === UNKNOWN_LIST ? Action.ReadAny : Action.Read;
      a[count] = value;
    } else if (kind === OpKind.Write) {
      action[count] = isText ? Action.WriteText : Action.Write;
      b[count] = value;
    } else if (kind === OpKind.Append) {
      action[count] = Action.Append;
      b[count] = value;
    } else {
      const observed = exchanges.observed[value];
      const failed = (exchanges.flags[value] & Exchange.Failed) !== 0;
      action[count] = failed ? Action.FindOther : Action.Exchange;
      if (optional) action[count] = failed ? Action.ReadAny : Action.TryExchange;
      if (observed === UNKNOWN_VALUE) action[count] = failed ? Action.ReadAny : Action.Write;
      a[count] = observed;
      b[count] = exchanges.written[value];
    }
    if (optional && ONLY_FIND.includes(action[count])) continue; // an operation without an answer has found nothing
    txn[count] = t;
    key[count] = k;
    isOptional[count++] = optional ? 1 : 0;
  }
  return withoutIdle({ count, txn, key, action, a, b, isOptional }, models);
}

const ONLY_FIND: readonly number[] = [Action.Read, Action.ReadAny, Action.FindOther, Action.ReadText];

/** Drops operations of unknown outcome that no operation can have noticed. Each of them would double the search. */
function withoutIdle(operations: Operations, models: Uint8Array): Operations {
  const { count, key, action, a, b, isOptional } = operations;
  if (!isOptional.includes(1)) return operations;
  const notices = new Uint8Array(models.length);
  const found = new Set<string>();
  const pair = (i: number, value: number): string => `${key[i]} ${value}`;
  for (let i = 0; i < count; i++) {
    if (action[i] === Action.FindOther) notices[key[i]] = 1;
    if (FINDS.includes(action[i])) found.add(pair(i, a[i]));
  }
  const isIdle = (i: number): boolean =>
    isOptional[i] === 1 && models[key[i]] === Model.Register && notices[key[i]] === 0 && !found.has(pair(i, b[i]));
  const kept = Int32Array.from(key.subarray(0, count).keys()).filter((i) => !isIdle(i));
  return {
    count: kept.length,
    txn: kept.map((i) => operations.txn[i]),
    key: kept.map((i) => key[i]),
    action: Uint8Array.from(kept, (i) => action[i]),
    a: kept.map((i) => a[i]),
    b: kept.map((i) => b[i]),
    isOptional: Uint8Array.from(kept, (i) => isOptional[i]),
  };
}

const FINDS: readonly number[] = [Action.Read, Action.Exchange, Action.TryExchange];

/** Returns the first operation that does not fit any model of its key, and the expected form; null if all fit. */
export function firstUnfit(history: History, models: Uint8Array): { op: number; expected: string } | null {
  const { opKind, opKey } = history;
  for (let op = 0; op < opKind.length; op++) {
    const model = models[opKey[op]];
    if (model === Model.Mixed) return { op, expected: 'every key to be a list or a register' };
    if (model === Model.Text && opKind[op] >= OpKind.CompareAndSet)
      return { op, expected: 'no exchange on a key that is appended to' };
  }
  return null;
}
