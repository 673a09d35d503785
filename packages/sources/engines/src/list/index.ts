import type { Engine } from '../engine/engine.ts';
import { EMBEDDED_DATABASES, UNLISTED_EMBEDDED } from './embedded.ts';
import { KEY_VALUE_SERVERS } from './key-value.ts';
import { MARIADB } from './mariadb.ts';
import { GO } from './go.ts';
import { JAVA } from './java.ts';
import { POSTGRES, unlistedPostgres } from './postgres.ts';
import { RUST } from './rust.ts';

/**
 * The releases that are known, and the source of each; a name alone means its first release. To add one, add its line
 * to the file of its database.
 */
export const ENGINES: readonly Engine[] = [
  ...POSTGRES,
  ...MARIADB,
  ...EMBEDDED_DATABASES,
  ...JAVA,
  ...GO,
  ...RUST,
  ...KEY_VALUE_SERVERS,
];

/** Engine that the word `embedded` means. */
export const EMBEDDED: Engine = POSTGRES[0]!;

/** Releases that are not in the list, by name: a registry may have them. */
export const UNLISTED: Readonly<Record<string, (version: string) => Engine>> = {
  postgres: unlistedPostgres,
  ...UNLISTED_EMBEDDED,
};
