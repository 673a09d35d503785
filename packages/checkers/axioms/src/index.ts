export { axioms, axioms as default } from './axioms.ts';
