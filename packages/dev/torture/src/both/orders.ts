import { type History, OpKind, TxnStatus, countValues } from '@isolab/history';
import type { Random } from '@isolab/workloads';
import type { Claim } from '../certificates/judge.ts';
import type { Json } from '../certificates/mutate.ts';
import {
  type Asked,
  type Numbered,
  type Sight,
  aggregatesIn,
  externalReads,
  numbered,
  operationsOf,
  seeing,
  someSights,
} from './numbered.ts';

/**
 * Forges a well-formed certificate of `satisfied` of some kind: a known order of this history, or a random one,
 * slightly changed. It includes possible sources of the values read, and possible rows of the aggregates.
 */
export function forgeOrder(history: History, orders: readonly Json[], random: Random): Claim {
  const certificate = kindOf(history, orders, random);
  if (typeof certificate !== 'object' || certificate === null || random.chance(0.1))
    return { verdict: 'satisfied', certificate };
  const order = orderIn(certificate as Order);
  const aggregates = history.scans.table.length === 0 ? [] : aggregatesIn(history, random);
  const named = random.chance(0.1) ? aggregates.slice(1) : aggregates;
  const all = numbered(history, named);
  const rows = statedRows(all, order, random);
  const known = seeing(all, rows.sights);
  const sources = random.chance(0.85) ? sourcesIn(known, all, order, random) : null;
  const given = {
    ...(certificate as { readonly [name: string]: Json }),
    ...(named.length > 0 && { rows: rows.json }),
    ...(sources !== null && sources.length > 0 && { sources }),
  };
  return { verdict: 'satisfied', certificate: given };
}

interface Order {
  readonly order?: readonly number[];
  readonly events?: readonly number[];
  readonly happened?: readonly number[];
}

const orderIn = ({ order, events, happened }: Order): readonly number[] =>
  order ?? events?.filter((event) => event % 2 === 1).map((event) => event >> 1) ?? happened ?? [];

function kindOf(history: History, orders: readonly Json[], random: Random): Json {
  const found = orders.length > 0 && random.chance(0.6) ? (random.pick(orders) as Order) : null;
  const order = changed(found === null ? someOrder(history, random) : orderIn(found), history, random);
  switch (random.below(10)) {
    case 0:
    case 1:
      return { kind: 'inspection' };
    case 2:
    case 3:
    case 4:
      return found?.events !== undefined && random.chance(0.5)
        ? { kind: 'event-order', events: changedEvents(found.events, random) }
        : { kind: 'event-order', events: someEvents(order, random) };
    case 5:
      return { kind: 'version-orders', happened: order, orders: versionOrders(history, order) };
    case 6:
      return eachKey(history, order);
    default:
      return { kind: 'commit-order', order };
  }
}

/** Orders transactions randomly: sessions in their order, and some of the transactions with unknown outcome. */
function someOrder({ txnStatus, txnSession }: History, random: Random): number[] {
  const left = Array.from(txnStatus.keys()).filter(
    (t) => txnStatus[t] === TxnStatus.Committed || (txnStatus[t] === TxnStatus.Unknown && random.chance(0.6)),
  );
  const order: number[] = [];
  while (left.length > 0) {
    const next = random.pick(left);
    const first = left.find((t) => txnSession[t] === txnSession[next])!;
    order.push(...left.splice(left.indexOf(first), 1));
  }
  return order;
}

function changed(order: readonly number[], { txnStatus }: History, random: Random): number[] {
  const all = [...order];
  if (all.length > 1 && random.chance(0.4)) {
    const i = random.below(all.length - 1);
    [all[i], all[i + 1]] = [all[i + 1]!, all[i]!];
  }
  if (random.chance(0.3)) return all;
  const unknown = Array.from(txnStatus.keys()).filter((t) => txnStatus[t] === TxnStatus.Unknown);
  if (unknown.length === 0) return all;
  const t = random.pick(unknown);
  return all.includes(t) ? all.filter((other) => other !== t) : all.toSpliced(random.below(all.length + 1), 0, t);
}

/** Orders events so that each transaction begins before it commits: one after another, or some concurrently. */
function someEvents(order: readonly number[], random: Random): number[] {
  const overlap = random.pick([0, 0.5, 1.5, 3]);
  const places = order.flatMap((t, i) => [
    { event: 2 * t, place: i - 0.4 - overlap * random.fraction() },
    { event: 2 * t + 1, place: i },
  ]);
  return places.toSorted((a, b) => a.place - b.place).map(({ event }) => event);
}

function changedEvents(events: readonly number[], random: Random): number[] {
  const all = [...events];
  const i = random.below(Math.max(1, all.length - 1));
  if (i + 1 < all.length && all[i]! >> 1 !== all[i + 1]! >> 1) [all[i], all[i + 1]] = [all[i + 1]!, all[i]!];
  return all;
}

/** Writers of each key with several of them; for a history with scans, only of the keys of rows. */
function versionOrders(history: History, order: readonly number[]): Json[] {
  const { keyInitial, opKind, opKey } = history;
  const writes = (t: number, key: number): boolean =>
    operationsOf(history, t).some(
      (op) => opKey[op] === key && (opKind[op] === OpKind.Write || opKind[op] === OpKind.Append),
    );
  return Array.from(keyInitial.keys(), (key): Json => [key, order.filter((t) => writes(t, key))]);
}

function eachKey({ keyInitial, txnStart, opKey }: History, order: readonly number[]): Json {
  const keys = Array.from(keyInitial.keys()).flatMap((key): Json[] => {
    const users = order.filter((t) => opKey.subarray(txnStart[t], txnStart[t + 1]).includes(key));
    return users.length === 0 ? [] : [[key, { kind: 'commit-order', order: users }]];
  });
  return { kind: 'each-key', all: { kind: 'commit-order', order }, keys };
}

/** Rows of each aggregate at some point of the order, or rows that give its result, with few mistakes. */
function statedRows(all: Numbered, order: readonly number[], random: Random) {
  const chosen = all.asked.map((one) => {
    const sights = random.chance(0.5) ? seenAlong(all, one, order, random) : someSights(one, random);
    const some = random.chance(0.1) ? sights.slice(1) : sights;
    return {
      op: one.op,
      sights: some.map((sight) => (random.chance(0.03) ? { ...sight, matched: !sight.matched } : sight)),
    };
  });
  const json = chosen.map(({ op, sights }): Json => [op, sights.map(({ read, matched }): Json => [read, matched])]);
  return { sights: chosen.flatMap(({ sights }) => sights), json };
}

/** Rows that an aggregate observes at its transaction's place in the order, or earlier. */
function seenAlong({ withScans, lowered }: Numbered, one: Asked, order: readonly number[], random: Random): Sight[] {
  const { opKind, opKey, opValue, keyInitial } = lowered.history;
  const held = keyInitial.slice();
  const apply = (op: number): void => {
    if (opKind[op] === OpKind.Write) held[opKey[op]!] = opValue[op]!;
  };
  const place = Math.max(0, order.indexOf(one.transaction));
  for (const t of order.slice(0, random.chance(0.7) ? place : random.below(place + 1)))
    operationsOf(lowered.history, t).forEach(apply);
  const first = one.choices.flat()[0]?.read ?? 0;
  for (const op of operationsOf(lowered.history, one.transaction)) if (op < first) apply(op);
  const isTrue = countValues(withScans) + 1;
  return one.choices.flatMap(
    (choice) => choice.find(({ read, matched }) => (held[opKey[read]!] === isTrue) === matched) ?? [],
  );
}

/**
 * Sources of reads of values that several transactions may have written: one of these, usually the latest before the
 * reader.
 */
function sourcesIn(known: History, { txnOf }: Numbered, order: readonly number[], random: Random): Json[] {
  const { opKind, opKey, opValue, keyInitial } = known;
  const left = (t: number, key: number): number | undefined => {
    const last = operationsOf(known, t).findLast((op) => opKey[op] === key && opKind[op] === OpKind.Write);
    return last === undefined ? undefined : opValue[last];
  };
  return externalReads(known).flatMap((read): Json[] => {
    const [reader, key] = [txnOf[read]!, opKey[read]!];
    const place = order.indexOf(reader);
    const writers = order.filter((t) => t !== reader && left(t, key) === opValue[read]);
    const all = keyInitial[key] === opValue[read] ? [-1, ...writers] : writers;
    if (place < 0 || all.length < 2) return [];
    const before = all.filter((t) => t < 0 || order.indexOf(t) < place);
    return [[read, before.length > 0 && random.chance(0.7) ? before.at(-1)! : random.pick(all)]];
  });
}
