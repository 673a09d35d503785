import { axiomsWith } from '@isolab/axioms';
import type { Checker } from '@isolab/contract';
import { weave } from '@isolab/weave';

/** The checker of any level, with weave’s orders as hints. Checkers do not know one another, so they meet here. */
const guidedAxioms = axiomsWith(weave as unknown as Checker<Readonly<Record<string, unknown>>>);

export default guidedAxioms;
