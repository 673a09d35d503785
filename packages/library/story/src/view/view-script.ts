// Behaviour of a story's page, as text because it runs in the reader's browser. The page contains all of its content
// without the script and remains readable.

export const VIEW_SCRIPT = String.raw`(() => {
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const all = (selector, root) => [...(root || document).querySelectorAll(selector)];
const one = (selector) => document.querySelector(selector);
const numbers = (text) => (text || '').split(' ').filter(Boolean).map(Number);
const pictures = all('svg.story');
const linked = all('[data-edges]');
const svgEdges = all('svg.story .edge');
const svgCells = all('svg.story .cell');
let pinned = null;

// Hover, focus and click light up an edge everywhere it is talked of.
function light(edges, transactions) {
  const on = new Set(edges);
  const touched = new Set(transactions);
  for (const e of on) for (const t of data.edges[e]) touched.add(t);
  const any = on.size + touched.size > 0;
  for (const svg of pictures) svg.classList.toggle('lit', any);
  for (const el of svgEdges) el.classList.toggle('on', on.has(+el.dataset.edge));
  for (const el of svgCells) el.classList.toggle('on', touched.has(+el.dataset.transaction));
  for (const el of linked) {
    const own = numbers(el.dataset.edges);
    el.classList.toggle('on', any && own.some((e) => on.has(e)));
  }
}
const reset = () => (pinned ? light(...pinned) : light([], []));
function targetOf(node) {
  const el = node && node.closest && node.closest('[data-edge],[data-edges],[data-transactions],svg.story .cell');
  if (!el) return null;
  if (el.dataset.edge !== undefined) return [[+el.dataset.edge], []];
  if (el.dataset.edges !== undefined) return [numbers(el.dataset.edges), numbers(el.dataset.transactions)];
  if (el.dataset.transactions !== undefined) return [[], numbers(el.dataset.transactions)];
  const t = +el.dataset.transaction;
  return [data.edges.flatMap((ends, e) => (ends.includes(t) ? [e] : [])), [t]];
}
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
document.addEventListener('mouseover', (event) => {
  const target = targetOf(event.target);
  if (target) light(...target); else reset();
});
document.addEventListener('focusin', (event) => {
  const target = targetOf(event.target);
  if (target) light(...target); else reset();
});
document.addEventListener('focusout', reset);
function pin(node) {
  const target = targetOf(node);
  if (!target) return false;
  pinned = same(target, pinned) ? null : target;
  reset();
  return true;
}
document.addEventListener('click', (event) => {
  if (event.target.closest('summary,.toolbar,.scrubber')) return;
  if (!pin(event.target) && pinned) { pinned = null; reset(); }
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') { pinned = null; light([], []); return; }
  const el = document.activeElement;
  if ((event.key === 'Enter' || event.key === ' ') && el && el.matches('[data-edge],li[data-edges]')) {
    event.preventDefault();
    pin(el);
    return;
  }
  // Up and down walk through the sentences.
  if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && el && el.matches('.prose>li')) {
    const next = event.key === 'ArrowDown' ? el.nextElementSibling : el.previousElementSibling;
    if (next) { event.preventDefault(); next.focus(); }
  }
});

// A derivation shows the alternative that it refutes. Several may refute the same one.
function showRefuted() {
  const shown = new Set();
  for (const el of all('details[data-expands]')) if (el.open) for (const e of numbers(el.dataset.expands)) shown.add(e);
  for (const el of svgEdges) {
    const e = +el.dataset.edge;
    el.classList.toggle('shown', shown.has(e) || (stage !== null && stage.edges.includes(e)));
    el.classList.toggle('uncertain', stage !== null && stage.uncertain.includes(e));
  }
}
for (const el of all('details[data-expands]')) el.addEventListener('toggle', () => { refresh(); light(numbers(el.dataset.expands), []); if (!el.open) reset(); });

// What is seen: the cycle only, context or not, a stage of the interpretation.
let stage = null;
let context = true;
function refresh() {
  for (const el of svgCells) {
    const t = +el.dataset.transaction;
    el.classList.toggle('off', stage ? !stage.transactions.includes(t) : !context && el.classList.contains('context'));
  }
  for (const el of svgEdges) {
    const e = +el.dataset.edge;
    const gone = !context && (el.classList.contains('context') || data.edges[e].some((t) => data.context.includes(t)));
    el.classList.toggle('off', stage ? !stage.edges.includes(e) : gone);
  }
  showRefuted();
}
const press = (button, on) => button.setAttribute('aria-pressed', String(on));
function onButton(id, change) {
  const button = document.getElementById(id);
  if (button) button.addEventListener('click', () => {
    const on = button.getAttribute('aria-pressed') !== 'true';
    press(button, on);
    change(on);
  });
}
onButton('cycle-only', (on) => { one('#whole').hidden = on; one('#cycle').hidden = !on; });
onButton('context', (on) => {
  context = on;
  refresh();
  const n = data.context.length;
  say(on ? '' : n + (n === 1 ? ' transaction hidden.' : ' transactions hidden.'));
});
onButton('timelines-button', (on) => { one('#timelines').hidden = !on; });
const stages = one('#stage');
if (stages) stages.addEventListener('change', () => {
  stage = stages.value === '' ? null : data.stages[+stages.value];
  one('#stage-note').textContent = stage ? stage.text : '';
  refresh();
});

// Copies; a file opened from disk may not be allowed to use the clipboard, so there is the old way as well.
const say = (text) => { one('#said').textContent = text; };
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.setAttribute('readonly', '');
    area.style.position = 'fixed';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}
for (const button of all('button[data-copy]')) button.addEventListener('click', async () => {
  const done = await copy(data.copies[button.dataset.copy]);
  button.focus();
  say(done ? 'Copied: ' + button.textContent + '.' : 'The browser does not let this page copy.');
});
for (const button of all('button[data-save]')) button.addEventListener('click', () => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([data.copies.history], { type: 'text/plain' }));
  link.download = data.copies.fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  say('Saved ' + data.copies.fileName + '.');
});

// The cycle, one edge at a time. Play moves on by itself, unless the reader's system asks for no motion.
const steps = one('#cycle-steps');
if (steps) {
  steps.hidden = false;
  const { cycle } = data;
  const last = cycle.length + 1;
  const play = one('#play');
  play.hidden = matchMedia('(prefers-reduced-motion: reduce)').matches;
  let at = 0;
  let timer = null;
  const stop = () => { clearInterval(timer); timer = null; press(play, false); play.textContent = 'Play'; };
  const go = (to) => {
    at = (to + last + 1) % (last + 1);
    const now = at > 0 && at < last ? cycle[at - 1].edge : -1;
    one('#cycle-note').textContent = at === 0 ? 'The cycle has ' + cycle.length + (cycle.length === 1 ? ' edge.' : ' edges.')
      : at === last ? 'So each transaction of the cycle would come before itself, which the level forbids.'
      : at + ' of ' + cycle.length + ': ' + cycle[at - 1].text;
    for (const el of svgEdges) el.classList.toggle('now', +el.dataset.edge === now);
    pinned = at === 0 ? null : [cycle.slice(0, at).map(({ edge }) => edge), []];
    reset();
  };
  steps.addEventListener('click', ({ target }) => {
    if (target.dataset.cycle) { stop(); go(at + +target.dataset.cycle); }
  });
  steps.addEventListener('keydown', ({ key }) => {
    if (key === 'ArrowRight' || key === 'ArrowLeft') { stop(); go(at + (key === 'ArrowRight' ? 1 : -1)); }
  });
  play.addEventListener('click', () => {
    if (timer !== null) return stop();
    press(play, true);
    play.textContent = 'Pause';
    go(at === last ? 1 : at + 1);
    timer = setInterval(() => { go(at + 1); if (at === last) stop(); }, 2600);
  });
  go(0);
}

// The witness: what the database holds after each step.
const slider = one('#step');
if (slider) {
  const steps = data.witness.steps;
  const cells = new Map(data.witness.initial.map(([key]) => [key, null]));
  for (const el of all('#state td[data-key]')) cells.set(el.dataset.key, el);
  const show = (at) => {
    const state = new Map(data.witness.initial);
    for (let i = 0; i < at; i++) for (const [key, value] of steps[i].changes) state.set(key, value);
    const changed = new Map(at === 0 ? [] : steps[at - 1].changes);
    for (const [key, el] of cells) {
      if (!el) continue;
      el.textContent = state.has(key) ? state.get(key) : '';
      el.classList.toggle('changed', changed.has(key));
    }
    const text = at === 0 ? 'Before the first transaction.' : steps[at - 1].text;
    one('#step-note').textContent = at + ' of ' + steps.length + ': ' + text;
    slider.setAttribute('aria-valuetext', text);
    const now = at === 0 ? -1 : steps[at - 1].transaction;
    for (const el of svgCells) el.classList.toggle('now', +el.dataset.transaction === now);
    pinned = now < 0 ? null : [[], [now]];
    reset();
  };
  slider.addEventListener('input', () => show(+slider.value));
  for (const button of all('button[data-move]')) button.addEventListener('click', () => {
    slider.value = String(+slider.value + +button.dataset.move);
    show(+slider.value);
  });
  show(0);
}
refresh();
})();`;
