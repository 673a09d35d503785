import type { Random } from './workload/random.ts';
import { Round, shuffled } from './rounds.ts';
import {
  type Program,
  type Request,
  type Transaction,
  Versions,
  defineWorkload,
  readOrWrite,
} from './workload/workload.ts';

/**
 * Templates of anomalies, with one transaction per client, which reads (r) and writes (w) the keys x, y and z, or
 * aborts (a).
 */
const TEMPLATES = {
  'dirty-write': ['wx wy', 'wx wy', 'rx ry'],
  'dirty-read': ['wx wx', 'rx rx', 'wx a'],
  g1c: ['wx ry', 'wy rx'],
  'fractured-read': ['wx wy', 'rx ry', 'wx wy'],
  'non-repeatable-read': ['rx ry rx', 'wx', 'wy wx'],
  causality: ['wx', 'rx wy', 'ry rx'],
  'lost-update': ['rx wx', 'rx wx', 'rx'],
  'long-fork': ['wx', 'wy', 'rx ry', 'ry rx'],
  'write-skew': ['rx ry wx', 'rx ry wy'],
  'read-only-anomaly': ['rx ry wx', 'ry wy', 'rx ry'],
  'three-way-skew': ['rx wy', 'ry wz', 'rz wx'],
  // A new row is written twice after the snapshot of a reader was taken.
  'overtaken-reader': ['rz rx wy', 'ry wx', 'rx wx'],
} as const;

type TemplateName = keyof typeof TEMPLATES;

const NAMES = Object.keys(TEMPLATES) as TemplateName[];
/** Number of clients in a group. Clients without a role in a template read all of its keys. */
const PLAYERS = 4;
const OBSERVER = 'rx ry rz';

/**
 * Templates of anomalies. Four clients form a group. They wait for each other and play one template after another, in a
 * random order of statements. Remaining clients read and write the keys of all groups.
 */
export const schedules = defineWorkload({
  name: 'schedules',
  title: 'transactions that can cause an anomaly, with their statements in random order',
  source: 'isolab; anomalies of Adya, Berenson, Cerone and Fekete',
  data: 'registers',
  parameters: {
    template: { default: 'any', help: 'the anomaly', choices: ['any', ...NAMES] },
    keys: { default: 0, help: 'number of keys of a group of clients; 0: new keys each time', range: [0, 1e9] },
    lists: { default: false, help: 'append to lists and read whole lists' },
    patience: {
      default: 20,
      help: 'milliseconds that a statement waits for earlier statements, which the database may block',
      range: [0, 10_000],
    },
  },
  prepare({ template, keys, lists, patience }, sessions, random) {
    const names = template === 'any' ? NAMES : [template as TemplateName];
    const players = Math.min(PLAYERS, sessions);
    const groups = Array.from(
      { length: Math.floor(sessions / players) },
      (_, index, all = Math.floor(sessions / players)) =>
        new Group({ first: index, step: all, keys, names, players, patience }, random.fork(index)),
    );
    const versions = new Versions();
    const requestOf = (step: string, keyOf: (name: string) => number): Request => {
      if (step === 'a') return { kind: 'abort' };
      return readOrWrite(step[0] === 'r', keyOf(step[1]!), lists, versions);
    };
    return {
      load: [],
      session: (index, own) => {
        const group = groups[Math.floor(index / players)];
        if (group) return group.player(index % players, requestOf);
        return () => {
          const steps = Array.from({ length: own.between(1, 4) }, () => own.pick(ANY_STEPS));
          const { latest } = own.pick(groups);
          return function* (): Program {
            for (const step of steps) yield requestOf(step, latest);
          };
        };
      },
    };
  },
});

const ANY_STEPS = ['rx', 'ry', 'rz', 'wx', 'wy', 'wz'];

interface GroupOptions {
  /** Number of the group and number of groups. Groups have no keys in common. */
  readonly first: number;
  readonly step: number;
  readonly keys: number;
  readonly names: readonly TemplateName[];
  readonly players: number;
  readonly patience: number;
}

/** A template in progress, with the roles of the players and the keys. */
interface Play {
  readonly round: Round;
  readonly roleOf: readonly number[];
  readonly roles: readonly (readonly string[])[];
  readonly keyOf: (name: string) => number;
  /** Number of players who have not finished. */
  left: number;
}

class Group {
  readonly #options: GroupOptions;
  readonly #random: Random;
  readonly #plays = new Map<number, Play>();
  /** Returns the keys of the latest play. */
  latest: (name: string) => number;

  constructor(options: GroupOptions, random: Random) {
    this.#options = options;
    this.#random = random;
    this.latest = this.#keysOf(0, random.fork('keys'));
  }

  /** Yields the transactions of one client. */
  player(player: number, requestOf: (step: string, keyOf: (name: string) => number) => Request): () => Transaction {
    let number = 0;
    return () => {
      if (number > 0) this.#leave(number - 1, player);
      const play = this.#play(number++);
      const role = play.roleOf[player]!;
      return function* (): Program {
        const { round, roles, keyOf } = play;
        for (const [i, step] of roles[role]!.entries()) {
          yield round.turn(role, i);
          yield requestOf(step, keyOf);
          round.done(role, i);
        }
        yield round.turn(role, roles[role]!.length);
      };
    };
  }

  #play(number: number): Play {
    const begun = this.#plays.get(number);
    if (begun) return begun;
    const { names, players, patience } = this.#options;
    const random = this.#random.fork(number);
    const template: readonly string[] = TEMPLATES[random.pick(names)];
    // With few players, the unused roles vary: a long fork without its readers shows nothing.
    const chosen = players < template.length ? shuffled(template.length, random) : null;
    const roles = Array.from({ length: players }, (_, i) => (template[chosen?.[i] ?? i] ?? OBSERVER).split(' '));
    const keyOf = this.#keysOf(number, random);
    const roleOf = shuffled(players, random);
    const lengths = roles.map(({ length }) => length);
    const play = { round: new Round(lengths, patience, random), roleOf, roles, keyOf, left: players };
    this.#plays.set(number, play);
    this.latest = keyOf;
    return play;
  }

  #leave(number: number, player: number): void {
    const play = this.#plays.get(number)!;
    play.round.leave(play.roleOf[player]!);
    if (--play.left === 0) this.#plays.delete(number);
  }

  #keysOf(number: number, random: Random): (name: string) => number {
    const { first, step, keys } = this.#options;
    const from = keys === 0 ? 3 * number : 0;
    const places = keys === 0 ? [0, 1, 2] : shuffled(Math.max(3, keys), random);
    return (name) => first + step * (from + places['xyz'.indexOf(name)]!);
  }
}
