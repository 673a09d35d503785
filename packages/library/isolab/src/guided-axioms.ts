import { axiomsWith } from '@isolab/axioms';
import type { Checker } from '@isolab/contract';
import { weave } from '@isolab/weave';

/**
 * The axioms checker for any level, with weave's orders as hints. Checkers do not import each other, so they are
 * combined here.
 */
const guidedAxioms = axiomsWith(weave as unknown as Checker<Readonly<Record<string, unknown>>>);

export default guidedAxioms;
