/** Finds all references of a file to other modules. */
import { parseSync } from 'oxc-parser';

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** 'import' for calls that resolve a module; 'text' for a string that might name one, such as an entry of a table. */
  readonly kind: 'import' | 'text';
}

export interface SourceFile {
  readonly path: string; // relative to the root
  readonly inSources: boolean; // under src/, otherwise under test/ or beside it
  readonly imports: readonly Import[];
}

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/**
 * Calls whose first argument is a module: `require(…)`, `require.resolve(…)`, `import.meta.resolve(…)`, `vi.mock(…)` …
 */
const resolvingCalls = new Set(['require', 'resolve', 'mock', 'doMock', 'importActual', 'importOriginal']);

/** Imports and plain strings of a file, in order; throws if the file is not JavaScript or TypeScript. */
export function importsOf(fileName: string, text: string): Import[] {
  const { program, errors } = parseSync(fileName, text);
  const firstError = errors[0];
  if (firstError) throw new SyntaxError(`${fileName}: ${firstError.message}`);

  const specifiers = new Set<unknown>();
  const strings: Node[] = [];
  visit(program, (node) => {
    const specifier = specifierOf(node);
    if (specifier) specifiers.add(specifier);
    if (stringOf(node) !== undefined) strings.push(node);
  });

  const lineAt = lineFinder(text);
  return strings.map((node) => ({
    specifier: stringOf(node) ?? '',
    line: lineAt(node.start),
    kind: specifiers.has(node) ? 'import' : 'text',
  }));
}

/** Part of a node that names a module, if it has one. */
function specifierOf(node: Node): unknown {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return node.source;
    case 'TSExternalModuleReference':
      return node.expression;
    case 'CallExpression':
      return resolvingCalls.has(calledName(node.callee as Node)) ? (node.arguments as unknown[])[0] : undefined;
    default:
      return undefined;
  }
}

function calledName(callee: Node): string {
  const identifier = callee.type === 'MemberExpression' ? (callee.property as Node) : callee;
  // `require.resolve` and `import.meta.resolve` resolve modules; `path.resolve` and `Promise.resolve` do not.
  if (identifier.name === 'resolve') {
    const object = callee.type === 'MemberExpression' ? (callee.object as Node) : undefined;
    return object?.type === 'MetaProperty' || object?.name === 'require' ? 'resolve' : '';
  }
  return String(identifier.name ?? '');
}

function stringOf(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  const quasis = node.type === 'TemplateLiteral' ? (node.quasis as { value: { cooked: string } }[]) : [];
  return quasis.length === 1 ? quasis[0]?.value.cooked : undefined;
}

export function visit(value: unknown, enter: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, enter);
  } else if (typeof value === 'object' && value !== null) {
    if ('type' in value && typeof value.type === 'string') enter(value as Node);
    for (const child of Object.values(value)) visit(child, enter);
  }
}

/** Name of an identifier; undefined for other nodes. */
export const nameOf = (node: unknown): string =>
  (node as Node | undefined)?.type === 'Identifier' ? String((node as Node)['name']) : '';

/** Local names in a file for some exports, by module. */
export function namesImported(program: unknown, names: Readonly<Record<string, readonly string[]>>): Set<string> {
  const found = new Set<string>();
  visit(program, (node) => {
    if (node.type !== 'ImportDeclaration') return;
    const wanted = names[(node['source'] as { value: string }).value] ?? [];
    for (const { imported, local } of node['specifiers'] as Node[])
      if (wanted.includes(nameOf(imported))) found.add(nameOf(local));
  });
  return found;
}

/** Returns a function from an offset to its line, counted from 1. */
function lineFinder(text: string): (offset: number) => number {
  return (offset) => text.slice(0, offset).split('\n').length;
}
