// Common frame of all pages: a single file that loads nothing, in light and dark, for narrow and wide screens.

import { escapeXml } from './text.ts';

export interface Page {
  readonly title: string;
  readonly body: string;
  readonly style?: string;
  readonly script?: string;
}

/** The content security policy prevents a page from loading or sending anything, regardless of its contents. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

export const htmlPage = ({ title, body, style = '', script = '' }: Page): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="isolab">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escapeXml(title)}</title>
<style>${BASE_STYLE}${style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${body}
${script === '' ? '' : `<script>${script}</script>\n`}</body>
</html>
`;

export const BASE_STYLE = `
:root{color-scheme:light dark;--page:#fff;--text:#1c1e21;--faint:#5f6570;--line:#d5d9df;--card:#f6f7f9;--accent:#0072b2;--good:#00704f;--bad:#b3261e;--bad-soft:#fdecea;--warn:#7a5b00;--mark:#fff3c4}
@media (prefers-color-scheme:dark){:root{--page:#15171a;--text:#e8e9eb;--faint:#a3a9b3;--line:#3a3f47;--card:#1d2025;--accent:#56b4e9;--good:#2fc79b;--bad:#ff8a80;--bad-soft:#3d1f1d;--warn:#e6b93c;--mark:#4a3f14}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;padding:1rem clamp(.8rem,3vw,2.5rem) 3rem;max-width:110rem;background:var(--page);color:var(--text);font:16px/1.5 system-ui,'Segoe UI','DejaVu Sans',sans-serif;overflow-wrap:break-word}
h1{font-size:1.55rem;line-height:1.25;margin:.4rem 0}
h2{font-size:1.2rem;margin:1.8rem 0 .5rem}
h3{font-size:1rem;margin:1.2rem 0 .4rem}
a{color:var(--accent)}
code,pre,kbd{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:.88em}
pre{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.6rem .8rem;overflow:auto}
button,select{font:inherit;font-size:.9rem;color:var(--text);background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.3rem .7rem;cursor:pointer}
button:hover{border-color:var(--accent)}
button[aria-pressed=true]{background:var(--accent);border-color:var(--accent);color:var(--page)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.faint{color:var(--faint)}
.skip{position:absolute;left:-100vw}
.skip:focus{position:static}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;font-size:.9rem}
caption{text-align:left;padding-bottom:.2rem}
th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
thead th{background:var(--card)}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
details{margin:.5rem 0}
summary{cursor:pointer}
.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
footer{margin-top:2.5rem;border-top:1px solid var(--line);padding-top:.6rem;font-size:.88rem;color:var(--faint)}
@media print{.toolbar{display:none}}
`;

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => string;
  readonly isNumber?: boolean;
}

/** Writes a table that scrolls on its own if the page is too narrow for it. */
export function htmlTable<Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const align = ({ isNumber }: Column<Row>): string => (isNumber ? ' class="number"' : '');
  const head = columns.map((column) => `<th scope="col"${align(column)}>${escapeXml(column.head)}</th>`).join('');
  const body = rows
    .map((row) => `<tr>${columns.map((column) => `<td${align(column)}>${column.cell(row)}</td>`).join('')}</tr>`)
    .join('\n');
  return `<div class="scroll" role="region" aria-label="${escapeXml(caption)}" tabindex="0"><table>
<caption class="faint">${escapeXml(caption)}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${body}
</tbody></table></div>`;
}
