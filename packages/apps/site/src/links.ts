import { posix } from 'node:path';
import { siteAddress } from './pages.ts';

/** Part of the repository that the site uses: its files and folders, by path. */
export interface Repository {
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
  /**
   * Address at which folders without a page can be viewed, such as https://github.com/OWNER/NAME; null if there is
   * none.
   */
  readonly address: string | null;
}

/** Target of a link of a page. */
export type Target =
  | { readonly kind: 'elsewhere'; readonly address: string }
  /** Another page of the site, or a place in it. */
  | { readonly kind: 'page'; readonly path: string; readonly anchor: string }
  /** A file that is copied unchanged: a picture, a page, data. */
  | { readonly kind: 'file'; readonly path: string; readonly anchor: string }
  /** A text file, which browsers show. */
  | { readonly kind: 'source'; readonly path: string }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'missing'; readonly path: string };

/** Resolves a link in the page `from`. */
export function targetOf(link: string, from: string, { files, folders }: Repository): Target {
  if (/^[a-z][a-z+.-]*:/i.test(link)) return { kind: 'elsewhere', address: link };
  const [address, anchor = ''] = link.split('#', 2) as [string, string?];
  const path = address === '' ? from : posix.join(posix.dirname(from), decodeURI(address)).replace(/\/$/, '');
  if (files.has(path)) {
    if (path.endsWith('.md')) return { kind: 'page', path, anchor };
    return COPIED.test(path) ? { kind: 'file', path, anchor } : { kind: 'source', path };
  }
  const readme = path === '.' ? 'README.md' : `${path}/README.md`;
  if (files.has(readme)) return { kind: 'page', path: readme, anchor };
  return { kind: folders.has(path) ? 'folder' : 'missing', path };
}

const COPIED = /\.(svg|png|html|pdf|csv)$/;

/**
 * Address of a target, as a link on the page at `from` (an address of the site); null if the target cannot be viewed
 * anywhere.
 */
export function linkTo(target: Target, from: string, { address }: Repository): string | null {
  switch (target.kind) {
    case 'elsewhere':
      return target.address;
    case 'page':
    case 'file':
      return `${relative(from, siteAddress(target.path))}${target.anchor === '' ? '' : `#${target.anchor}`}`;
    case 'source':
      return relative(from, sourceAddress(target.path));
    case 'folder':
      return address === null ? null : `${address}/tree/main/${target.path}`;
    case 'missing':
      return null;
  }
}

/** Address of a text file, uncompressed and with an ending that browsers show. */
export const sourceAddress = (path: string): string => `source/${path}.txt`;

/** Link from one page of the site to another. */
export const relative = (from: string, to: string): string =>
  posix.relative(posix.dirname(from), to) || posix.basename(to);

/** Name of a picture's form for phones. */
export const narrowName = (path: string): string => path.replace(/\.svg$/, '-narrow.svg');
