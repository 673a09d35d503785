import type {
  Story,
  StoryEdge,
  StoryEdgeKind,
  StoryEnd,
  StoryOperation,
  StoryTransaction,
} from '../src/story/story.ts';

export function operation(id: string, text: string, role: StoryOperation['role'] = 'context'): StoryOperation {
  const [key, value] = text.split(/ (?::=|→) /);
  const kind = text.includes(':=') ? 'write' : 'read';
  return {
    id,
    kind,
    key: key ?? null,
    value: value ?? null,
    text,
    role,
    place: `bug.txt:${id.replace(/\D/g, '') || 1}`,
  };
}

export function transaction(
  id: string,
  session: string | null,
  operations: readonly StoryOperation[],
  more: Partial<StoryTransaction> = {},
): StoryTransaction {
  return {
    id,
    session,
    label: id,
    status: session === null ? 'initial' : 'committed',
    role: 'cycle',
    operations,
    ...more,
  };
}

const end = (text: string): StoryEnd => {
  const [t, op] = text.split('.');
  return op === undefined ? { transaction: t! } : { transaction: t!, operation: op };
};

export function edge(
  id: string,
  from: string,
  to: string,
  kind: StoryEdgeKind,
  more: Partial<StoryEdge> = {},
): StoryEdge {
  return { id, from: end(from), to: end(to), kind, part: 'reason', sentence: `${from} comes before ${to}.`, ...more };
}

/** Two transactions overwrite the same version; the order of their writes is a choice that both ways lead to a cycle. */
export const lostUpdate: Story = {
  title: 'Lost update',
  verdict: 'violated',
  level: 'snapshot-isolation',
  anomaly: { name: 'lost-update', aliases: ['P4', 'divergence'] },
  summary: 'T423 and T830 both read object 2 = 4 from T949 and both overwrite it: the update of one of them is lost.',
  ruledOut: ['snapshot-isolation', 'serializable'],
  leftStanding: ['causal', 'prefix'],
  sessions: [
    { id: 's1', label: 'session 1' },
    { id: 's2', label: 'session 2', hiddenAfter: 31 },
    { id: 's5', label: 'session 5' },
  ],
  transactions: [
    transaction('T423', 's1', [operation('a1', 'object2 → 4', 'read'), operation('a2', 'object2 := 5', 'write')]),
    transaction('T949', 's2', [operation('b1', 'object2 := 4', 'write'), operation('b2', 'object7 := 1')], {
      hiddenBefore: 12,
      role: 'reason',
      place: 'bug.txt:949',
    }),
    transaction('T830', 's5', [operation('c1', 'object2 → 4', 'read'), operation('c2', 'object2 := 13', 'write')]),
    transaction('T951', 's5', [operation('d1', 'object9 → 1')], { role: 'context', status: 'aborted' }),
  ],
  edges: [
    edge('wr1', 'T949.b1', 'T423.a1', 'read-from', { key: 'object2', sentence: 'T423 reads object2 = 4 from T949.' }),
    edge('wr2', 'T949.b1', 'T830.c1', 'read-from', { key: 'object2', sentence: 'T830 reads object2 = 4 from T949.' }),
    edge('ww', 'T423.a2', 'T830.c2', 'write-order', {
      key: 'object2',
      part: 'cycle',
      number: 1,
      sentence: 'T423 overwrites object2 before T830 does: otherwise there would be a cycle already.',
      derivation: {
        text: 'One of the two writes comes first.',
        because: ['wr1', 'wr2'],
        refuted: {
          text: 'If T830 came first, T423 would have read what T830 had overwritten by then: again a cycle.',
          edges: ['ww-other', 'rw-other'],
        },
      },
    }),
    edge('rw', 'T830.c1', 'T423.a2', 'anti-dependency', {
      key: 'object2',
      part: 'cycle',
      number: 2,
      sentence: 'T830 reads object2 = 4, which T423 overwrites.',
      derivation: { text: 'T949 wrote what T830 read, and T423 comes after T949.', because: ['wr1', 'wr2'] },
    }),
    edge('ww-other', 'T830.c2', 'T423.a2', 'write-order', { key: 'object2', part: 'refuted' }),
    edge('rw-other', 'T423.a1', 'T830.c2', 'anti-dependency', { key: 'object2', part: 'refuted' }),
  ],
  prose: [
    { text: 'T949 wrote object2 = 4; both T423 and T830 read it.', edges: ['wr1', 'wr2'] },
    { text: 'Say T423 overwrites it first.', edges: ['ww'] },
    { text: 'Then T830 has read a version that was overwritten before it committed.', edges: ['rw'] },
    { text: 'T830 would have to come both before and after T423: a contradiction.', edges: ['ww', 'rw'] },
  ],
  hidden: { transactions: 1234, sessions: 10, operations: 12_340, reason: 'the violation does not need them' },
  timelines: [
    {
      key: 'object2',
      note: 'The order of 5 and 13 is a choice.',
      versions: [
        { value: '0', writer: null, readers: [] },
        {
          value: '4',
          writer: end('T949.b1'),
          readers: [end('T423.a1'), end('T830.c1')],
        },
        { value: '5', writer: end('T423.a2'), readers: [], edge: 'wr1' },
        { value: '13', writer: end('T830.c2'), readers: [], edge: 'ww' },
      ],
    },
  ],
  stages: [
    { name: 'raw', text: 'The cycle that the solver found.', transactions: ['T423', 'T830'], edges: ['ww', 'rw'] },
    {
      name: 'restored',
      text: 'What it stems from is brought back.',
      transactions: ['T423', 'T830', 'T949'],
      edges: ['ww', 'rw', 'wr1', 'wr2', 'ww-other', 'rw-other'],
    },
    {
      name: 'finalized',
      text: 'Only what is certain.',
      transactions: ['T423', 'T830', 'T949'],
      edges: ['ww', 'rw', 'wr1', 'wr2'],
    },
  ],
  copies: {
    notation: 'w(object2,4) w(object7,1)\nr(object2,4) w(object2,5)\nr(object2,4) w(object2,13)',
    history: { fileName: 'lost-update.txt', text: 'w(2,4,1,949)\nr(2,4,0,423)\n' },
  },
  origin: { source: 'galera.txt', checker: 'polysi', command: 'isolab explain galera.txt --level snapshot-isolation' },
};

/** Two readers see two writers in opposite orders; with an initial transaction. */
export const longFork: Story = {
  title: 'Long fork',
  verdict: 'violated',
  level: 'snapshot-isolation',
  anomaly: { name: 'G-nonadjacent', aliases: ['long-fork'] },
  summary: 'T3 sees x = 1 and not y = 1, T4 sees y = 1 and not x = 1: no order of T1 and T2 explains both.',
  sessions: ['1', '2', '3', '4'].map((id) => ({ id, label: `session ${id}` })),
  transactions: [
    transaction('⊥', null, [operation('i1', 'x := 0', 'write'), operation('i2', 'y := 0', 'write')], {
      role: 'reason',
    }),
    transaction('T1', '1', [operation('p1', 'x := 1', 'write')]),
    transaction('T3', '2', [operation('p2', 'x → 1', 'read'), operation('p3', 'y → 0', 'read')]),
    transaction('T4', '3', [operation('p4', 'y → 1', 'read'), operation('p5', 'x → 0', 'read')]),
    transaction('T2', '4', [operation('p6', 'y := 1', 'write')]),
  ],
  edges: [
    edge('e1', 'T1.p1', 'T3.p2', 'read-from', { part: 'cycle', number: 1, key: 'x' }),
    edge('e2', 'T3.p3', 'T2.p6', 'anti-dependency', { part: 'cycle', number: 2, key: 'y' }),
    edge('e3', 'T2.p6', 'T4.p4', 'read-from', { part: 'cycle', number: 3, key: 'y' }),
    edge('e4', 'T4.p5', 'T1.p1', 'anti-dependency', { part: 'cycle', number: 4, key: 'x' }),
    edge('e5', '⊥.i2', 'T3.p3', 'read-from', { key: 'y' }),
    edge('e6', '⊥.i1', 'T4.p5', 'read-from', { key: 'x' }),
  ],
  prose: [
    { text: 'T3 sees T1 and not T2.', edges: ['e1', 'e2'] },
    { text: 'T4 sees T2 and not T1.', edges: ['e3', 'e4'] },
  ],
};

/** A satisfied history with an order that explains it. */
export const witnessed: Story = {
  title: 'Serializable',
  verdict: 'satisfied',
  level: 'serializable',
  anomaly: null,
  summary: 'This order of the three transactions explains every read.',
  sessions: [
    { id: 'a', label: 'alice' },
    { id: 'b', label: 'bob' },
  ],
  transactions: [
    transaction('T1', 'a', [operation('q1', 'x := 1', 'write')], { role: 'context' }),
    transaction('T3', 'a', [operation('q4', 'y → 2', 'read')], { role: 'context' }),
    transaction('T2', 'b', [operation('q2', 'x → 1', 'read'), operation('q3', 'y := 2', 'write')], { role: 'context' }),
  ],
  edges: [
    edge('f0', 'T1', 'T3', 'session', { part: 'context' }),
    edge('f1', 'T1.q1', 'T2.q2', 'read-from', { key: 'x', part: 'context' }),
    edge('f2', 'T2.q3', 'T3.q4', 'read-from', { key: 'y', part: 'context' }),
  ],
  prose: [{ text: 'T2 reads from T1, and T3 from T2.', edges: ['f1', 'f2'] }],
  witness: {
    text: 'One order that explains every read.',
    initial: [
      { key: 'x', value: '0' },
      { key: 'y', value: '0' },
    ],
    steps: [
      { event: 'transaction', transaction: 'T1', text: 'T1 writes x = 1', changes: [{ key: 'x', value: '1' }] },
      {
        event: 'transaction',
        transaction: 'T2',
        text: 'T2 reads x = 1, writes y = 2',
        changes: [{ key: 'y', value: '2' }],
      },
      { event: 'transaction', transaction: 'T3', text: 'T3 reads y = 2', changes: [] },
    ],
  },
};

export const HOSTILE = `<script>alert("1")</script> & ' ]]> </svg> \u0000 \uD800 \u202E \u200B \u009B31m \u001B[31m \` | \n ::error::x`;

/** Every text of a story replaced by one that tries to break out of the picture. */
export function hostile(story: Story): Story {
  const words = new Set(['kind', 'role', 'status', 'part', 'verdict', 'event']);
  const walk = (value: unknown, name = ''): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item, name));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, key)]));
    }
    return typeof value === 'string' && !words.has(name) ? `${value}${HOSTILE}` : value;
  };
  return walk(story) as Story;
}

/** Checks of a history that is too large to show an order of it. */
export const withoutPicture: Story = {
  title: 'Serializability holds',
  verdict: 'satisfied',
  level: 'serializable',
  anomaly: null,
  summary: 'Serializability holds: no read contradicts it.',
  restsOn: 'The verdict rests on 5,098 reads with a known writer.',
  sessions: [],
  transactions: [],
  edges: [],
  prose: [
    { text: 'The order that explains every read has 8,199 transactions. A page draws at most 1,000.', edges: [] },
  ],
  checked: {
    holds: [{ what: 'transactions', count: '8,199: 4,005 committed, 4,194 aborted' }],
    evidence: [{ what: 'reads with a known writer', count: '5,098' }],
    asked: [{ what: 'serializable', count: 'satisfied, checked by weave' }],
    kept: 'Serializability and everything weaker',
    levels: { serializable: 'kept', 'snapshot-isolation': 'kept', 'strict-serializable': 'not kept' },
  },
  origin: { source: 'history.jsonl', command: 'isolab check history.jsonl --level serializable' },
};

/** A long cycle among many transactions of several sessions. */
export function large(numTransactions: number, numSessions = 8): Story {
  const sessions = Array.from({ length: numSessions }, (_, s) => ({ id: `s${s}`, label: `session ${s}` }));
  const transactions = Array.from({ length: numTransactions }, (_, t) =>
    transaction(`T${t}`, `s${(t * 7) % numSessions}`, [
      operation(`r${t}`, `k${t % 50} → ${t}`),
      operation(`w${t}`, `k${t % 50} := ${t + 1}`),
    ]),
  );
  const edges: StoryEdge[] = [];
  for (let t = 0; t < numTransactions; t++) {
    const next = (t + 1) % numTransactions;
    edges.push(
      edge(`c${t}`, `T${t}.w${t}`, `T${next}.r${next}`, next === 0 ? 'anti-dependency' : 'read-from', {
        part: 'cycle',
        number: t + 1,
        key: `k${t}`,
      }),
    );
    if (t > 3) edges.push(edge(`x${t}`, `T${t - 3}.w${t - 3}`, `T${t}.w${t}`, 'write-order', { key: `k${t}` }));
  }
  return {
    ...longFork,
    sessions,
    transactions,
    edges,
    prose: edges.slice(0, 40).map(({ id }) => ({ text: `About ${id}.`, edges: [id] })),
  };
}

/** The lost update with a stage that has an order which turns out to be impossible. */
export const staged: Story = {
  ...lostUpdate,
  edges: [
    ...lostUpdate.edges,
    edge('tried', 'T949.b1', 'T423.a2', 'write-order', { key: 'object2', part: 'context', onlyInStages: true }),
  ],
  stages: lostUpdate.stages!.map((stage) =>
    stage.name === 'restored' ? { ...stage, edges: [...stage.edges, 'tried'], uncertain: ['ww', 'tried'] } : stage,
  ),
};

const scan = (id: string, text: string): StoryOperation => ({ ...operation(id, text), kind: 'scan', wraps: true });

/** Two transactions scan for bookings by a long condition, find none, and insert one each. */
export const phantom: Story = {
  title: 'Write skew over a predicate',
  verdict: 'violated',
  level: 'serializable',
  anomaly: { name: 'G2', aliases: ['predicate-write-skew', 'phantom', 'P3'] },
  summary: 'T1 does not see T2’s insert of bookings/2, and T2 does not see T1’s insert of bookings/1.',
  sessions: [
    { id: 's1', label: 'session 1' },
    { id: 's2', label: 'session 2' },
  ],
  transactions: [
    transaction('T1', 's1', [
      scan(
        'a0',
        "scan bookings where room = 7 and begin < 12 and end > 10 and note <> 'a word that is far longer than a line'",
      ),
      operation('a1', '→ not 2', 'read'),
      { ...operation('a2', 'x := 1', 'write'), text: 'insert bookings/1 {begin: 10, end: 12, room: 7}', wraps: true },
    ]),
    transaction('T2', 's2', [
      scan('b0', 'count 0 of bookings where room = 7'),
      operation('b1', '→ leaves out 1', 'read'),
      operation('b2', 'insert bookings/2 {room: 7} :=', 'write'),
    ]),
  ],
  edges: [
    edge('rw1', 'T1.a1', 'T2.b2', 'anti-dependency', { key: 'bookings/2', part: 'cycle', number: 1 }),
    edge('rw2', 'T2.b1', 'T1.a2', 'anti-dependency', { key: 'bookings/1', part: 'cycle', number: 2 }),
  ],
  prose: [{ text: 'Each misses the other’s insert.', edges: ['rw1', 'rw2'] }],
};
