import { Exchange, type History, HistoryBuilder, NIL, OpKind, TxnStatus, UNKNOWN_VALUE } from '@isolab/history';

interface Call {
  readonly t: number;
  readonly f: string;
  readonly key: string;
  readonly value: string;
}

/** Reads etcd's logs and the key-value logs, without the formats package, which stands above checkers. */
export function readLog(text: string, format: string): History {
  return format === 'porcupine-etcd' ? readEtcd(text) : readKeyValue(text);
}

function readEtcd(text: string): History {
  const builder = new HistoryBuilder({ format: 'etcd', file: 'log', unit: 'line' });
  const key = builder.keys.string('register');
  const value = (word: string): number => (word === 'nil' ? NIL : builder.values.bigint(BigInt(word)));
  const open = new Map<string, Call>();
  const close = ({ t, f, value: given }: Call, status: number, read: number, flags = 0): void => {
    builder.resume(t);
    builder.outcome(t, status);
    const [first, second] = given.replaceAll(/[[\]]/g, '').split(' ');
    if (f === 'read') builder.op(OpKind.Read, key, read);
    else if (f === 'write') builder.op(OpKind.Write, key, value(given));
    else builder.exchange(OpKind.CompareAndSet, key, value(first!), value(second!), flags);
  };
  text.split('\n').forEach((line, i) => {
    const match = /-\s+(\d+)\s+:(\w+)\s+:(\w+)\s+(\S.*?)\s*$/.exec(line);
    if (match === null) return;
    const [, process, type, f, given] = match as unknown as string[];
    if (type === 'invoke') {
      const t = builder.begin(builder.sessions.bigint(BigInt(process!)), i);
      builder.time(t, 'begin', BigInt(i));
      open.set(process!, { t, f: f!, key: 'register', value: given! });
      return;
    }
    const call = open.get(process!)!;
    open.delete(process!);
    if (type !== 'info') builder.time(call.t, 'end', BigInt(i));
    if (type === 'info') close(call, TxnStatus.Unknown, UNKNOWN_VALUE);
    else if (type === 'ok') close(call, TxnStatus.Committed, f === 'read' ? value(given!) : NIL);
    else if (given!.startsWith(':')) close(call, TxnStatus.Aborted, UNKNOWN_VALUE);
    else close(call, TxnStatus.Committed, NIL, Exchange.Failed);
  });
  for (const call of open.values()) close(call, TxnStatus.Unknown, UNKNOWN_VALUE);
  return builder.finish();
}

function readKeyValue(text: string): History {
  const builder = new HistoryBuilder({ format: 'kv', file: 'log', unit: 'line' });
  const open = new Map<string, number>();
  const line = /:process (\d+), :type :(\w+), :f :(\w+), :key "(.*?)", :value (?:nil|"(.*)")/;
  text.split('\n').forEach((written, i) => {
    const match = line.exec(written);
    if (match === null) return;
    const [, process, type, f, name, value = ''] = match as unknown as string[];
    if (type === 'invoke') {
      const t = builder.begin(builder.sessions.bigint(BigInt(process!)), i);
      builder.time(t, 'begin', BigInt(i));
      open.set(process!, t);
      return;
    }
    const t = open.get(process!)!;
    const key = builder.keys.string(name!);
    builder.initialOf(key, builder.values.string(''));
    builder.time(t, 'end', BigInt(i));
    builder.resume(t);
    const kind = f === 'get' ? OpKind.Read : f === 'put' ? OpKind.Write : OpKind.Append;
    builder.op(kind, key, builder.values.string(value));
  });
  return builder.finish();
}
