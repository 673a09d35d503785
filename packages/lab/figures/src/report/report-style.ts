export const REPORT_STYLE = `
main{max-width:78rem}
.holds{color:var(--good)}.part{color:var(--text)}.fails{color:var(--bad)}.open{color:var(--warn)}.never{color:var(--faint)}
.outcome{white-space:nowrap;font-weight:600}
nav{font-size:.92rem;margin-bottom:.6rem}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(19rem,100%),1fr));gap:.8rem;padding:0;list-style:none}
.cards>li{border:1px solid var(--line);border-radius:8px;padding:.7rem .9rem;background:var(--card)}
.cards h3{margin:0 0 .2rem}
.cards p{margin:.2rem 0;font-size:.92rem}
.thumbnail{max-height:11rem;overflow:hidden}
.chart.thumbnail svg{width:100%;height:auto;max-height:11rem;min-width:0}
dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:.4rem 0}
dl.facts dt{color:var(--faint)}
dl.facts dd{margin:0;min-width:0}
@media (max-width:36rem){dl.facts{grid-template-columns:1fr}dl.facts dd{margin-bottom:.3rem}}
td.wrong,tr.wrong>*{background:var(--bad-soft)}
.board .history{width:min(16rem,45vw);overflow-wrap:anywhere}
@media (min-width:48rem){.board th:first-child{position:sticky;left:0;background:var(--page)}.board thead th:first-child{background:var(--card)}.board tr.wrong>th:first-child{background:var(--bad-soft)}}
td.best{font-weight:700}
.bar{display:flex;height:.6rem;border-radius:.3rem;overflow:hidden;background:var(--line);min-width:8rem}
.bar .holds{background:var(--good)}.bar .part{background:var(--good);opacity:.45}.bar .fails{background:var(--bad)}.bar .open{background:var(--warn)}.bar .never{background:var(--faint)}
td:has(.outcome)~td{min-width:13rem}
.nowrap{white-space:nowrap}
.number .words{display:inline-block;white-space:normal;min-width:9rem;max-width:15rem}
.board thead th{vertical-align:bottom}
`;
