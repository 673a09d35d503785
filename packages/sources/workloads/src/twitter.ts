import { type Distribution, uniform, zipfian } from './workload/distributions.ts';
import { type Answer, type Key, type Program, type Transaction, defineWorkload, read } from './workload/workload.ts';

const ACTORS = ['zipfian', 'uniform'] as const;

/** C-Twitter: tweets, follows and timelines stored as keys and values, as in CobraBench. */
export const twitter = defineWorkload({
  name: 'twitter',
  title: 'tweets, follows and timelines',
  source: 'Cobra, PolySI, Plume (C-Twitter)',
  data: 'registers',
  parameters: {
    users: { default: 1_000, help: 'number of users', range: [1, 1e7] },
    actors: {
      default: 'zipfian',
      help: 'distribution of the users who act and are followed (in ViperBench: uniform)',
      choices: ACTORS,
    },
  },
  prepare({ users, actors }) {
    const site = new Site();
    const actor: Distribution = actors === 'uniform' ? uniform(users) : zipfian(users, 0.5);
    const followee: Distribution = actors === 'uniform' ? uniform(users) : zipfian(users, 0.99);
    const tweetIds = Array.from({ length: users }, () => INITIAL_TWEETS);

    function* load(): Generator<Transaction> {
      for (let user = 0; user < users; user++) yield () => site.join(user);
    }

    return {
      load: load(),
      session: (_, random) => () => {
        const user = actor(random);
        const kind = random.weighted([
          [20, 'tweet'],
          [40, 'follow'],
          [10, 'timeline'],
          [10, 'show-follow'],
          [20, 'show-tweets'],
        ] as const);
        switch (kind) {
          case 'tweet':
            return () => site.tweet(user, tweetIds[user]!++);
          case 'follow': {
            const other = followee(random);
            return () => site.follow(user, other);
          }
          case 'timeline':
            return () => site.timeline(user);
          case 'show-follow':
            return () => site.showFollow(user);
          case 'show-tweets':
            return () => site.showTweets(user);
        }
      },
    };
  },
});

const INITIAL_TWEETS = 10;

/** Meanings of the values in the database, and the transactions on them. */
class Site {
  readonly #lastTweet = new Map<number, number>(); // by value of ltweet:user
  readonly #following = new Map<number, readonly number[]>(); // by value of followlist:user
  #values = 0;

  *tweet(user: number, id: number): Program {
    yield this.#write(`tweet:${user}:${id}`);
    yield this.#writeLast(user, id);
  }

  *follow(user: number, other: number): Program {
    yield this.#write(`followers:${other}:${user}`);
    yield this.#write(`following:${user}:${other}`);
    const before = this.#following.get((yield read(`followlist:${user}`)) as number) ?? [];
    const list = this.#write(`followlist:${user}`);
    this.#following.set(list.value, before.includes(other) ? before : [...before, other]);
    yield list;
  }

  *timeline(user: number): Program {
    const followed = this.#following.get((yield read(`followlist:${user}`)) as number) ?? [];
    for (const other of followed.slice(0, 20)) {
      const id = this.#lastOf(yield read(`ltweet:${other}`));
      if (id >= 0) yield read(`tweet:${other}:${id}`);
    }
  }

  *showFollow(user: number): Program {
    yield read(`followlist:${user}`);
  }

  *showTweets(user: number): Program {
    const newest = this.#lastOf(yield read(`ltweet:${user}`));
    for (let id = newest; id >= Math.max(0, newest - 10); id--) yield read(`tweet:${user}:${id}`);
  }

  *join(user: number): Program {
    for (let id = 0; id < INITIAL_TWEETS; id++) yield this.#write(`tweet:${user}:${id}`);
    yield this.#writeLast(user, INITIAL_TWEETS - 1);
    yield* this.follow(user, user);
  }

  #writeLast(user: number, id: number) {
    const pointer = this.#write(`ltweet:${user}`);
    this.#lastTweet.set(pointer.value, id);
    return pointer;
  }

  #lastOf(answer: Answer): number {
    return this.#lastTweet.get(answer as number) ?? -1;
  }

  #write(key: Key) {
    return { kind: 'write', key, value: ++this.#values } as const;
  }
}
