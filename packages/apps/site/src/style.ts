/** Layout of the site, on top of the style that all isolab pages share. */
export const STYLE = `
body{max-width:none;padding:0}
.bar{display:flex;flex-wrap:wrap;gap:.4rem 1rem;align-items:center;padding:.5rem clamp(.8rem,2vw,1.6rem);border-bottom:1px solid var(--line);background:var(--card)}
.bar .home{font-weight:700;text-decoration:none;color:var(--text)}
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
main{padding:1rem 0 3rem;min-width:0;max-width:58rem}
main img{max-width:100%;height:auto}
main h2,main h3{scroll-margin-top:1rem}
main table{min-width:min(100%,30rem)}
main td:has(code~code~code~code){min-width:18rem}
main code{overflow-wrap:anywhere}
main pre code,main table code{overflow-wrap:normal}
.anchor{opacity:0;text-decoration:none;color:var(--faint)}
:is(h2,h3,h4):hover .anchor,.anchor:focus{opacity:1}
.contents{font-size:.9rem;border:1px solid var(--line);border-radius:6px;padding:.3rem .8rem}
.contents ul{margin:.3rem 0;padding-left:1.1rem}
blockquote{margin:1rem 0;padding:.1rem 1rem;border-left:3px solid var(--line);color:var(--faint)}
@media (min-width:60rem){.menu{position:sticky;top:0;max-height:100vh;overflow:auto;align-self:start}}
@media (max-width:59.99rem){.frame{display:block}.menu summary{display:list-item;font-weight:600}.menu{padding:.6rem 0 0}}
@media print{.bar,.menu,.anchor{display:none}.frame{display:block}}
`;
