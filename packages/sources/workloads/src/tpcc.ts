import { distinct, uniform } from './workload/distributions.ts';
import type { Random } from './workload/random.ts';
import {
  type Answer,
  type Key,
  type Program,
  type Request,
  type Transaction,
  defineWorkload,
  loadOf,
  read,
} from './workload/workload.ts';

/**
 * TPC-C on keys and values, as in CobraBench. Values are unique numbers; clients know the rows that the values
 * represent.
 */
export const tpcc = defineWorkload({
  name: 'tpcc',
  title: 'the order processing of TPC-C on keys and values',
  source: 'Cobra, Viper, PolySI, Plume',
  data: 'registers',
  parameters: {
    warehouses: { default: 1, help: 'number of warehouses', range: [1, 10_000] },
    districts: { default: 10, help: 'districts per warehouse', range: [1, 10_000] },
    customers: {
      default: 3_000,
      help: 'customers per district; each has one order at the start',
      range: [1, 1_000_000],
    },
    items: { default: 100_000, help: 'number of items', range: [1, 10_000_000] },
  },
  prepare(sizes, _, random) {
    const shop = new Shop(sizes, random.fork('constants'));
    return {
      load: shop.load(random.fork('load')),
      session(index, own) {
        const waiting: Transaction[] = []; // a stock-level request is a sequence of transactions
        let payments = 0;
        return () => {
          const next = waiting.shift();
          if (next) return next;
          const kind = own.weighted(MIX);
          if (kind === 'payment') return shop.payment(own, index * 10_000_000 + ++payments);
          if (kind !== 'stock-level') return shop[kind](own);
          const [first, ...others] = shop.stockLevel(own);
          waiting.push(...others);
          return first!;
        };
      },
    };
  },
});

type Sizes = {
  readonly warehouses: number;
  readonly districts: number;
  readonly customers: number;
  readonly items: number;
};

const MIX = [
  [45, 'newOrder'],
  [43, 'payment'],
  [4, 'orderStatus'],
  [4, 'delivery'],
  [4, 'stock-level'],
] as const;

interface District {
  readonly nextOrder: number;
}
interface Orders {
  readonly first: number;
  readonly last: number;
}
interface Order {
  readonly customer: number;
  readonly items: readonly number[];
}
type Content = District | Orders | Order | readonly number[] | null;

class Shop {
  readonly #sizes: Sizes;
  readonly #constants: { readonly names: number; readonly customers: number; readonly items: number };
  readonly #contents = new Map<number, Content>(); // by value: contents of rows that are needed later
  #values = 0;

  constructor(sizes: Sizes, random: Random) {
    this.#sizes = sizes;
    this.#constants = { names: random.below(256), customers: random.below(1024), items: random.below(8192) };
  }

  load(random: Random): Generator<Transaction> {
    return loadOf(this.#rows(random), 100, ([key, content]) => this.#write(key, content));
  }

  *#rows(random: Random): Generator<[Key, Content]> {
    const { warehouses, districts, customers, items } = this.#sizes;
    for (let i = 1; i <= items; i++) yield [`ITEM:${i}`, null];
    for (let w = 1; w <= warehouses; w++) {
      yield [`WAREHOUSE:${w}`, null];
      for (let i = 1; i <= items; i++) yield [`STOCK:${w}:${i}`, null];
      for (let d = 1; d <= districts; d++) {
        const undelivered = Math.floor(0.7 * customers) + 1;
        yield [`DISTRICT:${w}:${d}`, { nextOrder: customers + 1 }];
        yield [`NewOrderList:${w}:${d}`, { first: undelivered, last: customers }];
        const byName = new Map<string, number[]>();
        for (let c = 1; c <= customers; c++) {
          yield [`CUSTOMER:${w}:${d}:${c}`, null];
          yield [`HISTORY:${w}:${d}:${c}`, null];
          const name = lastName(c <= 1000 ? c - 1 : this.#nurand(255, 0, 999, random));
          byName.set(name, [...(byName.get(name) ?? []), c]);
          const order = { customer: c, items: this.#lines(random) };
          yield [`ORDER:${w}:${d}:${c}`, order];
          if (c >= undelivered) yield [`NEWORDER:${w}:${d}:${c}`, null];
          for (let line = 1; line <= order.items.length; line++) yield [`ORDERLINE:${w}:${d}:${c}:${line}`, null];
        }
        for (const [name, people] of byName) yield [`Lastname2Customer:${name}:${w}:${d}`, people];
      }
    }
  }

  newOrder(random: Random): Transaction {
    const drawn = this.#anyCustomer(random);
    const lines = this.#lines(random);
    const isInvalid = random.chance(0.01);
    return () => this.#placeOrder(drawn, lines, isInvalid);
  }

  *#placeOrder({ w, d, customer }: DrawnCustomer, lines: readonly number[], isInvalid: boolean): Program {
    yield read(`WAREHOUSE:${w}`);
    const district = this.#content<District>(yield read(`DISTRICT:${w}:${d}`));
    if (!district) return; // not loaded yet
    const order = district.nextOrder;
    yield this.#write(`DISTRICT:${w}:${d}`, { nextOrder: order + 1 });
    yield read(`CUSTOMER:${w}:${d}:${customer}`);
    yield this.#write(`ORDER:${w}:${d}:${order}`, { customer, items: lines });
    yield this.#write(`NEWORDER:${w}:${d}:${order}`);
    const list = this.#content<Orders>(yield read(`NewOrderList:${w}:${d}`));
    yield this.#write(`NewOrderList:${w}:${d}`, { first: list?.first ?? order, last: order });
    for (const [at, item] of lines.entries()) {
      if (isInvalid && at === lines.length - 1) {
        yield read('ITEM:none');
        yield { kind: 'abort' };
        return;
      }
      yield read(`ITEM:${item}`);
      yield read(`STOCK:${w}:${item}`);
      yield this.#write(`STOCK:${w}:${item}`);
      yield this.#write(`ORDERLINE:${w}:${d}:${order}:${at + 1}`);
    }
  }

  payment(random: Random, id: number): Transaction {
    const drawn = this.#anyCustomer(random);
    return () => this.#pay(drawn, id);
  }

  *#pay(drawn: DrawnCustomer, id: number): Program {
    const { w, d } = drawn;
    yield read(`WAREHOUSE:${w}`);
    yield read(`DISTRICT:${w}:${d}`);
    const customer = yield* this.#findCustomer(drawn);
    yield this.#write(`CUSTOMER:${w}:${d}:${customer}`);
    yield this.#write(`HISTORY:${id}`);
  }

  orderStatus(random: Random): Transaction {
    const drawn = this.#anyCustomer(random);
    return () => this.#lookUpOrder(drawn);
  }

  *#lookUpOrder(drawn: DrawnCustomer): Program {
    const { w, d } = drawn;
    const customer = yield* this.#findCustomer(drawn);
    const order = this.#content<Order>(yield read(`ORDER:${w}:${d}:${customer}`));
    for (let line = 1; line <= (order?.items.length ?? 0); line++)
      yield read(`ORDERLINE:${w}:${d}:${customer}:${line}`);
  }

  delivery(random: Random): Transaction {
    const drawn = this.#anyCustomer(random);
    return () => this.#deliver(drawn);
  }

  *#deliver({ w, d }: DrawnCustomer): Program {
    const list = this.#content<Orders>(yield read(`NewOrderList:${w}:${d}`));
    if (!list || list.first > list.last) return;
    const number = list.first;
    yield read(`NEWORDER:${w}:${d}:${number}`);
    yield this.#write(`NEWORDER:${w}:${d}:${number}`);
    yield this.#write(`NewOrderList:${w}:${d}`, { first: number + 1, last: list.last });
    const order = this.#content<Order>(yield read(`ORDER:${w}:${d}:${number}`));
    if (!order) return;
    yield this.#write(`ORDER:${w}:${d}:${number}`, order);
    for (let line = 1; line <= order.items.length; line++) {
      yield read(`ORDERLINE:${w}:${d}:${number}:${line}`);
      yield this.#write(`ORDERLINE:${w}:${d}:${number}:${line}`);
    }
    yield read(`CUSTOMER:${w}:${d}:${order.customer}`);
    yield this.#write(`CUSTOMER:${w}:${d}:${order.customer}`);
  }

  /** Reads the district's next order, then the last twenty orders, each in its own transaction. */
  stockLevel(random: Random): Transaction[] {
    const place = { ...this.#anyCustomer(random), nextOrder: 1 };
    const looksAt = (back: number): Transaction => {
      return () => this.#lookAtStock(place, back);
    };
    return [() => this.#askForNextOrder(place), ...Array.from({ length: 20 }, (_, i) => looksAt(i + 1))];
  }

  *#askForNextOrder(place: Place): Program {
    const district = this.#content<District>(yield read(`DISTRICT:${place.w}:${place.d}`));
    place.nextOrder = district?.nextOrder ?? 1;
  }

  *#lookAtStock({ w, d, nextOrder }: Place, back: number): Program {
    const number = nextOrder - back;
    const order = this.#content<Order>(yield read(`ORDER:${w}:${d}:${number}`));
    for (const [at, item] of (order?.items ?? []).entries()) {
      yield read(`ORDERLINE:${w}:${d}:${number}:${at + 1}`);
      yield read(`STOCK:${w}:${item}`);
    }
  }

  /** Finds a customer, in 60 % of the cases by last name: then the middle customer of those with that name. */
  *#findCustomer({ w, d, customer, name }: DrawnCustomer): Generator<Request, number, Answer> {
    const answer = name === null ? null : yield read(`Lastname2Customer:${name}:${w}:${d}`);
    const people = this.#content<readonly number[]>(answer);
    if (!people) {
      yield read(`CUSTOMER:${w}:${d}:${customer}`);
      return customer;
    }
    for (const one of people) yield read(`CUSTOMER:${w}:${d}:${one}`);
    return people[Math.floor(people.length / 2)]!;
  }

  #anyCustomer(random: Random): DrawnCustomer {
    const { warehouses, districts, customers } = this.#sizes;
    return {
      w: random.between(1, warehouses),
      d: random.between(1, districts),
      customer: this.#nurand(1023, 1, customers, random),
      name: random.chance(0.6) ? lastName(this.#nurand(255, 0, 999, random)) : null,
    };
  }

  /** Draws the different items of an order. */
  #lines(random: Random): number[] {
    const { items } = this.#sizes;
    const draw = (): number => this.#nurand(8191, 1, items, random) - 1;
    return distinct(items > 50 ? draw : uniform(items), items, random.between(5, 15), random).map((i) => i + 1);
  }

  /** TPC-C's NURand, clause 2.1.6. */
  #nurand(a: 255 | 1023 | 8191, low: number, high: number, random: Random): number {
    const { names, customers, items } = this.#constants;
    const constant = { 255: names, 1023: customers, 8191: items }[a];
    return (((random.between(0, a) | random.between(low, high)) + constant) % (high - low + 1)) + low;
  }

  #write(key: Key, content: Content = null): Request {
    const value = ++this.#values;
    if (content !== null) this.#contents.set(value, content);
    return { kind: 'write', key, value };
  }

  #content<T extends Content>(answer: Answer): T | null {
    return typeof answer === 'number' ? ((this.#contents.get(answer) ?? null) as T | null) : null;
  }
}

interface DrawnCustomer {
  readonly w: number;
  readonly d: number;
  readonly customer: number;
  readonly name: string | null;
}

interface Place extends DrawnCustomer {
  nextOrder: number;
}

const SYLLABLES = ['BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING'];

/** Clause 4.3.2.3: three syllables, one for each digit. */
const lastName = (number: number): string =>
  [Math.floor(number / 100) % 10, Math.floor(number / 10) % 10, number % 10].map((digit) => SYLLABLES[digit]).join('');
