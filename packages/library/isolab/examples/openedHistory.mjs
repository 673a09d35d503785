import { Recorder, openedHistory, statistics } from 'isolab';

const recorder = new Recorder();
recorder.begin('alice').write('x', 1).commit();
const opened = openedHistory(recorder.finish(), { name: 'by hand', format: 'recorder', ms: 0 });
console.log(statistics(opened).history.transactions); // 1
