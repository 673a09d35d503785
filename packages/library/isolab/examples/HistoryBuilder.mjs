import { HistoryBuilder, check } from 'isolab';

// For formats and recorders that fill columns directly; a Recorder is easier.
const builder = new HistoryBuilder({ format: 'mine', file: 'mine.txt', unit: 'line', initial: 0n });
const [key, value] = [builder.keys.atom('x'), builder.values.atom(1n)];
builder.begin(builder.session('alice'), 1); // at line 1
builder.op(1, key, value); // 0 reads, 1 writes
builder.begin(builder.session('bob'), 2);
builder.op(0, key, value);
const { verdict } = await check(builder.finish(), { level: 'serializable' });
console.log(verdict); // satisfied
