import { Exchange, OPEN_BOUND, OpKind, UNKNOWN_LIST } from '../columns/operation.ts';
import { listElements } from '../columns/lists.ts';
import type { History } from './history.ts';
import type { OperationId } from '../columns/ids.ts';

type Spell = (id: number) => string;

/** Prints an operation in the notation, such as `r(x,1)`, `cas!(x,1,2)` or `range(a,*,a=1)`; not for rows of tables. */
export function printOperation(history: History, op: OperationId, key: Spell, value: Spell): string {
  const { opKind, opKey, opValue, exchanges, lists } = history;
  const [kind, x] = [opKind[op], opValue[op]];
  if (kind === OpKind.RangeRead) return printRange(history, x, key, value);
  const name = key(opKey[op]);
  if (kind === OpKind.Read) return `r(${name},${value(x)})`;
  if (kind === OpKind.Write) return `w(${name},${value(x)})`;
  if (kind === OpKind.Append) return `a(${name},${value(x)})`;
  if (kind === OpKind.ListRead)
    return `r(${name},[${x === UNKNOWN_LIST ? '?' : Array.from(listElements(lists, x), value).join(' ')}])`;
  const verb = kind === OpKind.CompareAndSet ? 'cas' : kind === OpKind.Insert ? 'ins' : 'del';
  const flag = kind === OpKind.CompareAndSet ? Exchange.Failed : Exchange.FoundTombstone;
  const change = `${value(exchanges.observed[x])},${value(exchanges.written[x])}`;
  return `${verb}${exchanges.flags[x] & flag ? '!' : ''}(${name},${change})`;
}

function printRange({ ranges }: History, range: number, key: Spell, value: Spell): string {
  const bound = (id: number): string => (id === OPEN_BOUND ? '*' : key(id));
  const rows: string[] = [];
  for (let row = ranges.rowStart[range]; row < ranges.rowStart[range + 1]; row++)
    rows.push(`${key(ranges.rowKey[row])}=${value(ranges.rowValue[row])}${ranges.rowDead[row] ? '!' : ''}`);
  const parts = [bound(ranges.low[range]), bound(ranges.high[range]), ...(rows.length > 0 ? [rows.join(' ')] : [])];
  return `range(${parts.join(',')})`;
}
