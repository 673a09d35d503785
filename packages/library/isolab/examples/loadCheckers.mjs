import { loadCheckers } from 'isolab';

const checkers = await loadCheckers(false);
console.log(checkers.some(({ checker }) => checker.info.levels.includes('causal'))); // true
