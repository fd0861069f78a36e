"""The style sheet of the page: light or dark as the reader prefers, from 320 pixels up."""

STYLE = """
:root { color-scheme: light dark; --page: #fbfaf7; --panel: #fff; --ink: #1c2127; --quiet: #5a636d; --line: #d8d5cd;
  --link: #0a5c86; --s0: #0b6e99; --s1: #b4521e; --s2: #2c7a3f; --s3: #7a3ea0; }
@media (prefers-color-scheme: dark) { :root { --page: #14181d; --panel: #1c2229; --ink: #e8eaed; --quiet: #a5afba;
  --line: #38414b; --link: #7cc7f0; --s0: #58bbe8; --s1: #f0975f; --s2: #76c987; --s3: #c89bea; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1240px; padding: 0 16px 40px; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { margin: 24px 0 8px; font-size: 1.7rem; line-height: 1.2; }
h2 { margin: 36px 0 8px; font-size: 1.3rem; line-height: 1.25; }
h3 { margin: 0; font-size: 1.02rem; line-height: 1.3; }
p { max-width: 72ch; margin: 8px 0; }
a { color: var(--link); }
code { font-size: .92em; }
@media (min-width: 561px) { code { white-space: nowrap; } }
nav ul { display: flex; flex-wrap: wrap; gap: 2px 18px; margin: 10px 0; padding: 0; list-style: none; }
nav a { display: inline-block; padding: 4px 0; }
.when, .missing, figcaption p, footer, .legend { color: var(--quiet); font-size: .92rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 232px), 1fr));
  gap: 10px; margin: 12px 0; }
.tiles div { display: flex; flex-direction: column; gap: 2px; padding: 10px 14px;
  border: 1px solid var(--line); border-radius: 10px; background: var(--panel); }
.tiles dt { color: var(--quiet); font-size: .88rem; line-height: 1.35; }
.tiles dd { margin: 0; font-size: 1.35rem; font-weight: 700; font-variant-numeric: tabular-nums; }
.tiles .more { color: var(--quiet); font-size: .88rem; font-weight: 400; line-height: 1.35; }
.facts { display: grid; grid-template-columns: minmax(0, max-content) minmax(0, 1fr); gap: 4px 18px; margin: 12px 0; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; }
@media (max-width: 560px) { .facts { display: block; } .facts dt { margin-top: 6px; font-size: .88rem; } }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 360px), 1fr)); gap: 14px;
  align-items: start; margin: 14px 0; }
figure { min-width: 0; margin: 0; padding: 14px;
  border: 1px solid var(--line); border-radius: 12px; background: var(--panel); }
figcaption p { margin: 4px 0 10px; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 0 0 8px; padding: 0; list-style: none; }
.legend li { display: flex; gap: 6px; align-items: center; }
.chart { display: block; overflow: hidden; }
.chart text { fill: var(--ink); font: 13px system-ui, sans-serif; }
.chart .value { font-weight: 600; font-variant-numeric: tabular-nums; }
.chart .tick { fill: var(--quiet); font-size: 12px; }
.grid { stroke: var(--line); stroke-width: 1; }
.line { fill: none; stroke-width: 2; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
.bar.s0 { fill: var(--s0); } .bar.s1 { fill: var(--s1); } .bar.s2 { fill: var(--s2); } .bar.s3 { fill: var(--s3); }
.line.s0 { stroke: var(--s0); } .line.s1 { stroke: var(--s1); stroke-dasharray: 7 4; }
.line.s2 { stroke: var(--s2); stroke-dasharray: 2 3; } .line.s3 { stroke: var(--s3); stroke-dasharray: 10 3 2 3; }
summary { cursor: pointer; padding: 6px 0; color: var(--link); }
.scroll { position: relative; overflow-x: auto; }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { padding: 4px 10px; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
thead th { color: var(--quiet); font-weight: 600; min-width: 4.4rem; vertical-align: bottom; white-space: normal; }
tr :first-child { position: sticky; left: 0; padding-left: 0; background: var(--panel);
  text-align: left; }
@media (max-width: 560px) { tr :first-child { min-width: 6.5rem; max-width: 9rem; white-space: normal; }
  th, td { padding-inline: 7px; } }
footer { margin-top: 40px; border-top: 1px solid var(--line); }
@media print { details > * { display: block; } }
"""
