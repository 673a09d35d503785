import { parseNotation } from '@isolab/formats';
import type { History } from '@isolab/history';

/** A history in the notation: see the format `notation`. */
export const h = (strings: TemplateStringsArray): History => parseNotation(strings.raw[0]!);
