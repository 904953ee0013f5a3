/* measure.js -- looks at a page as a reader would and posts what is wrong with it to its parent.
 *
 *     overflow   something is wider than the window (what scrolls by itself is exempt), or the body
 *     cut        a table is wider than what it lies in, and that cannot be scrolled
 *     overlap    two texts lie on one another, in drawings (slanted ones too) or outside
 *     outside    a text of a drawing leaves it
 *     faint      a text's contrast against what lies behind it is below 4.5
 *
 * #open in the address opens everything that can be folded. */
(function () {
    "use strict";
    const SLACK = 1.2;

    function corners(text) { /* of an SVG text on the screen, turned as it is */
        const b = text.getBBox(), m = text.getScreenCTM();
        const at = (x, y) => ({x: m.a * x + m.c * y + m.e, y: m.b * x + m.d * y + m.f});
        const top = b.y + 0.18 * b.height, bottom = b.y + 0.88 * b.height; /* the ink, not the line */
        return [at(b.x, top), at(b.x + b.width, top), at(b.x + b.width, bottom), at(b.x, bottom)];
    }

    function box(r) {
        const top = r.top + 0.15 * r.height, bottom = r.bottom - 0.12 * r.height;
        return [{x: r.left, y: top}, {x: r.right, y: top}, {x: r.right, y: bottom},
                {x: r.left, y: bottom}];
    }

    /* Two convex shapes are apart when some edge of one separates them. */
    function meet(a, b) {
        for (const shape of [a, b])
            for (let i = 0; i < 4; i++) {
                const p = shape[i], q = shape[(i + 1) % 4];
                const length = Math.hypot(q.x - p.x, q.y - p.y) || 1;
                const n = {x: (p.y - q.y) / length, y: (q.x - p.x) / length};
                const on = s => s.map(c => c.x * n.x + c.y * n.y);
                const [u, v] = [on(a), on(b)];
                if (Math.max(...u) < Math.min(...v) + SLACK || Math.max(...v) < Math.min(...u) + SLACK)
                    return false;
            }
        return true;
    }

    function rgb(text) {
        const n = (text.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
        return {r: n[0], g: n[1], b: n[2], a: n.length > 3 ? n[3] : 1};
    }

    function over(back, c, alpha) {
        const mix = (x, y) => x + (y - x) * alpha;
        return {r: mix(back.r, c.r), g: mix(back.g, c.g), b: mix(back.b, c.b)};
    }

    function luminance(c) {
        const f = v => (v /= 255) <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4);
        return 0.2126 * f(c.r) + 0.7152 * f(c.g) + 0.0722 * f(c.b);
    }

    function contrast(a, b) {
        const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
        return (x + 0.05) / (y + 0.05);
    }

    /* What lies behind a text, painted from the back; NULL where the point is not on the screen. */
    function behind(element, x, y) {
        const stack = document.elementsFromPoint(x, y);
        if (!stack.includes(element)) return null;
        let colour = {r: 255, g: 255, b: 255};
        for (const e of stack.slice(stack.indexOf(element) + 1).reverse()) {
            const s = getComputedStyle(e);
            if (e instanceof SVGElement) {
                if (!["rect", "path"].includes(e.tagName) || s.fill === "none") continue;
                const c = rgb(s.fill);
                colour = over(colour, c, c.a * Number(s.fillOpacity) * Number(s.opacity));
            } else {
                const c = rgb(s.backgroundColor);
                colour = over(colour, c, c.a);
            }
        }
        return colour;
    }

    function is_hidden(e) { /* folded, not drawn, or for screen readers only */
        if (e.closest(".skip, caption.quiet, title, desc, style, script")) return true;
        if (!e.checkVisibility || !e.checkVisibility()) return true;
        return false;
    }

    function clip(e, r) { /* what scrolls shows a part */
        for (let s = e.closest(".scroll, pre"); s; s = s.parentElement.closest(".scroll, pre")) {
            const c = s.getBoundingClientRect();
            r = {left: Math.max(r.left, c.left), right: Math.min(r.right, c.right),
                 top: Math.max(r.top, c.top), bottom: Math.min(r.bottom, c.bottom)};
        }
        r.height = r.bottom - r.top;
        return r.right - r.left > 2 && r.height > 4 ? r : null;
    }

    function texts() {
        const found = [];
        for (const t of document.querySelectorAll("svg text")) {
            if (is_hidden(t) || !t.textContent.trim()) continue;
            const own = [...t.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join("");
            found.push({element: t, words: own, shape: corners(t), svg: t.closest("svg.smr, svg")});
        }
        const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let n = walk.nextNode(); n; n = walk.nextNode()) {
            const e = n.parentElement;
            if (!n.data.trim() || e.closest("svg") || is_hidden(e)) continue;
            const range = document.createRange();
            range.selectNodeContents(n);
            for (const r of range.getClientRects()) {
                const part = clip(e, r);
                if (part) found.push({element: e, words: n.data.trim(), shape: box(part)});
            }
        }
        return found;
    }

    function find_overlaps(found, faults) {
        const top = t => Math.min(...t.shape.map(c => c.y));
        const bottom = t => Math.max(...t.shape.map(c => c.y));
        found.sort((a, b) => top(a) - top(b));
        for (let i = 0; i < found.length; i++)
            for (let k = i + 1; k < found.length && top(found[k]) < bottom(found[i]); k++)
                if (found[i].element !== found[k].element && meet(found[i].shape, found[k].shape))
                    faults.push(`overlap: '${found[i].words}' and '${found[k].words}'`);
    }

    function check_text(t, faults) {
        const x = (t.shape[0].x + t.shape[2].x) / 2, y = (t.shape[0].y + t.shape[2].y) / 2;
        if (t.svg) {
            const r = t.svg.getBoundingClientRect();
            for (const c of t.shape)
                if (c.x < r.left - 1 || c.x > r.right + 1 || c.y < r.top - 1 || c.y > r.bottom + 1) {
                    faults.push(`outside: '${t.words}'`);
                    break;
                }
        }
        const back = behind(t.element, x, y), style = getComputedStyle(t.element);
        if (!back) return 0;
        const ratio = contrast(back, over(back, rgb(t.svg ? style.fill : style.color), 1));
        if (ratio < 4.5) faults.push(`faint: '${t.words}' has ${ratio.toFixed(2)}`);
        return 1;
    }

    function find_overflow(faults) {
        const width = document.documentElement.clientWidth;
        if (document.documentElement.scrollWidth > width + 1)
            faults.push(`overflow: the page is ${document.documentElement.scrollWidth} px wide in ` +
                        `a window of ${width}`);
        if (Math.round(document.body.getBoundingClientRect().width) !== width ||
            document.body.scrollWidth > width)
            faults.push(`overflow: the body is ${document.body.scrollWidth} px wide in a window ` +
                        `of ${width}`);
        for (const table of document.querySelectorAll("table")) {
            const box = table.parentElement;
            if (is_hidden(table) || table.offsetWidth <= box.clientWidth + 1) continue;
            if (!["auto", "scroll"].includes(getComputedStyle(box).overflowX))
                faults.push(`cut: a table of ${table.offsetWidth} px in a box of ${box.clientWidth}`);
        }
        for (const e of document.querySelectorAll("body *")) {
            if (is_hidden(e) || e.closest("svg svg, pre") || e.closest("table")) continue;
            if (e.parentElement.closest(".scroll")) continue;
            const r = e.getBoundingClientRect();
            if (r.width > 0 && (r.right > width + 1 || r.left < -1) && r.height > 0)
                faults.push(`overflow: <${e.tagName.toLowerCase()} class="` +
                            `${e.getAttribute("class") || ""}"> reaches ${Math.round(r.right)}`);
        }
    }

    function measure() {
        const faults = [];
        if (location.hash === "#open")
            for (const d of document.querySelectorAll("details")) d.open = true;
        find_overflow(faults);
        const found = texts();
        find_overlaps(found, faults);
        let judged = 0;
        for (const t of found) judged += check_text(t, faults);
        return {texts: found.length, judged, faults: faults.slice(0, 20), n: faults.length};
    }

    window.addEventListener("load", function () {
        let result;
        try {
            result = measure();
        } catch (error) {
            result = {texts: 0, judged: 0, faults: ["the measuring failed: " + error], n: 1};
        }
        parent.postMessage({page: window.name, ...result}, "*");
    });
}());
