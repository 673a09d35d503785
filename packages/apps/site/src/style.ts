/** Layout of the site, on top of the style that all isolab pages share. */
export const STYLE = `
:root{--accent:#0b5a8c;--band:#f4f0e7;--ink:#16324a;--display:'Iowan Old Style','Palatino Linotype',Palatino,'URW Palladio L',P052,Charter,Georgia,serif}
@media (prefers-color-scheme:dark){:root{--accent:#7cc0f0;--band:#1a2129;--ink:#e9eff4}}
h1,h2{font-family:var(--display);color:var(--ink);letter-spacing:-.01em}
main h1{font-size:2rem}main h2{font-size:1.4rem}
body{max-width:none;padding:0}
.bar{display:flex;flex-wrap:wrap;gap:.4rem 1rem;align-items:center;padding:.5rem clamp(.8rem,2vw,1.6rem);border-bottom:1px solid var(--line);background:var(--card)}
.bar{background:var(--band)}
.bar .home{display:flex;gap:.45rem;align-items:center;font:700 1.25rem var(--display);text-decoration:none;color:var(--ink)}
.ways{display:flex;flex-wrap:wrap;gap:.1rem 1rem}
.ways a{color:var(--text);text-decoration:none;padding:.15rem 0;border-bottom:2px solid transparent}
.ways a:hover,.ways a[aria-current]{border-color:var(--accent)}
input.rows{display:block;width:100%;max-width:28rem;font:inherit;color:var(--text);background:var(--page);border:1px solid var(--line);border-radius:6px;padding:.3rem .6rem;margin:.5rem 0}
.find{position:relative;flex:1 1 12rem;max-width:28rem;margin-left:auto}
.find input{width:100%;font:inherit;color:var(--text);background:var(--page);border:1px solid var(--line);border-radius:6px;padding:.3rem .6rem}
.found{position:absolute;z-index:2;left:0;right:0;margin:.2rem 0 0;padding:0;list-style:none;background:var(--page);border:1px solid var(--line);border-radius:6px;max-height:70vh;overflow:auto;box-shadow:0 6px 20px #0003}
.found:empty{display:none}
.found a,.found p{display:block;margin:0;padding:.4rem .7rem;color:var(--text);text-decoration:none;border-bottom:1px solid var(--line)}
.found a:hover,.found a:focus{background:var(--card)}
.found small{display:block;color:var(--faint)}
.frame{display:grid;grid-template-columns:15rem minmax(0,1fr);gap:0 2rem;max-width:92rem;margin:0 auto;padding:0 clamp(.8rem,2vw,1.6rem)}
.menu{padding:1rem 0;font-size:.92rem}
.menu h2{font-size:.8rem;text-transform:uppercase;letter-spacing:.04em;color:var(--faint);margin:1rem 0 .2rem}
.menu ul{list-style:none;margin:0;padding:0}
.menu a{display:block;padding:.15rem .5rem;border-radius:4px;text-decoration:none;color:var(--text)}
.menu a:hover{background:var(--card)}
.menu a[aria-current]{background:var(--card);color:var(--accent);font-weight:600}
.menu summary{display:none}
main{padding:1rem 0 3rem;min-width:0}
main>:not(.scroll,pre,.figure,.cards,.hero,.doors,.facts){max-width:58rem}
main img{max-width:100%;height:auto;border-radius:8px}
.figure{display:block;overflow-x:auto}.figure img{max-width:max(100%,44rem)}
main h2,main h3{scroll-margin-top:1rem}
/* Shades an edge beyond which a table or code goes on. */
.scroll,main pre{--under:var(--page);background:linear-gradient(90deg,var(--under) 30%,#0000) left/2rem 100% no-repeat local,linear-gradient(-90deg,var(--under) 30%,#0000) right/2rem 100% no-repeat local,linear-gradient(90deg,var(--line),#0000) left/.7rem 100% no-repeat,linear-gradient(-90deg,var(--line),#0000) right/.7rem 100% no-repeat,var(--under)}
main pre{--under:var(--card)}
main pre.wraps code{white-space:pre-wrap;overflow-wrap:anywhere}
main .whole{white-space:nowrap}
.scroll+.scroll{margin-top:1rem}
main table{min-width:min(100%,30rem)}
@media (min-width:40rem){main td.long{min-width:13rem}}
main code{overflow-wrap:anywhere}
main pre code,main table code{overflow-wrap:normal}
.figure picture{display:block}
@media (max-width:40rem){
.anchor{display:none}
main table code{overflow-wrap:anywhere}
table.wide,table.wide tbody,table.wide tr,table.wide td{display:block}
table.wide{min-width:0}
table.wide thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
table.wide tr{border:1px solid var(--line);border-radius:8px;margin:.6rem 0;padding:.3rem .2rem}
table.wide td{border:0;display:flow-root;padding:.15rem .5rem .15rem 8.1rem;overflow-wrap:anywhere}
table.wide td:empty{display:none}
table.wide td::before{content:attr(data-head);float:left;width:7rem;margin-left:-7.6rem;color:var(--faint);overflow-wrap:normal}
}
.filters{display:flex;flex-wrap:wrap;gap:.5rem}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,15rem),1fr));gap:.9rem}
.cards>p{grid-column:1/-1;margin:.2rem 0}
.card{margin:0;border:1px solid var(--line);border-radius:10px;overflow:hidden;min-width:0}
.card[open]{grid-column:1/-1;padding:0 1rem 1rem}
.card>summary{display:block;padding:.7rem .9rem}
.card>summary:hover b{color:var(--accent)}
.card>summary img{display:block;width:100%;height:8.5rem;object-fit:contain;margin-bottom:.5rem}
.card[open]>summary img{display:none}
.card>summary b{display:block;font-family:var(--display)}
.card>summary small{color:var(--faint)}
[hidden]{display:none!important}
.anchor{opacity:0;text-decoration:none;color:var(--faint)}
:is(h2,h3,h4):hover .anchor,.anchor:focus{opacity:1}
.contents{font-size:.9rem;border:1px solid var(--line);border-radius:6px;padding:.3rem .8rem}
.contents ul{margin:.3rem 0;padding-left:1.1rem}
blockquote{margin:1rem 0;padding:.1rem 1rem;border-left:3px solid var(--line);color:var(--faint)}
@media (min-width:60rem){.menu{position:sticky;top:0;max-height:100vh;overflow:auto;align-self:start}}
@media (max-width:59.99rem){.frame{display:block}.menu summary{display:list-item;font-weight:600}.menu{padding:.6rem 0 0}}
body.start .frame{display:flex;flex-direction:column-reverse;max-width:76rem}
body.start main{padding-top:0}
body.start .menu{position:static;max-height:none;align-self:stretch;border-top:1px solid var(--line)}
body.start .menu details{columns:13rem}
body.start .menu h2{break-after:avoid}
.hero{background:var(--band);margin:0 calc(50% - 50vw);padding:1.6rem calc(50vw - 50%) 1.8rem}
.hero h1{font-size:clamp(1.55rem,3.2vw,2.3rem);line-height:1.18;max-width:27em;margin:.3rem 0 .6rem;text-wrap:balance}
.lead{font-size:1.12rem;max-width:44em;margin:.2rem 0 1.2rem}
.live{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1.9fr);background:var(--page);border:1px solid var(--line);border-radius:12px;overflow:hidden;box-shadow:0 1px 0 #0001,0 12px 32px #0000000f}
.live>*{padding:1rem 1.2rem;min-width:0}
.live .given{border-right:1px solid var(--line)}
.live textarea{display:block;width:100%;margin:.6rem 0;padding:.6rem .7rem;resize:vertical;font:1rem/1.6 'DejaVu Sans Mono',Menlo,Consolas,monospace;color:var(--text);background:var(--card);border:1px solid var(--line);border-radius:8px}
.live .examples{display:flex;flex-wrap:wrap;gap:.35rem}
.live .button{font-weight:600}
#live-verdict{font:700 1.5rem var(--display);margin:0}
#live-summary{margin:.2rem 0 .6rem;min-height:1.5em}
#live-levels{white-space:pre-line;font-size:.9rem;color:var(--faint);margin:.6rem 0 0}
#live-wide,#live-narrow{overflow-x:auto}
.live svg{display:block;max-width:100%;height:auto;margin:0 auto}
#live-narrow{display:none}
@media (max-width:40rem){.live .seen{padding-inline:0}.live .seen>:is([role=status],#live-levels){padding-inline:1.2rem}#live-wide{display:none}.ways{order:3;font-size:.92rem;gap:.1rem .8rem}#live-narrow{display:block}}
@media (max-width:56rem){.live{grid-template-columns:minmax(0,1fr)}.live .given{border-right:0;border-bottom:1px solid var(--line)}}
.doors{display:grid;grid-template-columns:repeat(auto-fit,minmax(14.5rem,1fr));gap:1rem;list-style:none;padding:0;margin:1.6rem 0}
.doors li{border:1px solid var(--line);border-top:4px solid var(--accent);border-radius:8px;padding:.9rem 1.1rem}
.doors strong{display:block;font:700 1.2rem var(--display);color:var(--ink)}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(17rem,1fr));gap:1rem 2.5rem;border-block:1px solid var(--line);padding:.4rem 0}
.facts h2{margin:.4rem 0}.facts p{margin:.2rem 0}
@media print{.bar,.menu,.anchor{display:none}.frame{display:block}}
`;
