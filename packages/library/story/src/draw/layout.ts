// Positions of all parts. Sessions are lanes from left to right, and their transactions are cells from top to bottom
// with one row per operation. An edge that means "earlier" points downwards, so that the height shows the order in
// time.

import type { Story, StoryEnd, StoryOperation, StoryTransaction } from '../story/story.ts';
import { elided } from '../markup/index.ts';
import type { Box } from './boxes.ts';
import { orderOf } from './order.ts';

export const FONT_SIZE = 12;
/** Width of a character at FONT_SIZE in the monospaced fonts in use. */
export const CHARACTER = 7.3;
export const ROW = 20;
const HEAD = 24;
const PAD = 8;
const GAP = 30; // between the cells of a lane, where edges of other lanes pass
const HIDDEN = 18; // for "3 hidden" between cells
const DROP = 30; // minimum drop from the start to the end of an edge between lanes
const MARGIN = 16;
const LANE_HEAD = 28;
const LONGEST_TEXT = 30;
const MOST_LINES = 5;
/** Distance between the lines of an operation. */
export const LINE = 16;
const LONGEST_LABEL = 18;
const PHONE = 358;
const [LEAST_NARROW, MOST_NARROW] = [120, 190];
const NARROW_LEFT = 22;

export interface RowBox extends Box {
  readonly operation: StoryOperation;
  readonly lines: readonly string[];
}

export interface Cell extends Box {
  readonly transaction: StoryTransaction;
  /** Position in the story. */
  readonly index: number;
  /** −1 for the initial transaction, which is drawn above all lanes. */
  readonly lane: number;
  readonly label: string;
  readonly rows: readonly RowBox[];
}

export interface Lane extends Box {
  readonly label: string;
  readonly cells: readonly Cell[];
  readonly hidden: readonly { readonly x: number; readonly y: number; readonly count: number }[];
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** Top of the cells in the lanes, below the bars of initial transactions and the names of the sessions. */
  readonly top: number;
  readonly gutter: number;
  /** Whether all transactions stand in one lane, for narrow pages. */
  readonly isNarrow: boolean;
  readonly lanes: readonly Lane[];
  readonly bars: readonly Cell[];
  readonly cells: ReadonlyMap<string, Cell>;
}

export function layoutOf(story: Story, isNarrow = false): Layout {
  const { sessions, transactions } = story;
  const gutter = isNarrow ? narrowGutter(story) : gutterWidth(story);
  const laneOf = new Map(sessions.map(({ id }, lane) => [id, lane]));
  const laneOfTransaction = transactions.map(({ session }) => (session === null ? -1 : (laneOf.get(session) ?? -1)));
  const { xs, widths, right } = columnsOf(story, laneOfTransaction, gutter, isNarrow);
  const width = Math.max(right, 260);

  const cells = new Map<string, Cell>();
  const bars: Cell[] = [];
  let y = MARGIN;
  transactions.forEach((transaction, index) => {
    if (laneOfTransaction[index]! >= 0) return;
    const bar = barOf(transaction, index, y, width);
    bars.push(bar);
    cells.set(transaction.id, bar);
    y += bar.height + GAP / 2;
  });
  const top = y + LANE_HEAD;

  const stacks = sessions.map((_, lane) => new Stack(lane, xs[lane]!, widths[lane]!, top));
  const { sequence, above } = orderOf(story);
  for (const index of sequence) {
    const transaction = transactions[index]!;
    const lane = laneOfTransaction[index]!;
    if (lane < 0) continue;
    let least = 0;
    for (const edge of above[index]!) {
      const from = cells.get(edge.from.transaction);
      if (from === undefined || from.lane < 0 || from.lane === lane) continue;
      least = Math.max(least, endY(from, edge.from) + DROP - endOffset(transaction, edge.to));
    }
    cells.set(transaction.id, stacks[lane]!.add(transaction, index, least));
  }
  sessions.forEach(({ hiddenAfter }, lane) => stacks[lane]!.note(hiddenAfter));
  const bottom = Math.max(top, ...stacks.map((stack) => stack.bottom)) + GAP;
  const lanes = stacks.map(({ cells: own, hidden }, lane) => ({
    label: elided(sessions[lane]!.label, LONGEST_LABEL),
    x: xs[lane]! - 8,
    y: top - LANE_HEAD,
    width: widths[lane]! + 16,
    height: bottom - top + LANE_HEAD,
    cells: own,
    hidden,
  }));
  return { width, height: bottom + MARGIN, top, gutter, isNarrow, lanes, bars, cells };
}

/** Returns the left edge of each lane, the width of its cells, and the right edge of the last lane. */
function columnsOf(
  { sessions, transactions }: Story,
  laneOfTransaction: readonly number[],
  gutter: number,
  isNarrow: boolean,
) {
  const widths = sessions.map(({ label }) => textWidth(elided(label, LONGEST_LABEL)));
  transactions.forEach((transaction, t) => {
    const lane = laneOfTransaction[t]!;
    if (lane >= 0) widths[lane] = Math.max(widths[lane]!, cellWidth(transaction));
  });
  const xs: number[] = [];
  // In a narrow picture only the lines from the initial state pass to the left of the lane.
  let x = isNarrow ? narrowLeft(transactions) : MARGIN + gutter / 2;
  for (const width of widths) {
    xs.push(x);
    x += width + gutter;
  }
  return { xs, widths, right: isNarrow ? x : x - gutter / 2 + MARGIN };
}

class Stack {
  readonly cells: Cell[] = [];
  readonly hidden: { x: number; y: number; count: number }[] = [];
  bottom: number;
  readonly #lane: number;
  readonly #x: number;
  readonly #width: number;

  constructor(lane: number, x: number, width: number, top: number) {
    this.#lane = lane;
    this.#x = x;
    this.#width = width;
    this.bottom = top;
  }

  /** Leaves room for the number of hidden transactions. */
  note(count: number | undefined): void {
    if (count === undefined || count <= 0) return;
    this.hidden.push({ x: this.#x + this.#width / 2, y: this.bottom + HIDDEN, count });
    this.bottom += HIDDEN + 4;
  }

  /** Adds a cell whose top is at `least` or lower. */
  add(transaction: StoryTransaction, index: number, least: number): Cell {
    this.note(transaction.hiddenBefore);
    const y = Math.max(this.bottom + (this.cells.length === 0 ? GAP / 2 : GAP), least);
    const cell = cellOf(transaction, index, this.#lane, { x: this.#x, y, width: this.#width });
    this.cells.push(cell);
    this.bottom = cell.y + cell.height;
    return cell;
  }
}

/** Left edge of the only lane, with room for the lines from the initial state. */
const narrowLeft = (transactions: Story['transactions']): number =>
  MARGIN + (transactions.some(({ session }) => session === null) ? NARROW_LEFT : 0);

/** Width beside the only lane of a narrow picture, which fills a phone. */
const narrowGutter = ({ transactions }: Story): number =>
  Math.min(
    MOST_NARROW,
    Math.max(LEAST_NARROW, PHONE - narrowLeft(transactions) - Math.max(...transactions.map(cellWidth))),
  );

/** Width needed for the edges between two lanes and for their labels. */
function gutterWidth({ sessions, transactions, edges }: Story): number {
  const longest = Math.max(0, ...edges.map(({ key }) => Math.min([...(key ?? '')].length, LONGEST_KEY)));
  if (sessions.length > 10) return 76;
  const laneOf = new Map(sessions.map(({ id }, lane) => [id, lane]));
  const laneOfTransaction = new Map(transactions.map(({ id, session }) => [id, laneOf.get(session ?? '') ?? -1]));
  const passing = sessions.map(() => 0); // edges in the gutter to the right of each lane
  for (const { from, to } of edges) {
    const lanes = [laneOfTransaction.get(from.transaction) ?? -1, laneOfTransaction.get(to.transaction) ?? -1];
    const [first, last] = [Math.min(...lanes), Math.max(...lanes)];
    if (first >= 0) for (let lane = first; lane < Math.max(last, first + 1); lane++) passing[lane]!++;
  }
  const crowd = Math.min(MOST_CROWDED, Math.max(0, Math.max(0, ...passing) - 4) * 18);
  return Math.max(sessions.length > 5 ? 104 : 128, 84 + longest * CHARACTER) + crowd;
}

const MOST_CROWDED = 140;

/** Maximum length of a key in the label of an edge. */
export const LONGEST_KEY = 12;

const textWidth = (text: string): number => Math.max(88, [...text].length * CHARACTER + 2 * PAD);

/** Splits a wrapping text into lines, with breaks before conditions and rows. Truncates other texts. */
function shownLines({ wraps = false, text }: StoryOperation): string[] {
  if (!wraps || [...text].length <= LONGEST_TEXT) return [elided(text, LONGEST_TEXT)];
  const lines: string[] = [];
  let line = '';
  for (const part of text.split(BREAKS)) {
    const longer = line === '' ? part : `${line} ${part}`;
    if (line !== '' && ([...longer].length > LONGEST_TEXT || lines.length === 0)) {
      lines.push(line);
      line = ` ${part}`;
    } else line = longer;
  }
  const last = [...lines, line].slice(MOST_LINES - 1).join(' ');
  return [...[...lines, line].slice(0, MOST_LINES - 1), ...(last === '' ? [] : [last])].map((one) =>
    elided(one, LONGEST_TEXT),
  );
}

const BREAKS = / (?=where |and |or |\{)|(?<=,) |(?<=\/\S*:) /;

const heightOf = (operation: StoryOperation): number =>
  operation.wraps === true ? ROW + (shownLines(operation).length - 1) * LINE : ROW;

const shownLabel = ({ label, status }: StoryTransaction): string =>
  elided(label, LONGEST_LABEL) + (status === 'aborted' || status === 'unknown' ? ` ${status}` : '');

const cellWidth = (transaction: StoryTransaction): number =>
  Math.max(
    textWidth(shownLabel(transaction)),
    ...transaction.operations.flatMap((operation) => shownLines(operation).map(textWidth)),
  );

function cellOf(
  transaction: StoryTransaction,
  index: number,
  lane: number,
  { x, y, width }: { x: number; y: number; width: number },
): Cell {
  let bottom = HEAD;
  const rows = transaction.operations.map((operation) => {
    const high = heightOf(operation);
    const row = { operation, lines: shownLines(operation), x, y: y + bottom, width, height: high };
    bottom += high;
    return row;
  });
  const height = bottom + (rows.length > 0 ? 4 : 0);
  return { transaction, index, lane, label: shownLabel(transaction), rows, x, y, width, height };
}

/** Returns the cell of the initial transaction, whose writes are placed side by side. */
function barOf(transaction: StoryTransaction, index: number, y: number, width: number): Cell {
  const left = MARGIN;
  const right = width - MARGIN;
  const rows: RowBox[] = [];
  let x = left + textWidth(shownLabel(transaction));
  let line = 0;
  for (const operation of transaction.operations) {
    const text = elided(operation.text, LONGEST_TEXT);
    const wide = [...text].length * CHARACTER + PAD;
    if (x + wide > right && x > left + PAD) {
      line++;
      x = left + PAD;
    }
    rows.push({ operation, lines: [text], x, y: y + 4 + line * ROW, width: wide, height: ROW });
    x += wide + PAD;
  }
  const height = (line + 1) * ROW + 8;
  return {
    transaction,
    index,
    lane: -1,
    label: shownLabel(transaction),
    rows,
    x: left,
    y,
    width: right - left,
    height,
  };
}

/** Distance between an edge's end and the top of its cell. */
function endOffset({ operations }: StoryTransaction, { operation }: StoryEnd): number {
  const row = operations.findIndex(({ id }) => id === operation);
  if (row < 0) return HEAD / 2;
  const above = operations.slice(0, row).reduce((sum, one) => sum + heightOf(one), 0);
  return HEAD + above + heightOf(operations[row]!) / 2;
}

export const endY = (cell: Cell, end: StoryEnd): number => cell.y + endOffset(cell.transaction, end);
