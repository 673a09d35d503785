import { Recorder, check } from 'isolab';

const recorder = new Recorder({ initial: 0 });
const alice = recorder.begin('alice');
const bob = recorder.begin('bob');
alice.read('x', 0).write('x', 1).commit();
bob.read('x', 0).write('x', 2).commit();
const { anomalies } = await check(recorder.finish(), { level: 'snapshot-isolation' });
console.log(anomalies[0].name); // lost-update
