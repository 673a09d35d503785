// Appearance of edges. The kinds differ in colour (Okabe and Ito's palette, suitable for colour-blind readers) and in
// line style, so that a picture printed in grey still shows the kinds.

import type { StoryEdgeKind } from '../story/story.ts';

export interface EdgeStyle {
  /** The technical abbreviation that labels an edge. */
  readonly short: string;
  readonly name: string;
  readonly gloss: string;
  readonly light: string;
  readonly dark: string;
  readonly width: number;
  /** Value of stroke-dasharray; none for a solid line. */
  readonly dash?: string;
}

export const EDGE_STYLES: Readonly<Record<StoryEdgeKind, EdgeStyle>> = {
  session: {
    short: 'SO',
    name: 'session order',
    gloss: 'later in the same session',
    light: '#6b6b6b',
    dark: '#a8a8a8',
    width: 1.4,
  },
  'read-from': {
    short: 'WR',
    name: 'read-from',
    gloss: 'the read sees this write',
    light: '#00805c',
    dark: '#2fc79b',
    width: 2,
  },
  'write-order': {
    short: 'WW',
    name: 'write order',
    gloss: 'from the older version to the newer one',
    light: '#0072b2',
    dark: '#56b4e9',
    width: 2.6,
  },
  'anti-dependency': {
    short: 'RW',
    name: 'anti-dependency',
    gloss: 'the read does not see this write',
    light: '#c44e00',
    dark: '#ff9147',
    width: 2,
    dash: '7 4',
  },
  'real-time': {
    short: 'RT',
    name: 'real time',
    gloss: 'began or ended later than the other, on the clock',
    light: '#a8487e',
    dark: '#e59bc6',
    width: 2,
    dash: '2 4',
  },
  version: {
    short: 'VO',
    name: 'version order',
    gloss: 'order in which a list shows the appends',
    light: '#0072b2',
    dark: '#56b4e9',
    width: 1.6,
  },
  assumed: {
    short: '?',
    name: 'assumed',
    gloss: 'order assumed for the argument',
    light: '#8a6a00',
    dark: '#e6b93c',
    width: 1.8,
    dash: '9 3 2 3',
  },
};

export const EDGE_KINDS = Object.keys(EDGE_STYLES) as readonly StoryEdgeKind[];

/** Dash pattern of refuted alternatives of any kind. */
export const REFUTED_DASH = '4 5';

export type ThemeName = 'light' | 'dark';

export interface Theme {
  readonly page: string;
  readonly text: string;
  readonly faint: string;
  readonly lane: string;
  readonly cell: string;
  readonly border: string;
  readonly context: string;
  readonly badge: string;
  readonly read: string;
  readonly write: string;
  readonly ended: string;
}

export const THEMES: Readonly<Record<ThemeName, Theme>> = {
  light: {
    page: '#ffffff',
    text: '#1c1e21',
    faint: '#5f6570',
    lane: '#f3f4f6',
    cell: '#ffffff',
    border: '#4a4f57',
    context: '#b9bec6',
    badge: '#ffffff',
    read: '#fdeee2',
    write: '#e2eff8',
    ended: '#b3261e',
  },
  dark: {
    page: '#15171a',
    text: '#e8e9eb',
    faint: '#a3a9b3',
    lane: '#1d2025',
    cell: '#262a30',
    border: '#9aa1ab',
    context: '#4d535c',
    badge: '#15171a',
    read: '#46301f',
    write: '#1f3a4d',
    ended: '#ff8a80',
  },
};

export const colourOf = (kind: StoryEdgeKind, theme: ThemeName): string => EDGE_STYLES[kind][theme];
