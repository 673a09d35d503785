// Writes a drawing as a PDF page of exactly the requested size: lines as lines and text as text, in Helvetica, which
// every PDF reader has.

import type { Drawing, Path, Segment, Words } from './drawing.ts';
import { textWidth } from './text-width.ts';

/** Writes a drawing as PDF. `width` is in points, 72 per inch. The returned text is the file, entirely in ASCII. */
export function pdfOf({ title, width: drawn, height, items }: Drawing, width: number): string {
  const scale = width / drawn;
  const alphas = [...new Set(items.map(({ alpha }) => alpha))];
  const content = [
    // The y axis of PDF points upwards.
    `${number(scale)} 0 0 ${number(-scale)} 0 ${number(height * scale)} cm`,
    ...items.map((item) => {
      const alpha = `/A${alphas.indexOf(item.alpha)} gs`;
      return `${alpha} ${item.kind === 'text' ? wordsPdf(item) : pathPdf(item)}`;
    }),
  ].join('\n');
  const states = alphas.map((alpha, i) => `/A${i} <</ca ${number(alpha)} /CA ${number(alpha)}>>`).join(' ');
  const font = (name: string): string =>
    `<</Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding>>`;
  return file([
    '<</Type /Catalog /Pages 2 0 R>>',
    '<</Type /Pages /Kids [3 0 R] /Count 1>>',
    `<</Type /Page /Parent 2 0 R /MediaBox [0 0 ${number(width)} ${number(height * scale)}] /Contents 4 0 R /Resources <</Font <</F0 ${font('Helvetica')} /F1 ${font('Helvetica-Bold')}>> /ExtGState <<${states}>>>>>>`,
    `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
    `<</Title (${escaped(title)}) /Creator (isolab)>>`,
  ]);
}

function file(objects: readonly string[]): string {
  let text = '%PDF-1.4\n';
  const places: number[] = [];
  for (const [i, object] of objects.entries()) {
    places.push(text.length);
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
  }
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<</Size ${size} /Root 1 0 R /Info ${objects.length} 0 R>>\nstartxref\n${text.length}\n%%EOF\n`;
}

function pathPdf({ segments, fill, stroke, width, dash }: Path): string {
  const paint = stroke === null ? 'f' : fill === null ? 'S' : 'B';
  const looks = [
    fill === null ? '' : `${rgb(fill)} rg`,
    stroke === null ? '' : `${rgb(stroke)} RG ${number(width)} w [${dash.map(number).join(' ')}] 0 d`,
  ];
  return [...looks, ...segments.map(segmentPdf), paint].filter((part) => part !== '').join(' ');
}

const OPERATORS = { M: 'm', L: 'l', C: 'c', Z: 'h' } as const;

const segmentPdf = ([letter, ...numbers]: Segment): string => [...numbers.map(number), OPERATORS[letter]].join(' ');

function wordsPdf({ text, x, y, angle, align, size, isBold, fill }: Words): string {
  const shift = align === 'left' ? 0 : textWidth(text, size) * (isBold ? BOLDER : 1) * (align === 'center' ? 0.5 : 1);
  const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
  const place = [cos, sin, sin, -cos, x - shift * cos, y - shift * sin].map(number).join(' ');
  return `BT ${rgb(fill)} rg /F${isBold ? 1 : 0} ${number(size)} Tf ${place} Tm (${escaped(text)}) Tj ET`;
}

/** Width of bold letters relative to regular ones. */
const BOLDER = 1.06;

function rgb(colour: string): string {
  const long = colour.replace(/^#([\da-f])([\da-f])([\da-f])$/i, '#$1$1$2$2$3$3');
  const digits = /^#([\da-f]{6})$/i.exec(long)?.[1];
  if (digits === undefined) throw new Error(`A colour is ${colour}, expected #rrggbb.`);
  return [0, 2, 4].map((at) => number(Number.parseInt(digits.slice(at, at + 2), 16) / 255)).join(' ');
}

/** Escapes text for WinAnsi; characters that it lacks are spelled out. */
function escaped(text: string): string {
  return [...text]
    .map((letter) => {
      const code = letter.codePointAt(0)!;
      if (letter === '(' || letter === ')' || letter === '\\') return `\\${letter}`;
      if (code >= 32 && code < 127) return letter;
      const byte = code >= 160 && code < 256 ? code : BYTES[letter];
      return byte === undefined ? (SPELLED[letter] ?? '?') : `\\${byte.toString(8)}`;
    })
    .join('');
}

const BYTES: Readonly<Record<string, number>> = {
  '€': 128,
  '…': 133,
  '‘': 145,
  '’': 146,
  '“': 147,
  '”': 148,
  '•': 149,
  '–': 150,
  '—': 151,
  '−': 150,
};
const SPELLED: Readonly<Record<string, string>> = { '≥': '>=', '≤': '<=', '→': '->', '∞': 'inf' };

const number = (value: number): string => String(Number(value.toFixed(4)) || 0);
