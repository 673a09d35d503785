import { check, generate } from 'isolab';

const { history } = await generate({ workload: 'general', level: 'snapshot-isolation', sessions: 4, transactions: 50 });
const { verdict } = await check(history, { level: 'snapshot-isolation' });
console.log(verdict); // satisfied
