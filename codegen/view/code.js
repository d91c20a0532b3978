// IR and SPIR-V, and what a pass changed.

// apply returns what edits make of a listing.
function apply(a, edits) {
	const text = [], at = [];
	let next = 0;
	const keep = to => { for (; next < to; next++) { text.push(a.text[next]); at.push(a.at[next]); } };
	for (const e of edits || []) {
		keep(e.from);
		text.push(...e.text || []);
		at.push(...e.at || []);
		next = e.from + (e.lines || 0);
	}
	keep(a.text.length);
	return { text, at };
}

// behind returns the listing behind a pass, by index; -1 is the module as it was lowered.
function behind(b, pass) {
	let l = b.built;
	for (let i = 0; i <= pass; i++) l = apply(l, b.passes[i].edits);
	return l;
}

function irColumn() {
	const pick = el("select", { id: "pass", "aria-label": "IR behind pass", onchange: () => choose(state.module, +pick.value) });
	const c = new Column(1, "IR",
		el("button", { id: "pass-back", "aria-label": "Pass before", title: "Pass before ( [ )", onclick: () => move(-1) }, "◀"), pick,
		el("button", { id: "pass-next", "aria-label": "Next pass", title: "Next pass ( ] )", onclick: () => move(1) }, "▶"),
		el("button", { id: "diff", "aria-pressed": "false", title: "Only what the pass changed ( d )", onclick: () => changes() }, "Changes"),
		el("span", { class: "quiet", id: "pass-doc" }));
	c.pick = pick;
	return c;
}

function spirvColumn() {
	const last = state.body.passes.length - 1;
	const pick = el("select", { id: "module", "aria-label": "Module", onchange: () => choose(+pick.value, last) },
		state.body.modules.map((m, i) => el("option", { value: i, disabled: !m.text }, (m.name || "first module") + ", " + bytes(m.bytes))));
	const c = new Column(2, "SPIR-V", pick);
	c.pick = pick;
	return c;
}

// choose shows a module, and the IR behind a pass. Variants have the IR alone that they are
// written from.
function choose(module, pass) {
	unpin();
	Object.assign(state, { module, pass, chosen: true });
	refill();
}

const compiled = () => state.body && state.body.modules;

function move(by) {
	if (compiled() && !state.module) choose(0, Math.max(-1, Math.min(state.body.passes.length - 1, state.pass + by)));
}

function changes() {
	if (!compiled() || state.module) return;
	state.diff = !state.diff;
	choose(0, state.pass);
}

function refill() {
	const b = state.body, m = b.modules[state.module], last = b.passes.length - 1;
	const pick = cols[1].pick, pass = state.pass;
	pick.replaceChildren(...state.module
		? [el("option", { value: last }, "of module " + m.name)]
		: [el("option", { value: -1 }, "built, before all passes"), ...b.passes.map((p, i) => el("option", { value: i }, p.name + (i === last ? " (last)" : "")))]);
	pick.value = String(state.module ? last : pass);
	pick.disabled = state.module > 0;
	cols[2].pick.value = String(state.module);
	const changed = state.module === 0 && pass >= 0;
	$("pass-back").disabled = !changed;
	$("pass-next").disabled = state.module > 0 || pass === last;
	$("diff").disabled = !changed;
	$("diff").setAttribute("aria-pressed", String(changed && state.diff));
	$("pass-doc").textContent = $("pass-doc").title = changed ? b.passes[pass].doc : "";
	const text = state.module ? m.ir || apply(behind(b, last), m.edits) : behind(b, pass);
	const written = state.module > 0 || pass === last; // the SPIR-V is written from this IR
	if (changed && state.diff) fillChanges(cols[1], b, pass);
	else fillIR(cols[1], b, text, !m.ir, changed && state.chosen ? b.passes[pass].edits : []);
	const finalText = written ? text : behind(b, last);
	fillSPIRV(cols[2], b, m, finalText, written && !(changed && state.diff));
}

const keyAt = (b, n) => n < 0 ? "" : b.files[b.places[n][0]] + ":" + b.places[n][1];
const signs = { u: ["=", "same", "the same in all work-items of a work-group"], d: ["≠", "differ", "differs between work-items of a work-group"] };

// signOf returns what stands before a line of IR: whether a value or block is uniform.
function signOf(b, line) {
	const m = /^(?:\t%(\d+) = |b(\d+):)/.exec(line);
	const s = m && signs[m[1] ? (b.values || "")[m[1]] : (b.blocks || "")[m[2]]];
	return el("span", { class: "m" + (s ? " " + s[1] : ""), title: s && s[2] }, s ? s[0] : "");
}

// fillIR shows IR. ours says that its values have the numbers of the first module's.
function fillIR(c, b, text, ours, edits) {
	c.clear();
	const added = new Set();
	let shift = 0;
	for (const e of edits || []) {
		const n = (e.text || []).length;
		for (let i = 0; i < n; i++) added.add(e.from + shift + i);
		shift += n - (e.lines || 0);
	}
	const head = text.text.findIndex(t => t === "");
	if (head > 0) c.fold("Header, " + many(head, "line"));
	text.text.forEach((t, i) => {
		if (i === head) c.end();
		const sign = ours ? signOf(b, t) : el("span", { class: "m" });
		c.add(keyAt(b, text.at[i]), String(i + 1), [sign, irLine(t)], added.has(i) && "add");
	});
}

const CONTEXT = 3; // lines around what changed

// fillChanges shows what a pass changed.
function fillChanges(c, b, pass) {
	c.clear();
	const a = behind(b, pass - 1);
	let next = 0;
	const put = (t, at, number, sign, cls) => c.add(keyAt(b, at), number, [el("span", { class: "m" }, sign), irLine(t)], cls);
	const keep = (from, to) => { for (let i = from; i < to; i++) put(a.text[i], a.at[i], String(i + 1), "", ""); };
	b.passes[pass].edits.forEach((e, n) => {
		const from = Math.max(next, e.from - CONTEXT);
		if (from > next) c.raw(el("div", { class: "skip" }, "⋯ " + many(from - next, "line") + " the same"));
		keep(from, e.from);
		for (let i = e.from; i < e.from + (e.lines || 0); i++) put(a.text[i], a.at[i], String(i + 1), "−", "del");
		(e.text || []).forEach((t, i) => put(t, e.at[i], "", "+", "add"));
		next = e.from + (e.lines || 0);
		const after = b.passes[pass].edits[n + 1];
		const to = Math.min(next + CONTEXT, after ? after.from : a.text.length);
		keep(next, to);
		next = to;
	});
	if (next < a.text.length) c.raw(el("div", { class: "skip" }, "⋯ " + many(a.text.length - next, "line") + " the same"));
}

// fillSPIRV shows a module. exact says that the IR which it is written from is shown, line by
// line.
function fillSPIRV(c, b, m, ir, exact) {
	c.clear();
	if (!m.text) return;
	const head = m.text.findIndex(t => / = OpFunction /.test(t));
	if (head > 0) c.fold("Declarations, " + many(head, "line"));
	c.exact = exact ? new Map() : null;
	m.text.forEach((t, i) => {
		if (i === head) c.end();
		const from = m.from[i];
		const key = from < 0 ? "" : keyAt(b, ir.at[from]);
		c.add(key, String(i + 1), irLine(t));
		c.from.push(from);
		if (from >= 0 && exact) { const l = c.exact.get(from); if (l) l.push(i); else c.exact.set(from, [i]); }
	});
}
