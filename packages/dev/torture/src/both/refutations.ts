import { type History, OpKind, atomOf, registersOf, transactionOfOperations } from '@isolab/history';
import type { Random } from '@isolab/workloads';
import type { Claim } from '../certificates/judge.ts';
import type { Json } from '../certificates/mutate.ts';
import { type Asked, type Numbered, type Sight, aggregatesIn, externalReads, numbered, seeing } from './numbered.ts';

/** Forges a well-formed certificate of `violated` of some kind, with names from the history. */
export function forgeRefutation(history: History, random: Random): Claim {
  const hasScans = history.scans.table.length > 0;
  const aggregates = hasScans ? aggregatesIn(history, random) : [];
  if (aggregates.length > 0 && random.chance(0.6)) {
    const all = numbered(history, aggregates);
    const forger = new CasesOfRows(all, random);
    return { verdict: 'violated', certificate: { kind: 'aggregates', aggregates, cases: forger.forge() } };
  }
  const passedOver = hasScans && random.chance(0.3) ? somePassedOver(history, random) : undefined;
  const { history: lowered } = registersOf(history, { passedOver });
  const certificate = someEvidence(lowered, random);
  return { verdict: 'violated', certificate, ...(passedOver && { passedOver: passedOver as unknown as Json }) };
}

/** Some scans, each with some rows of its table. */
function somePassedOver({ opKind, opValue, scans, keys }: History, random: Random): [number, string[]][] {
  return Array.from(opKind.keys()).flatMap((op): [number, string[]][] => {
    if (opKind[op] !== OpKind.Scan || random.chance(0.4)) return [];
    const rows = Array.from(scans.keyTable.keys()).filter((key) => scans.keyTable[key] === scans.table[opValue[op]!]);
    return [[op, rows.filter(() => random.chance(0.6)).map((key) => atomOf(keys, key) as string)]];
  });
}

/** Builds evidence for each alternative of rows in turn, down to a total or to evidence by reads. */
class CasesOfRows {
  readonly #all: Numbered;
  readonly #random: Random;
  readonly #sights: Sight[] = [];
  readonly #left: (readonly Sight[])[];
  readonly #of = new Map<readonly Sight[], Asked>();

  constructor(all: Numbered, random: Random) {
    this.#all = all;
    this.#random = random;
    this.#left = all.asked.flatMap((one) => one.choices);
    for (const one of all.asked) for (const choice of one.choices) this.#of.set(choice, one);
  }

  forge(): Json {
    const random = this.#random;
    const open = this.#left.filter((choice) => choice.length > 0 || random.chance(0.2));
    if (open.length > 0 && this.#sights.length < DEEPEST && random.chance(this.#sights.length === 0 ? 0.95 : 0.6)) {
      // Usually all rows of one aggregate before those of another.
      const choice = random.chance(0.8) ? open[0]! : random.pick(open);
      return this.#split(choice);
    }
    if (random.chance(0.6)) return { kind: 'total', aggregate: this.#aggregate() };
    return someEvidence(seeing(this.#all, this.#sights), random, this.#sights);
  }

  #aggregate(): number {
    const { asked } = this.#all;
    const latest = this.#sights.at(-1);
    const one = asked.find(({ choices }) => choices.some((choice) => latest !== undefined && choice.includes(latest)));
    return (this.#random.chance(0.8) ? one : undefined)?.op ?? this.#random.pick(asked).op;
  }

  #split(choice: readonly Sight[]): Json {
    this.#left.splice(this.#left.indexOf(choice), 1);
    const alternatives = choice.map((sight): Json => {
      this.#sights.push(sight);
      const cases = this.forge();
      this.#sights.pop();
      return { read: sight.read, matched: sight.matched, cases };
    });
    this.#left.unshift(choice);
    return { kind: 'rows', alternatives: this.#random.chance(0.15) ? alternatives.slice(1) : alternatives };
  }
}

const DEEPEST = 4;

/** Evidence by reads and writes: a single read, lists, updates, a cycle, two cases, or timestamps. */
function someEvidence(history: History, random: Random, sights: readonly Sight[] = []): Json {
  const { opKind, opKey } = history;
  const read = sights.length > 0 && random.chance(0.7) ? random.pick(sights).read : random.below(opKind.length + 1);
  const ofKey = Array.from(opKind.keys()).filter((op) => opKey[op] === opKey[read] && op !== read);
  const other = ofKey.length === 0 || random.chance(0.2) ? -1 : random.pick(ofKey);
  if (history.txnCommitTs !== null && random.chance(0.4))
    return { kind: 'timestamps', axiom: 'EXT', read, at: random.pick(['start', 'commit']) };
  switch (random.below(12)) {
    case 0:
    case 1:
    case 2:
      return { kind: 'internal', anomaly: random.pick(INTERNAL), read, other };
    case 3:
      return { kind: 'lists', anomaly: random.pick(['incompatible-order', 'duplicate-elements']), read, other };
    case 4:
      return { kind: 'updates', reads: externalReads(history).filter((op) => opKey[op] === opKey[read]) };
    case 5:
      return { kind: 'timestamps', axiom: 'EXT', read, at: random.pick(['start', 'commit']) };
    case 6: {
      const [first, second] = [random.below(history.txnStatus.length), random.below(history.txnStatus.length)];
      const [ifFirst, ifSecond] = [someCycle(history, random), someCycle(history, random)];
      return { kind: 'cases', first, second, key: 0, ifFirst, ifSecond };
    }
    default:
      return someCycle(history, random);
  }
}

const INTERNAL = [
  'thin-air-read',
  'aborted-read',
  'intermediate-read',
  'future-read',
  'not-my-own-write',
  'not-my-last-write',
  'non-repeatable-read',
];

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly reason: Json;
}

/** A walk along plausible edges, back to its start. */
function someCycle(history: History, random: Random): Json {
  const edges = plausible(history, random);
  for (let tries = 0; tries < MOST_TRIES && edges.length > 0; tries++) {
    const walk = [random.pick(edges)];
    while (walk.length < LONGEST && walk.at(-1)!.to !== walk[0]!.from) {
      const next = edges.filter(({ from }) => from === walk.at(-1)!.to);
      const back = next.filter(({ to }) => to === walk[0]!.from);
      if (next.length === 0) break;
      walk.push(random.pick(back.length > 0 ? back : next));
    }
    if (walk.at(-1)!.to === walk[0]!.from) return { kind: 'cycle', edges: walk as unknown as Json };
  }
  return { kind: 'cycle', edges: edges.slice(0, 2) as unknown as Json };
}

const LONGEST = 4;
const MOST_TRIES = 10;

/** Edges by sessions, times, possible writers of the values read, and overwriting writes. */
function plausible(history: History, random: Random): Edge[] {
  const { txnStatus, txnSession, opKind, opKey, opValue, keyInitial } = history;
  const txnOf = transactionOfOperations(history);
  const writes = Array.from(opKind.keys()).filter((op) => opKind[op] === OpKind.Write || opKind[op] === OpKind.Append);
  const edges: Edge[] = [];
  for (let a = 0; a < txnStatus.length; a++) {
    edges.push({ from: -1, to: a, reason: { kind: 'initial' } });
    for (let b = 0; b < txnStatus.length; b++) {
      if (a < b && txnSession[a] === txnSession[b]) edges.push({ from: a, to: b, reason: { kind: 'session' } });
      if (a !== b && history.txnBegin !== null) edges.push({ from: a, to: b, reason: { kind: 'real-time' } });
    }
  }
  for (const read of externalReads(history)) {
    const reader = txnOf[read]!;
    const ofKey = writes.filter((write) => opKey[write] === opKey[read] && txnOf[write] !== reader);
    const left = ofKey.filter((write) => opValue[write] === opValue[read]).map((write) => txnOf[write]!);
    const sources = keyInitial[opKey[read]!] === opValue[read] ? [-1, ...left] : left;
    for (const from of sources) if (from >= 0) edges.push({ from, to: reader, reason: { kind: 'read-from', read } });
    const source = sources.length === 0 ? -1 : random.pick(sources);
    for (const write of ofKey) {
      const overwriter = txnOf[write]!;
      if (overwriter === source) continue;
      const reason: Json =
        source < 0 ? { kind: 'initial' } : { kind: random.pick(['session', 'real-time', 'assumed']) };
      const order: Json = [{ from: source, to: overwriter, reason }];
      edges.push({ from: reader, to: overwriter, reason: { kind: 'overwrites', read, write, order } });
      const visible = edges.filter(({ from, to }) => from === overwriter && to === reader);
      for (const edge of visible)
        edges.push({
          from: overwriter,
          to: source,
          reason: { kind: 'overwritten', write, read, visible: [edge as unknown as Json] },
        });
    }
  }
  return edges;
}
