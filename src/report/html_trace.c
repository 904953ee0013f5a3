/* html_trace.c -- see html_trace.h. */
#include "report/html_trace.h"

#include "report/draw.h"
#include "report/html_parts.h"

#include <stdio.h>
#include <string.h>

static const char script[] =
    "<script>\n"
    "(function () {\n"
    "  var steps = document.querySelectorAll('section.step'), now = 0, timer = null;\n"
    "  var bar = document.getElementById('bar'), slider = document.getElementById('slider');\n"
    "  var place = document.getElementById('place'), play = document.getElementById('play');\n"
    "  function show(k) {\n"
    "    now = Math.max(0, Math.min(steps.length - 1, k));\n"
    "    for (var i = 0; i < steps.length; i++) steps[i].hidden = i !== now;\n"
    "    slider.value = now + 1;\n"
    "    place.textContent = 'step ' + (now + 1) + ' of ' + steps.length;\n"
    "  }\n"
    "  function stop() { clearInterval(timer); timer = null; play.textContent = 'Play'; }\n"
    "  if (!steps.length) return;\n"
    "  bar.hidden = false;\n"
    "  slider.max = steps.length;\n"
    "  slider.addEventListener('input', function () { stop(); show(slider.value - 1); });\n"
    "  document.getElementById('back').addEventListener('click', function () { stop(); "
    "show(now - 1); });\n"
    "  document.getElementById('next').addEventListener('click', function () { stop(); "
    "show(now + 1); });\n"
    "  play.addEventListener('click', function () {\n"
    "    if (timer) return stop();\n"
    "    if (now === steps.length - 1) show(0);\n"
    "    play.textContent = 'Stop';\n"
    "    timer = setInterval(function () {\n"
    "      if (now === steps.length - 1) stop(); else show(now + 1);\n"
    "    }, 800);\n"
    "  });\n"
    "  window.addEventListener('beforeprint', function () {\n"
    "    for (var i = 0; i < steps.length; i++) steps[i].hidden = false;\n"
    "  });\n"
    "  window.addEventListener('afterprint', function () { show(now); });\n"
    "  show(0);\n"
    "})();\n"
    "</script>\n";

static const char controls[] =
    "<div id=\"bar\" class=\"bar\" hidden>\n"
    "<button id=\"back\" type=\"button\">Back</button>\n"
    "<button id=\"play\" type=\"button\">Play</button>\n"
    "<button id=\"next\" type=\"button\">Next</button>\n"
    "<label>Step <input id=\"slider\" type=\"range\" min=\"1\" value=\"1\"></label>\n"
    "<output id=\"place\"></output>\n"
    "</div>\n";

/* Numbers and names of a step as pairs; its number and its sentence are in the heading.  Names are
 * those of columns and of symbols, w and b: their letters stay as they are. */
static void add_numbers(const smr_json *step, smr_text *out)
{
    smr_text_add(out, "<div class=\"asis\">\n<dl>\n");
    for (const smr_json *m = step->first; m; m = m->next) {
        if (strcmp(m->key, "step") == 0 || strcmp(m->key, "what") == 0) continue;
        smr_text_add(out, "<div><dt>");
        smr_xml_string(out, m->key);
        smr_text_add(out, "</dt><dd>");
        smr_html_value(out, m);
        smr_text_add(out, "</dd></div>\n");
    }
    smr_text_add(out, "</dl>\n</div>\n");
}

/* The pictures "step-K-..." of step K; *at: where the search goes on, as they are in order. */
static smr_status add_pictures(smr_ctx *ctx, int64_t step, const smr_json **at, smr_text *out)
{
    smr_status st = SMR_OK;
    char prefix[40];
    snprintf(prefix, sizeof prefix, "step-%lld-", (long long)step);
    for (; *at && strncmp(smr_json_get_string(*at, "name", ""), prefix, strlen(prefix)) == 0;
         *at = (*at)->next) {
        smr_figure_opts opts = {.width = 560, .inside = true};
        smr_text_add(out, "<figure>\n<h3>");
        smr_xml_string(out, smr_json_get_string(*at, "title", ""));
        smr_text_add(out, "</h3>\n");
        TRY(smr_figure_svg(ctx, *at, &opts, out));
        smr_text_add(out, "</figure>\n");
    }
out:
    return st;
}

void smr_trace_kept(const smr_json *root, smr_text *out)
{
    const smr_json *steps = smr_json_get(root, "steps");
    double told = smr_json_get_number(root, "n_steps", 0);
    bool has_end = steps->last && smr_json_get_number(steps->last, "step", 0) == told;
    int64_t first = steps->n - has_end;
    smr_text_printf(out, "the first %lld", (long long)first);
    smr_text_add(out, has_end ? " and the last are" : smr_plural(first, " is", " are"));
}

static void add_head(const smr_json *root, smr_text *out)
{
    const char *learner = smr_json_get_string(root, "learner", "");
    smr_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<meta name=\"generator\" content=\"samara\">\n<title>");
    smr_xml_string(out, learner);
    smr_text_add(out, ", step by step</title>\n");
    smr_html_style(out);
    smr_text_add(out, "<style>.bar{display:flex;gap:.6rem;align-items:center;flex-wrap:wrap;"
                      "margin:1rem 0;position:sticky;top:0;background:var(--page,Canvas);"
                      "padding:.5rem 0;z-index:1}.bar[hidden]{display:none}.bar label{flex:1;"
                      "display:flex;gap:.6rem;align-items:center}.bar input{flex:1}"
                      "@media print{.bar{display:none}}</style>\n</head>\n<body>\n<header>\n"
                      "<p class=\"kicker\">samara trace</p>\n<h1>");
    smr_xml_string(out, learner);
    smr_text_add(out, ", step by step</h1>\n<p class=\"about\">");
    smr_xml_string(out, smr_json_get_string(root, "shows", ""));
    if (smr_json_get(root, "row"))
        smr_text_printf(out, " \u00b7 row %lld", (long long)smr_json_get_number(root, "row", 0));
    smr_text_add(out, " \u00b7 ");
    smr_xml_string(out, smr_json_get_string(root, "data", "data"));
    smr_text_add(out, " \u00b7 ");
    smr_xml_string(out, smr_json_get_string(root, "spec", ""));
    smr_text_add(out, "</p>\n</header>\n<main id=\"main\">\n");
}

smr_status smr_trace_html(smr_ctx *ctx, const smr_json *root, smr_text *out)
{
    smr_status st = SMR_OK;
    const smr_json *steps = smr_json_get(root, "steps"), *figures = smr_json_get(root, "figures");
    const smr_json *at = figures ? figures->first : NULL;
    if (!steps || steps->type != SMR_JSON_ARRAY)
        return smr_fail(ctx, SMR_ERR_PARAM, "there are no steps to show");
    add_head(root, out);
    smr_text_add(out, controls);
    for (const smr_json *s = steps->first; s; s = s->next) {
        int64_t step = (int64_t)smr_json_get_number(s, "step", 0);
        smr_text_printf(out, "<section class=\"step\" id=\"step-%lld\">\n<h2>%lld. ",
                        (long long)step, (long long)step);
        smr_xml_string(out, smr_json_get_string(s, "what", ""));
        smr_text_add(out, "</h2>\n");
        TRY(add_pictures(ctx, step, &at, out));
        add_numbers(s, out);
        smr_text_add(out, "</section>\n");
    }
    double told = smr_json_get_number(root, "n_steps", 0);
    if (told > (double)steps->n) {
        smr_text_printf(out, "<p class=\"more\">%lld steps were made; ", (long long)told);
        smr_trace_kept(root, out);
        smr_text_add(out, " shown.</p>\n");
    }
    smr_text_printf(out, "</main>\n<footer>Made by samara %s.</footer>\n", smr_version());
    smr_text_add(out, script);
    smr_text_add(out, "</body>\n</html>\n");
    TRY(smr_text_done(out));
out:
    return st;
}
