/** Example histories in the notation, each with a note on its anomaly. */

export interface Example {
  readonly title: string;
  readonly note: string;
  readonly text: string;
  /** States that the start page offers the example, too. */
  readonly isOnStart?: true;
}

export const EXAMPLES: readonly Example[] = [
  {
    title: 'Lost update',
    note: 'Two transactions read x = 1 and both overwrite it; one of the updates is lost.',
    text: 'w(x,1)\nr(x,1) w(x,2)\nr(x,1) w(x,3)',
    isOnStart: true,
  },
  {
    title: 'Write skew',
    note: 'Each reads a key that the other writes: allowed under snapshot isolation, not serializable.',
    text: 'r(x,0) r(y,0) w(x,1)\nr(x,0) r(y,0) w(y,1)',
    isOnStart: true,
  },
  {
    title: 'Long fork',
    note: 'Two readers see two writes in opposite orders.',
    text: 'w(x,1)\nw(y,1)\nr(x,1) r(y,0)\nr(x,0) r(y,1)',
    isOnStart: true,
  },
  {
    title: 'Fractured read',
    note: 'A reader sees only half of a transaction.',
    text: 'r(x,0) w(x,1) r(y,0) w(y,1)\nr(x,0) r(y,1)',
    isOnStart: true,
  },
  {
    title: 'Causality violation',
    note: 'A reader sees a reaction, but not its cause.',
    text: 'r(x,0) w(x,1)\nr(x,1) r(y,0) w(y,1)\nr(x,0) r(y,1)',
  },
  {
    title: 'Read-only anomaly',
    note: 'The two writers alone are serializable; with the reader they are not.',
    text: 'r(x,0) r(y,0) w(x,1)\nr(y,0) w(y,2)\nr(x,0) r(y,2)',
  },
  {
    title: 'Aborted read',
    note: 'A read returns a value that an aborted transaction wrote.',
    text: '!w(x,1)\nr(x,1)',
  },
  {
    title: 'Intermediate read',
    note: 'A read returns a value that its writer overwrote before it committed.',
    text: 'w(x,1) w(x,2)\nr(x,1)',
  },
  {
    title: 'Going back in time',
    note: 'A session sees the new value first, then the old one.',
    text: 'w(x,1) | w(x,2)\nr(x,2) | r(x,1)',
  },
  {
    title: 'Stale read',
    note: 'A read misses a write that had ended before: only real time contradicts it.',
    text: 'w(x,1) @1-2\nr(x,0) @3-4',
    isOnStart: true,
  },
  {
    title: 'Lists',
    note: 'Appends to a list; a read of the list shows the order of the writes.',
    text: 'r(x,[]) a(x,1)\nr(x,[]) a(x,2)\nr(x,[1 2])',
  },
  {
    title: 'Phantom',
    note: 'A range read misses one of two rows that were inserted together.',
    text: 'initial nil\nins(b,nil,1) ins(c,nil,2)\nrange(a,z,c=2)',
  },
  {
    title: 'Rows and conditions',
    note: 'Two doctors go off call, each because two are on call: an anomaly of SQL conditions.',
    text: `initial nil doctors/1={name: 'alice', on_call: true} doctors/2={name: 'bob', on_call: true}
count(doctors, on_call = true, 2) put(doctors/1, {name: 'alice', on_call: false})
count(doctors, on_call = true, 2) put(doctors/2, {name: 'bob', on_call: false})`,
  },
  {
    title: 'No anomaly',
    note: 'Compare-and-sets, one after another: every level holds.',
    text: 'cas(x,0,1)\ncas(x,1,2)\ncas!(x,9,3)\nr(x,2)',
    isOnStart: true,
  },
];

export const START_EXAMPLES = EXAMPLES.filter(({ isOnStart }) => isOnStart);
