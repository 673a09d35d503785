/** The live page. It requests the status once a second; text from the stream is inserted as plain text. */
export const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>isolab watch</title>
<link rel="icon" href="data:,">
<style>
  :root { color-scheme: light dark; --ink: #1b1f24; --dim: #57606a; --line: #d0d7de; --back: #fff; --good: #1a7f37; --bad: #cf222e; --open: #9a6700; }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --dim: #9198a1; --line: #3d444d; --back: #0d1117; --good: #3fb950; --bad: #ff7b72; --open: #d29922; } }
  body { margin: 0 auto; max-width: 64rem; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back); overflow-wrap: anywhere; }
  h1 { font-size: 1.3rem; margin: 0; } h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
  .dim { color: var(--dim); } .stands { color: var(--good); } .violated { color: var(--bad); } .undecided { color: var(--open); }
  .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: 1rem; margin-top: 1rem; }
  figure { margin: 0; border: 1px solid var(--line); border-radius: 6px; padding: .5rem .75rem; }
  figcaption { display: flex; justify-content: space-between; } figcaption b { font-variant-numeric: tabular-nums; }
  svg { width: 100%; height: 4rem; display: block; } polyline { fill: none; stroke: currentColor; stroke-width: 1.5; vector-effect: non-scaling-stroke; }
  table { width: 100%; border-collapse: collapse; } th, td { text-align: left; vertical-align: top; padding: .15rem .5rem .15rem 0; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; } th { color: var(--dim); font-weight: normal; }
  ul { padding-left: 1.2rem; margin: 0; } dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: 0; } dt { color: var(--dim); } dd { margin: 0; font-variant-numeric: tabular-nums; }
</style>
<h1>isolab watch <span class="dim" id="name"></span></h1>
<p id="state" class="dim" role="status">Waiting for the first transactions.</p>
<h2>Levels</h2><ul id="levels"></ul>
<div class="charts" id="charts"></div>
<div id="streams" hidden><h2>Streams</h2><table><thead><tr><th>Stream<th>Transactions<th>Per second<th>Alarms<th>Levels</tr></thead><tbody></tbody></table></div>
<h2>Alarms</h2><div id="alarms">None so far.</div>
<h2>Figures</h2><dl id="figures"></dl>
<script>
  const byId = (id) => document.getElementById(id);
  const make = (tag, text, className) => Object.assign(document.createElement(tag), { textContent: text, className: className || '' });
  const whole = (number) => Math.round(number).toLocaleString('en-US');
  const CHARTS = [['Transactions per second', (s) => s.perSecond, whole], ['Lag', (s) => s.lagMs, (v) => whole(v) + ' ms'], ['Memory', (s) => s.memoryBytes / 1e6, (v) => whole(v) + ' MB'], ['Kept in memory', (s) => s.kept, whole]];
  const seen = CHARTS.map(() => []);
  const shown = CHARTS.map(([title]) => {
    const figure = make('figure', ''), caption = make('figcaption', ''), value = make('b', '');
    caption.append(make('span', title, 'dim'), value);
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('viewBox', '0 0 300 60'); svg.setAttribute('preserveAspectRatio', 'none'); svg.setAttribute('role', 'img'); svg.setAttribute('aria-label', title);
    const line = document.createElementNS('http://www.w3.org/2000/svg', 'polyline');
    svg.append(line); figure.append(caption, svg); byId('charts').append(figure);
    return { value, line };
  });
  const draw = (status) => CHARTS.forEach(([, valueOf, text], i) => {
    const values = seen[i];
    values.push(valueOf(status));
    if (values.length > 300) values.shift();
    const top = Math.max(...values, 1e-9);
    shown[i].value.textContent = text(values[values.length - 1]);
    shown[i].line.setAttribute('points', values.map((v, x) => x * 300 / Math.max(1, values.length - 1) + ',' + (58 - 56 * v / top)).join(' '));
  });
  const levelOfMany = (level, counts) => {
    const item = make('li', level + ' ');
    const parts = Object.entries(counts).filter(([, count]) => count > 0).map(([standing, count]) => make('b', (standing === 'stands' ? 'stands so far' : standing) + ' in ' + whole(count), standing));
    item.append(...parts.flatMap((part, i) => i > 0 ? [', ', part] : [part]));
    return item;
  };
  const showStreams = ({ noteworthy, streams }) => {
    byId('streams').hidden = false;
    byId('streams').querySelector('h2').textContent = noteworthy.length < streams ? 'Streams (' + noteworthy.length + ' of ' + whole(streams) + ')' : 'Streams';
    byId('streams').querySelector('tbody').replaceChildren(...noteworthy.map((each) => {
      const row = make('tr', ''), levels = make('td', '');
      levels.append(...Object.entries(each.levels).flatMap(([level, standing]) => [level + ' ', make('b', standing, standing), ' ']), each.why ? '(' + each.why + ')' : '');
      row.append(make('td', each.stream), make('td', whole(each.transactions)), make('td', whole(each.perSecond)), make('td', whole(each.alarms)), levels);
      return row;
    }));
  };
  const show = (status) => {
    byId('name').textContent = status.name;
    const judged = status.transactions === 0 ? 'Waiting for the first transactions.' : whole(status.transactions) + ' transactions in ' + whole((status.at - status.since) / 1000) + ' s.';
    byId('state').textContent = judged + (status.isEnded ? ' The stream has ended.' : '');
    if (status.noteworthy) showStreams(status);
    byId('levels').replaceChildren(...Object.entries(status.levels).map(([level, standing]) => {
      if (typeof standing === 'object') return levelOfMany(level, standing);
      const item = make('li', level + ' ');
      const why = (status.whyUndecided || {})[level];
      item.append(make('b', standing === 'stands' ? (status.isEnded ? 'holds' : 'stands so far') : standing, standing), why ? ' (' + why + ')' : '');
      return item;
    }));
    if (status.alarms.length > 0) byId('alarms').replaceChildren(...status.alarms.map((alarm) => {
      const part = make('p', '');
      part.append(make('b', alarm.level + ': ' + alarm.anomalies.join(', '), 'violated'), ' at line ' + alarm.line + (alarm.stream === undefined ? '' : ' of ' + alarm.stream) + '. ', alarm.sentence, ' ', alarm.contestedAt === null ? '' : 'Contested by line ' + alarm.contestedAt + '. ');
      if (alarm.files) part.append(Object.assign(make('a', 'Story'), { href: 'alarms/' + alarm.number + '/story.html' + (alarm.stream === undefined ? '' : '?stream=' + encodeURIComponent(alarm.stream)) }));
      return part;
    }));
    const figures = status.noteworthy ? { Streams: status.streams, 'Busy streams': status.open, 'Failed streams': status.failed, Alarms: status.alarmsInAll, 'Believed reads': status.believed, 'Late transactions': status.late } : { Sessions: status.sessions, Settled: status.settled, 'Open reads': status.openReads, 'Oldest open read': (status.oldestOpenMs / 1000).toFixed(1) + ' s', 'Keys with a value': status.keys, 'Believed reads': status.believed, 'Late transactions': status.late, 'Reads without a writer': status.unwritten, 'Late writers': status.lateWriters, 'Duplicate lines': status.duplicates, 'Partly checked scans': status.scans, 'Rereads of the log': status.reopened };
    byId('figures').replaceChildren(...Object.entries(figures).flatMap(([name, value]) => [make('dt', name), make('dd', typeof value === 'number' ? whole(value) : value)]));
    draw(status);
  };
  const ask = async () => {
    let isEnded = false;
    try {
      const status = await (await fetch('status.json')).json();
      show(status);
      isEnded = status.isEnded;
    } catch { byId('state').textContent = 'The watcher no longer answers.'; }
    if (!isEnded) setTimeout(ask, 1000);
  };
  ask();
</script>
</html>
`;
