/** Styles in addition to those of all isolab pages. */
export const STYLE = `
[hidden]{display:none!important}
.ask{display:grid;grid-template-columns:minmax(0,1.25fr) minmax(0,1fr);gap:0 2rem}
@media (max-width:56rem){.ask{grid-template-columns:minmax(0,1fr)}}
.ask h2{margin:.9rem 0 .4rem}
textarea{display:block;width:100%;margin:.35rem 0 0;padding:.6rem .7rem;resize:vertical;font:.92rem/1.55 'DejaVu Sans Mono',Menlo,Consolas,monospace;color:var(--text);background:var(--card);border:1px solid var(--line);border-radius:8px;tab-size:4}
textarea::placeholder{color:var(--faint);opacity:.75}
.files{display:flex;flex-wrap:wrap;gap:.3rem .7rem;align-items:center;font-size:.92rem;margin:.6rem 0}
.files input{position:absolute;width:1px;height:1px;opacity:0;overflow:hidden}
.button{display:inline-block;font-size:.9rem;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.3rem .7rem;cursor:pointer}
.button:hover{border-color:var(--accent)}
.files:focus-within .button{outline:3px solid var(--accent);outline-offset:2px}
.chosen{margin:.35rem 0 0;padding:.5rem .7rem;border:1px solid var(--line);border-radius:8px;background:var(--card)}
.chosen button{margin-left:.5rem}
.examples{display:flex;flex-wrap:wrap;gap:.35rem;margin:0;padding:0;list-style:none}
.example-note{min-height:1.5em;margin:.4rem 0 0;font-size:.92rem}
.choices{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.4rem .8rem;align-items:center;max-width:26rem}
.choices select{width:100%}
.actions{margin:.8rem 0 0}
button.main{background:var(--accent);border-color:var(--accent);color:var(--page);font-weight:600;padding:.4rem 1.6rem}
button.main:hover{filter:brightness(1.1)}
button:disabled{opacity:.5;cursor:default}
.running{margin:1.2rem 0;border-top:1px solid var(--line);padding-top:1rem}
.running p{margin:.3rem 0;font-variant-numeric:tabular-nums}
input[type=text]{width:100%;font:inherit;font-size:.9rem;color:var(--text);background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.3rem .6rem}
input[type=text]:disabled,select:disabled{opacity:.5}
#more[open],#verify-part[open],#levels-part[open]{padding-bottom:.4rem}
#more .choices,#own-part,#own-part .choices{margin-top:.5rem}
.options{margin:.3rem 0 0;font-size:.85rem}
.options dd{margin:0 0 .3rem 1rem}
.switches{list-style:none;margin:.6rem 0 0;padding:0;font-size:.92rem}
.switches label{display:flex;gap:.4rem;align-items:baseline}
.actions{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center}
.link-note{margin:.4rem 0;font-size:.92rem}
.link-note:empty{display:none}
.convert{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;font-size:.92rem}
.convert select{max-width:100%}
#verdict-more pre{margin:.3rem 0}
#count-rows th{font-weight:400;white-space:nowrap}
#count-rows td:last-child{min-width:16rem}
progress{width:100%;height:.55rem;accent-color:var(--accent)}
#result{margin-top:1.2rem;border-top:1px solid var(--line);padding-top:.4rem}
.announced{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
#headline.good::before{content:'✓ '}
#headline.bad::before{content:'✗ '}
#headline.warn::before{content:'? '}
#detail{white-space:pre-line;margin:.3rem 0}
#opened,#note{margin:.3rem 0;font-size:.92rem}
.lattice{position:relative;display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:1.05rem clamp(.35rem,3vw,3rem);max-width:58rem;margin:1rem 0}
.lattice svg{position:absolute;inset:0;width:100%;height:100%;pointer-events:none;z-index:-1}
.lattice line{stroke:var(--line);stroke-width:1.5}
.lattice button{display:flex;gap:.35rem;align-items:center;justify-content:center;min-height:2.1rem;padding:.2rem .4rem;font-size:clamp(.68rem,1.9vw,.86rem);line-height:1.2;overflow-wrap:anywhere;background:var(--page);border-width:1.5px}
.lattice button span{font-weight:700}
.lattice .good,.lattice .good[aria-pressed=true]{color:var(--good);border-color:var(--good);background:var(--page)}
.lattice .bad,.lattice .bad[aria-pressed=true]{color:var(--bad);border-color:var(--bad);background:var(--bad-soft)}
.lattice .warn,.lattice .warn[aria-pressed=true]{color:var(--warn);border:1.5px dashed var(--warn);background:var(--page)}
.lattice button[aria-pressed=true]{font-weight:600;box-shadow:0 0 0 3px var(--accent)}
.toolbar{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;margin:.6rem 0}
#story{display:block;width:100%;height:70vh;border:1px solid var(--line);border-radius:8px;background:var(--page)}
#runs td{white-space:nowrap}
#runs td:last-child{white-space:normal;min-width:18rem}
body.dropping main{outline:3px dashed var(--accent);outline-offset:.5rem;border-radius:8px}
`;
