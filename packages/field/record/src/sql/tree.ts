/** The parts of libpg-query's trees that are examined. A field that has its type's zero value is left out there. */
export type Node = Readonly<Record<string, unknown>>;

/** Content of a node of one kind, `{ SelectStmt: {…} }`, or null. */
export const the = (kind: string, node: unknown): Node | null =>
  typeof node === 'object' && node !== null && kind in node ? ((node as Node)[kind] as Node) : null;

export const list = (value: unknown): readonly Node[] => (Array.isArray(value) ? (value as Node[]) : []);

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The names in a list of strings: `public.accounts`, `pg_catalog.count`. */
export const nameParts = (value: unknown): string[] => list(value).map((each) => text(the('String', each)?.['sval']));

/** Every node of a kind, at any depth, with its content. */
export function* everyNode(node: unknown, kind: string): Generator<Node> {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, value] of Object.entries(node)) {
    if (name === kind) yield value as Node;
    yield* everyNode(value, kind);
  }
}
