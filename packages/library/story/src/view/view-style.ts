import { clockRules } from '../draw/clock.ts';
import { COURSE_STYLE } from '../draw/course.ts';
import { LATTICE_STYLE } from '../draw/lattice.ts';
import { colourRules } from '../draw/svg.ts';
import { CHECKED_STYLE } from './checked.ts';

export const VIEW_STYLE = `
.verdict{display:inline-block;padding:.05rem .6rem;border-radius:1rem;font-size:.9rem;font-weight:600;border:1.5px solid currentColor}
code.command{white-space:pre-wrap}
.names{margin:.3rem 0;padding:0;list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;font-size:.92rem}
.toolbar{display:flex;flex-wrap:wrap;gap:.4rem;margin:.8rem 0;align-items:center}
.toolbar .space{flex:1}
.toolbar label{max-width:100%;display:flex;gap:.4rem;align-items:center}
.toolbar select{min-width:0;max-width:20rem;flex:1}
.split{display:grid;grid-template-columns:minmax(0,2fr) minmax(20rem,1fr);gap:1.2rem;align-items:start}
@media (max-width:62rem){.split{grid-template-columns:minmax(0,1fr)}}
.picture{border:1px solid var(--line);border-radius:8px;overflow:auto;max-height:85vh;background:var(--page)}
.picture svg{display:block;margin:0 auto;width:100%;height:auto}
@media (max-width:62rem){.picture{max-height:70vh}}
.narrow{display:none}
@media (max-width:40rem){.narrow{display:block}.wide{display:none}.picture{max-height:none}}
@media (min-width:62rem){.split>section:first-child{position:sticky;top:.6rem}}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;font-size:.85rem;color:var(--faint);margin:.4rem 0;padding:0;list-style:none}
.legend svg{vertical-align:middle;margin-right:.35rem}
.prose{padding-left:1.6rem;margin:.3rem 0}
.prose>li{padding:.35rem .5rem;border-radius:6px;border-left:3px solid transparent}
.prose>li.on{background:var(--mark);border-left-color:var(--accent)}
.chips{display:flex;flex-wrap:wrap;gap:.3rem;margin:.25rem 0}
.chip{font:600 .8rem 'DejaVu Sans Mono',Menlo,Consolas,monospace;padding:.1rem .5rem;border-radius:1rem;background:transparent}
.chip.on{background:var(--mark)}
.why{font-size:.92rem;border-left:3px solid var(--line);padding-left:.6rem}
.why .refuted{border-left:3px dashed var(--bad);padding-left:.6rem;margin:.4rem 0}
.timeline ol{display:flex;gap:1.6rem;padding:0;margin:.4rem 0;list-style:none;overflow-x:auto}
.timeline li{position:relative;border:1px solid var(--line);border-radius:6px;padding:.3rem .6rem;min-width:7rem;background:var(--card);font-size:.88rem}
.timeline li+li::before{content:'→';position:absolute;left:-1.35rem;top:.9rem;color:var(--faint)}
.timeline li.on{background:var(--mark)}
.timeline .value{font:600 .95rem 'DejaVu Sans Mono',Menlo,Consolas,monospace}
.scrubber{display:flex;gap:.5rem;align-items:center}
.scrubber .note{flex:1 1 16rem;margin:0}
#cycle-steps{flex-wrap:wrap;margin:.5rem 0}
.scrubber input{flex:1;accent-color:var(--accent);min-width:6rem}
.state td.changed{background:var(--mark);font-weight:600}
.note{min-height:1.5em;margin:.2rem 0}
.split h2{margin-top:.3rem}
.chip .faint{font-weight:400}
[hidden]{display:none!important}
svg.story .edge{cursor:pointer}
svg.story .edge:focus{outline:none}
svg.story .edge:focus-visible .line{stroke-width:5}
svg.story .edge.refuted,svg.story .edge.staged,svg.story .edge.off,svg.story .cell.off{display:none}
svg.story .edge.refuted.shown,svg.story .edge.staged.shown{display:inline}
svg.story .edge.uncertain .line{stroke-dasharray:4 5;stroke-width:1.4}
svg.story .edge.uncertain.label{opacity:.7}
svg.story.lit .edge{opacity:.16}
svg.story.lit .edge.on{opacity:1}
svg.story.lit .edge.on .line{stroke-width:3.6}
svg.story.lit .cell{opacity:.4}
svg.story.lit .cell.on{opacity:1}
svg.story .cell.now .box{stroke-width:4}
${CHECKED_STYLE}${LATTICE_STYLE}${COURSE_STYLE}
svg.story .edge.now .line{stroke-width:5}
@keyframes move{from{stroke-dashoffset:44}}
@media (prefers-reduced-motion:no-preference){svg.story .edge.now .line{stroke-dasharray:16 6;animation:move 1.2s linear infinite}svg.story .edge,svg.story .cell{transition:opacity .12s}}
@media (prefers-color-scheme:dark){${colourRules('dark', 'svg ')}${clockRules('dark', 'svg ')}}
`;
