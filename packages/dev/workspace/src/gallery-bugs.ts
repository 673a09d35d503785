/** Histories of bugs that papers report, and what stands in for those that are not public. */
import type { LevelName } from '@isolab/contract';

export interface Bug {
  /** Id of the picture. */
  readonly id: string;
  readonly title: string;
  /** Finder of the bug, its place, and the stand-ins in the picture. */
  readonly about: string;
  readonly level: LevelName;
  readonly checker?: string;
  readonly from: Dataset | Simulated;
}

/** A file of the datasets (ISOLAB_DATASETS). */
export interface Dataset {
  readonly location: string;
}

/** History of a simulated database with a fault: made again whenever the gallery is. */
export interface Simulated {
  readonly workload: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly level: 'snapshot-isolation' | 'serializable' | 'strict-serializable';
  readonly faults: Readonly<Record<string, number>>;
  readonly aborts: number;
  readonly transactions: number;
}

export interface Report {
  readonly title: string;
  readonly about: string;
  readonly bugs: readonly Bug[];
  /** Bugs that are drawn elsewhere on the page: the bug, the picture, and the reason. */
  readonly elsewhere: readonly (readonly [bug: string, picture: string, why: string])[];
}

const POLYSI = 'VeriStrong/table2-si-polysi';
const GALERA = 'VeriStrong/table2-si-dbcop';

export const REPORTS: readonly Report[] = [
  {
    title: 'The bugs of PolySI',
    about:
      'Figures 5, 12 and 13 of the paper, from the histories that it published. The last four pictures of each are the stages of the paper’s interpretation, as `--checker polysi` shows them. Dashed edges with a question mark are not yet certain.',
    bugs: [
      {
        id: 'polysi-galera',
        title: 'MariaDB-Galera 10.7.3',
        about: 'Figure 5: it claimed snapshot isolation.',
        level: 'snapshot-isolation',
        checker: 'polysi',
        from: { location: `${POLYSI}/galera__galera.txt` },
      },
      {
        id: 'polysi-dgraph',
        title: 'Dgraph 21.12.0',
        about: 'Figure 12: it claimed snapshot isolation.',
        level: 'snapshot-isolation',
        checker: 'polysi',
        from: { location: `${POLYSI}/dgraph.bincode` },
      },
      {
        id: 'polysi-yugabyte',
        title: 'YugabyteDB 2.11.1.0',
        about:
          'Figure 13: it claimed snapshot isolation. The paper calls this a causality violation. It is the special case that a session misses its own write.',
        level: 'snapshot-isolation',
        checker: 'polysi',
        from: { location: `${POLYSI}/yugabyte.bincode` },
      },
    ],
    elsewhere: [],
  },
  {
    title: 'The bugs of IsoVista',
    about: 'The three histories that come with the tool, each checked at the weakest level that the tool names for it.',
    bugs: [
      {
        id: 'isovista-dgraph',
        title: 'Dgraph',
        about: 'It claimed snapshot isolation, and violates even causal consistency.',
        level: 'causal',
        from: { location: 'IsoVista/history-bugs/dgraph_si.txt' },
      },
      {
        id: 'isovista-postgresql',
        title: 'PostgreSQL',
        about: 'It claimed serializability.',
        level: 'serializable',
        from: { location: 'IsoVista/history-bugs/pg_ser_bug.txt' },
      },
      {
        id: 'isovista-yugabyte',
        title: 'YugabyteDB',
        about: 'It claimed snapshot isolation, and violates even causal consistency.',
        level: 'causal',
        from: { location: 'IsoVista/history-bugs/yugabyte_tcc.txt' },
      },
    ],
    elsewhere: [],
  },
  {
    title: 'The bugs of MTC',
    about:
      'The six of Table 2. None of the paper’s own histories is public. Three are shown with the same bug in another paper’s history, and three with the simulated database, which has the fault that the paper reports.',
    bugs: [
      {
        id: 'mtc-mongodb',
        title: 'MongoDB 4.2.6',
        about:
          'Simulated: mini-transactions at snapshot isolation, on a database that keeps writes of aborted transactions.',
        level: 'snapshot-isolation',
        from: simulated('snapshot-isolation', { 'aborted-write': 0.3 }, { keys: '10' }, 0.1, 40),
      },
      {
        id: 'mtc-postgresql-11',
        title: 'PostgreSQL 11.8',
        about:
          'Simulated: mini-transactions on a database that claims serializability, with replicas that show commits in different orders.',
        level: 'serializable',
        from: simulated('serializable', { 'split-snapshot': 0.05 }, { keys: '20' }, 0, 100),
      },
      {
        id: 'mtc-cassandra',
        title: 'Cassandra 2.0.1',
        about:
          'Simulated: mini-transactions on a database that claims strict serializability but keeps writes of aborted transactions.',
        level: 'strict-serializable',
        from: simulated('strict-serializable', { 'aborted-write': 0.3 }, { keys: '10' }, 0.1, 40),
      },
    ],
    elsewhere: [
      ['Lost update of MariaDB-Galera 10.7.3', 'polysi-galera', 'the same version, in PolySI’s history'],
      ['Causality violation of Dgraph 1.1.1', 'polysi-dgraph', 'version 21.12.0, in PolySI’s history'],
      ['Write skew of PostgreSQL 12.3', 'isovista-postgresql', 'PostgreSQL in IsoVista’s history'],
    ],
  },
  {
    title: 'The bugs of Plume',
    about:
      'Figure 7. The Galera histories are those of dbcop in VeriStrong’s collection, read as all published tools do: failed statements are dropped, and what is left of their transactions counts as committed.',
    bugs: [
      {
        id: 'plume-galera-j',
        title: 'Galera, TAP-j',
        about: 'Figure 7 (b), in one of dbcop’s histories; the paper’s own is not public.',
        level: 'cut-isolation',
        from: { location: `${GALERA}/galera_all_writes__12_30_20_720__hist-00026.bincode` },
      },
      {
        id: 'plume-galera-k',
        title: 'Galera, TAP-k',
        about: 'Figure 7 (c), in one of dbcop’s histories; the paper’s own is not public.',
        level: 'read-atomic',
        from: { location: `${GALERA}/galera_partition_writes__12_30_20_720__hist-00028.bincode` },
      },
    ],
    elsewhere: [
      ['AntidoteDB, TAP-g (figure 7 (a))', 'tap-g-cyclic-co', 'the pattern itself: no history of AntidoteDB is public'],
      ['YugabyteDB, TAP-m (figure 7 (d))', 'isovista-yugabyte', 'a history of the same version and size'],
    ],
  },
];

function simulated(
  level: Simulated['level'],
  faults: Simulated['faults'],
  settings: Simulated['settings'],
  aborts: number,
  transactions: number,
): Simulated {
  return { workload: 'mini-transactions', settings, level, faults, aborts, transactions };
}
