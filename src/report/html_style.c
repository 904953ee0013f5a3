/* html_style.c -- the style sheet of a page.
 *
 * Colours are variables, set for light and again for dark; paper is always light.  Type is the
 * reader's own sans-serif; widths follow the window, nothing is fixed to it. */
#include "report/draw_parts.h"
#include "report/html_parts.h"

static const char light[] =
    "--paper:#fff;--ink:#1a1f26;--muted:#565f6b;--line:#e4e7eb;--strong:#aab2bc;--soft:#f6f7f9;"
    "--accent:#0067a3;--warn:#7a4d00;--warnpaper:#fff6e0;--warnline:#e0a526";
static const char dark[] =
    "--paper:#14181d;--ink:#e8ecf1;--muted:#a5afbb;--line:#2b323b;--strong:#5a6673;--soft:#1c2128;"
    "--accent:#6fc0f0;--warn:#f2cf85;--warnpaper:#2a2416;--warnline:#a67c1e";

static const char text_rules[] =
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"
    "'Segoe UI',Roboto,'Helvetica Neue','Noto Sans',Arial,sans-serif;overflow-wrap:anywhere}\n"
    "header,main,footer{max-width:1120px;margin:0 auto;padding:0 24px}\n"
    "header{padding-top:40px}\n"
    "a{color:var(--accent)}\n"
    ".skip{position:absolute;left:-9999px}\n"
    ".skip:focus{left:8px;top:8px;padding:8px 12px;background:var(--paper)}\n"
    "h1,h2,h3,h4{line-height:1.25;margin:0;font-weight:650;text-wrap:balance}\n"
    "h1{font-size:32px;letter-spacing:-.015em}\n"
    "h2{font-size:21px;letter-spacing:-.01em;padding-top:18px;border-top:1px solid var(--strong)}\n"
    "h3{font-size:16px;margin:28px 0 8px}\n"
    "h4,h5,h6{font-size:14px;margin:20px 0 6px}\n"
    "section{margin:48px 0 0}\n"
    ".kicker{margin:0 0 6px;font-size:13px;font-weight:600;letter-spacing:.04em;"
    "color:var(--accent)}\n"
    ".about{margin:10px 0 0;color:var(--muted);max-width:46em}\n"
    "nav{margin:20px 0 0;padding:10px 0;border-top:1px solid var(--line);"
    "border-bottom:1px solid var(--line);font-size:14px}\n"
    "nav ul{display:flex;flex-wrap:wrap;gap:4px 20px;list-style:none;margin:0;padding:0}\n"
    "nav a{text-decoration:none}\n"
    "nav a:hover{text-decoration:underline}\n"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px 24px;"
    "list-style:none;margin:32px 0 0;padding:0;align-items:start}\n"
    ".tiles p{margin:0}\n"
    ".tiles .what{font-size:14px;color:var(--muted)}\n"
    ".tiles .figure{font-size:36px;line-height:1.2;font-weight:600;letter-spacing:-.02em;"
    "font-variant-numeric:tabular-nums}\n"
    ".tiles .span{font-size:13px;color:var(--muted);font-variant-numeric:tabular-nums}\n"
    ".tiles .beside{font-size:13px;font-variant-numeric:tabular-nums}\n"
    ".warnings{margin:32px 0 0;padding:14px 20px;background:var(--warnpaper);color:var(--warn);"
    "border-left:4px solid var(--warnline)}\n"
    ".warnings h2{font-size:16px;border:0;padding:0}\n"
    ".warnings ul{margin:6px 0 0;padding-left:20px}\n"
    ".pipeline{list-style:none;margin:12px 0 0;padding:0;display:flex;flex-wrap:wrap;gap:8px 0}\n"
    ".pipeline li{display:flex;align-items:center}\n"
    ".pipeline li+li::before{content:'\\2192';color:var(--muted);padding:0 8px}\n"
    ".pipeline code{background:var(--soft);border:1px solid var(--line);border-radius:6px;"
    "padding:3px 10px}\n"
    ".pipeline span{color:var(--muted)}\n"
    "code,pre{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',"
    "monospace}\n"
    "dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(220px,1fr));gap:14px 24px;"
    "margin:16px 0 0}\n"
    "dl div{min-width:0}\n"
    "dl .long{grid-column:span 2}\n"
    "dt{font-size:13px;color:var(--muted)}\n"
    "dd{margin:0;font-variant-numeric:tabular-nums}\n";

static const char part_rules[] =
    ".scroll{overflow-x:auto;margin:14px 0 0;position:relative;background:"
    "linear-gradient(to right,var(--paper) 30%,transparent) left/48px 100% no-repeat local,"
    "linear-gradient(to left,var(--paper) 30%,transparent) right/48px 100% no-repeat local,"
    "linear-gradient(to right,var(--strong),transparent) left/10px 100% no-repeat scroll,"
    "linear-gradient(to left,var(--strong),transparent) right/10px 100% no-repeat scroll}\n"
    ".scroll::-webkit-scrollbar{height:10px;width:10px;background:var(--soft)}\n"
    ".scroll::-webkit-scrollbar-thumb{background:var(--strong);border-radius:5px}\n"
    ".scroll:focus-visible{outline:2px solid var(--accent);outline-offset:2px}\n"
    "table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums lining-nums;"
    "overflow-wrap:normal}\n"
    "caption{text-align:left;color:var(--muted);font-size:13px;padding:0 0 6px}\n"
    "caption.quiet{position:absolute;width:1px;height:1px;padding:0;overflow:hidden;"
    "clip-path:inset(50%);white-space:nowrap}\n"
    "thead th::first-letter,dt::first-letter{text-transform:uppercase}\n"
    ".figures thead th::first-letter,.asis th::first-letter,.asis dt::first-letter{"
    "text-transform:none}\n"
    ".columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));"
    "gap:0 48px;align-items:start}\n"
    ".columns>*{min-width:0}\n"
    "th,td{padding:5px 20px 5px 0;text-align:left;vertical-align:top;"
    "border-bottom:1px solid var(--line)}\n"
    ".dense{font-size:13px}\n"
    ".dense th,.dense td{padding-right:13px}\n"
    "th:last-child,td:last-child,.dense th:last-child,.dense td:last-child{padding-right:0}\n"
    "thead th,thead td{border-bottom:1px solid var(--strong);font-weight:600;font-size:13px;"
    "color:var(--muted);vertical-align:bottom}\n"
    "tbody th{font-weight:400}\n"
    ".n{text-align:right;white-space:nowrap}\n"
    "thead .n{white-space:normal}\n"
    ".doc{color:var(--muted)}\n"
    ".text{min-width:17em}\n"
    "tbody th{overflow-wrap:anywhere;min-width:7em;max-width:22em}\n"
    ".words{min-width:11em}\n"
    ".none{color:var(--muted)}\n"
    ".more{margin:6px 0 0;font-size:13px;color:var(--muted)}\n"
    ".figures{columns:440px 2;column-gap:48px;margin:24px 0 -24px;orphans:1;widows:1}\n"
    "figure{display:inline-block;width:100%;margin:0 0 40px;break-inside:avoid}\n"
    "figure h3{margin:0 0 10px}\n"
    "figure svg.smr{display:block;overflow:visible}\n"
    "figure svg.smr:not([width]){width:100%;max-width:620px;height:auto}\n"
    "figure.whole{display:block;column-span:all}\n"
    "figure .narrow{display:none}\n"
    ".multiples{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,300px),1fr));"
    "gap:28px 36px;margin:20px 0 0;align-items:start}\n"
    "figure.small{margin:0}\n"
    "figure.small h4{margin:0 0 6px;font-size:14px}\n"
    "figure.small svg.smr:not([width]){max-width:340px}\n"
    "figcaption{margin:6px 0 0;font-size:14px;color:var(--muted);max-width:42em}\n"
    "details{margin:10px 0 0}\n"
    "summary{cursor:pointer;font-size:14px;color:var(--accent);width:fit-content}\n"
    "figure details .scroll{max-height:400px;overflow-y:auto}\n"
    "pre{margin:12px 0 0;padding:14px;background:var(--soft);overflow:auto;max-height:600px}\n"
    "footer{padding-top:40px;padding-bottom:48px;font-size:13px;color:var(--muted)}\n";

static const char size_rules[] =
    "@media (max-width:560px){header,main,footer{padding-left:16px;padding-right:16px}"
    "header{padding-top:24px}h1{font-size:25px}section{margin-top:36px}"
    ".tiles{grid-template-columns:repeat(2,minmax(0,1fr));gap:18px 16px}.tiles .figure{"
    "font-size:30px}figure .wide{display:none}figure .narrow{display:block}"
    "dl{grid-template-columns:repeat(2,minmax(0,1fr))}th,td{padding-right:14px}"
    ".measures .doc,.measures thead th:last-child{display:none}}\n"
    "@media print{body{font-size:11pt}header,main,footer{max-width:none;padding:0}"
    "nav,.skip,details{display:none}section{margin-top:24pt}"
    "figure,tr,.tiles,.warnings,dl div{break-inside:avoid}h2,h3,h4,caption{break-after:avoid}"
    "figure{margin-bottom:18pt}.figures{columns:2;column-gap:18pt}figure "
    "svg.smr{max-width:100%;height:auto}"
    "figure .wide{display:block}figure .narrow{display:none}.scroll{overflow:visible;"
    "background:none}.multiples{grid-template-columns:repeat(3,minmax(0,1fr));gap:14pt}"
    "table{font-size:8pt}th,td{padding-right:6pt;overflow-wrap:anywhere}"
    ".dense{font-size:7pt}.dense th,.dense td{padding-right:4pt}"
    "thead th,thead td{font-size:7.5pt}.dense thead th,.dense thead "
    "td{font-size:6.5pt}.n{overflow-wrap:normal}.text,.words,tbody "
    "th{min-width:0}}\n"
    "@page{margin:16mm 14mm}\n";

void smr_html_style(smr_text *out)
{
    smr_text_printf(out, "<style>\n:root{color-scheme:light dark;%s}\n", light);
    smr_text_add(out, text_rules);
    smr_text_add(out, part_rules);
    smr_text_add(out, size_rules);
    smr_draw_style(false, out);
    smr_text_printf(out, "@media screen and (prefers-color-scheme:dark){:root{%s}\n", dark);
    smr_draw_style(true, out);
    smr_text_add(out, "}\n@media print{:root{color-scheme:light}}\n</style>\n");
}
