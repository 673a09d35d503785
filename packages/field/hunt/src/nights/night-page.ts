/** Page and badges of nightly hunts. */
import { escapeXml, htmlPage } from 'isolab/stories';
import { type Night, lastAnomalies } from './night.ts';

const COLOURS = { satisfied: 'brightgreen', violated: 'red', unknown: 'lightgrey' } as const;
const FILLS = { satisfied: '#3a7d2c', violated: '#b3261e', unknown: '#666' } as const;

/** Badge in the form of an endpoint of shields.io. */
export const badgeJson = (night: Night): object => ({
  schemaVersion: 1,
  label: 'isolation',
  message: messageOf(night),
  color: COLOURS[night.verdict],
});

export function badgeSvg(night: Night): string {
  const message = messageOf(night);
  const [left, right] = [60, 7 * message.length + 12];
  const text = (x: number, said: string): string =>
    `<text x="${x}" y="14" fill="#fff" text-anchor="middle" font-family="Verdana,sans-serif" font-size="11">${escapeXml(said)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="isolation: ${escapeXml(message)}"><rect width="${left}" height="20" fill="#444"/><rect x="${left}" width="${right}" height="20" fill="${FILLS[night.verdict]}"/>${text(left / 2, 'isolation')}${text(left + right / 2, message)}</svg>\n`;
}

/** The date shows when the nights have stopped. */
const messageOf = ({ verdict, at }: Night): string => `${verdict}, ${at.slice(0, 10)}`;

export function nightsPage(nights: readonly Night[]): string {
  const last = nights.at(-1)!;
  const most = Math.max(1, ...nights.map(({ committed }) => committed));
  const rows = nights
    .map((night, i) => rowOf(night, lastAnomalies(nights.slice(0, i)), most))
    .toReversed()
    .slice(0, SHOWN);
  const why =
    last.reason ??
    `${last.violated} of ${last.trials} histories of ${last.committed} committed transactions violate their level`;
  const head = ['night', 'verdict', 'histories', 'committed', 'aborted', 'a second', 'anomalies'];
  return htmlPage({
    title: `isolab: ${messageOf(last)}`,
    style: STYLE,
    body: `<main><h1 class="${last.verdict}">${last.verdict}</h1>
<p>${escapeXml(last.description)}, ${last.at.slice(0, 16).replace('T', ' ')}: ${escapeXml(why)}.</p>
<div class="wide"><table><thead><tr>${head.map((cell) => `<th>${cell}</th>`).join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody></table></div></main>`,
  });
}

function rowOf(night: Night, before: readonly string[], most: number): string {
  const { at, verdict, reason, trials, committed, aborted, seconds, anomalies } = night;
  const share = committed + aborted === 0 ? '' : `${((100 * aborted) / (committed + aborted)).toFixed(1)} %`;
  const told = anomalies.map((each) => `${escapeXml(each)}${before.includes(each) ? '' : ' <b>new</b>'}`);
  const bar = `<meter max="${most}" value="${committed}"></meter> ${committed}`;
  const cells = [
    at.slice(0, 10),
    `<span class="${verdict}">${verdict}</span>`,
    String(trials),
    bar,
    share,
    seconds > 0 ? (committed / seconds).toFixed(0) : '',
    told.join('<br>') || escapeXml(reason ?? ''),
  ];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

const SHOWN = 365;
const STYLE = `main{max-width:60rem;margin:0 auto;padding:1rem;font:1rem/1.5 system-ui,sans-serif}
.wide{overflow-x:auto}td,th{padding:.2rem .6rem;text-align:left;white-space:nowrap}
.satisfied{color:#2f7d32}.violated{color:#b3261e}.unknown{color:#666}
:root{color-scheme:light dark}
@media(prefers-color-scheme:dark){.satisfied{color:#7ccf7f}.violated{color:#ff8a80}.unknown{color:#aaa}}`;
