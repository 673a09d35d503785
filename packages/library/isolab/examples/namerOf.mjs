import { check, namerOf, open, toldRuns } from 'isolab';

// Each checker has words of its own; in lists and stories an anomaly has the name of the registry.
const history = await open({ text: 'r(x,0) w(x,1)\nr(x,0) w(x,2)' });
const result = await check(history, { level: 'snapshot-isolation', checker: 'viper' });
const nameOf = await namerOf(history.prepared.history);
const [run] = toldRuns(result);
console.log(run.verdict.anomalies.map((anomaly) => nameOf(run.level, anomaly).name)); // [ 'lost-update' ]
