export { axioms, axiomsWith, axioms as default } from './axioms.ts';
