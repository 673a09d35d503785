/** The examined parts of libpg-query's trees. Fields with the zero value of their type are absent from the trees. */
export type Node = Readonly<Record<string, unknown>>;

/** Returns the content of a node of one kind, `{ SelectStmt: {…} }`, or null. */
export const the = (kind: string, node: unknown): Node | null =>
  typeof node === 'object' && node !== null && kind in node ? ((node as Node)[kind] as Node) : null;

export const list = (value: unknown): readonly Node[] => (Array.isArray(value) ? (value as Node[]) : []);

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the names in a list of strings: `public.accounts`, `pg_catalog.count`. */
export const nameParts = (value: unknown): string[] => list(value).map((each) => text(the('String', each)?.['sval']));

export function* everyNode(node: unknown, kind: string): Generator<Node> {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, value] of Object.entries(node)) {
    if (name === kind) yield value as Node;
    yield* everyNode(value, kind);
  }
}
