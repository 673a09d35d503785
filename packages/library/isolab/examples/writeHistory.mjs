import { Recorder, writeHistory } from 'isolab';

const recorder = new Recorder({ initial: 0 });
recorder.begin('alice').write('x', 1).commit();
await writeHistory(recorder.finish(), 'alice.jsonl');
console.log('written'); // written
