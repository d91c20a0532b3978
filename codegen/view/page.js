"use strict";
// The page is made of elements and text nodes alone: nothing of a kernel is ever read as HTML.

const $ = id => document.getElementById(id);

// el makes an element; what has no nodeType becomes text, and null nothing.
function el(tag, attrs, ...inside) {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(attrs || {})) {
		if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
		else if (value === true) e.setAttribute(name, "");
		else if (value !== false && value != null) e.setAttribute(name, value);
	}
	e.append(...inside.flat(Infinity).filter(x => x != null && x !== false));
	return e;
}

const page = JSON.parse($("index").textContent);
const many = (n, what, more) => n + " " + (n === 1 ? what : more || what + "s");
const bytes = n => n < 1024 ? n + " B" : (n / 1024).toFixed(1) + " KB";
const nameOf = k => k.package + "." + k.name;

// unpack reads what stands compressed in a script.
async function unpack(id) {
	const raw = Uint8Array.from(atob($(id).textContent), c => c.charCodeAt(0));
	const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"));
	return JSON.parse(await new Response(stream).text());
}

let sources = null; // of all kernels, for the source column and searches
const state = { kernel: -1, body: null, module: 0, pass: -1, diff: false, facts: "", shown: [true, true, true], col: 0, query: "" };
const cols = [null, null, null]; // what is in the columns: see Column
let listed = []; // indexes of the kernels that the search leaves

// The list of kernels.

const tags = k => [k.failed && "failed", k.checks > 0 && "checks", k.wide > 0 && "64-bit", k.fused > 0 && "fused", k.spilled && "spilled"].filter(Boolean);

function matches(k, i, words) {
	const text = (nameOf(k) + " " + k.shape + " " + (k.doc || "")).toLowerCase();
	const has = tags(k);
	if (words.every(w => has.includes(w) || text.includes(w))) return { lines: 0 };
	const query = words.join(" ");
	if (!sources || query.length < 2) return null;
	let lines = 0;
	for (const n of sources.of[i]) for (const t of sources.excerpts[n].text) if (t.toLowerCase().includes(query)) lines++;
	return lines ? { lines } : null;
}

// commonRoot is how much the paths of all packages have in common, up to a slash.
function commonRoot() {
	let root = page.kernels.length ? page.kernels[0].package : "";
	for (const k of page.kernels) while (!k.package.startsWith(root)) root = root.slice(0, -1);
	return root.lastIndexOf("/") + 1;
}

function list() {
	const nav = $("list"), words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
	const found = page.kernels.map((k, i) => [i, matches(k, i, words)]).filter(f => f[1]);
	listed = found.map(f => f[0]);
	const out = [];
	if (page.problems && !words.length) {
		out.push(el("button", { "data-kernel": -2, onclick: () => problems() }, el("b", { class: "x" }, "Problems of packages"), el("small", { class: "x" }, String(page.problems.length))));
	}
	let last = "";
	const root = commonRoot();
	for (const [i, m] of found) {
		const k = page.kernels[i];
		if (k.package !== last) {
			last = k.package;
			out.push(el("h3", { title: last }, last.slice(root) || last));
		}
		out.push(el("button", { "data-kernel": i, title: k.failed ? "does not compile" : k.shape + "; " + many(k.checks, "check") + " left", onclick: () => open(i) },
			el("b", {}, k.name),
			m.lines ? el("small", {}, many(m.lines, "line")) : null,
			k.failed ? el("small", { class: "x" }, "failed") : k.checks ? el("small", { class: "w" }, many(k.checks, "check")) : null,
			k.failed ? null : el("small", {}, bytes(k.bytes))));
	}
	if (!found.length) out.push(el("p", { class: "quiet" }, page.kernels.length ? "No kernel matches." : "There are no kernels."));
	nav.replaceChildren(...out);
	current();
	if (words.length) say(many(found.length, "kernel") + " found");
}

function current() {
	for (const b of $("list").querySelectorAll("button")) {
		const is = +b.dataset.kernel === state.kernel;
		if (is) b.setAttribute("aria-current", "true"); else b.removeAttribute("aria-current");
		if (is) b.scrollIntoView({ block: "nearest" });
	}
}

function say(text) { $("said").textContent = text; }

// Choosing a kernel.

async function open(i) {
	if (i === undefined || !page.kernels[i]) return;
	drawer(false);
	state.kernel = i;
	current();
	const body = await unpack("body" + i);
	if (state.kernel !== i) return; // another one was chosen meanwhile
	if (body.modules) body.passes = body.passes || [];
	body.source = sources.of[i].map(n => sources.excerpts[n]);
	Object.assign(state, { body, module: 0, pass: (body.passes || []).length - 1, diff: false, chosen: false });
	pinned = null;
	marked = [];
	if (state.facts === "problems") state.facts = "";
	const k = page.kernels[i];
	document.title = k.name + " · kgen view";
	history.replaceState(null, "", "#" + encodeURIComponent(nameOf(k)));
	draw();
	say(k.name + (k.failed ? ", does not compile" : ", " + many(k.checks, "check") + " left"));
}

function step(by) {
	const at = listed.indexOf(state.kernel);
	if (listed.length) open(listed[at < 0 ? 0 : Math.min(listed.length - 1, Math.max(0, at + by))]);
}

// problems shows what is wrong with packages.
function problems() {
	drawer(false);
	Object.assign(state, { kernel: -2, body: null });
	current();
	$("main").replaceChildren(el("div", { class: "top" }, el("h2", {}, "Problems of packages")), el("section", { class: "facts" }, problemList(page.problems)));
}

const place = p => p && p.file ? p.file + ":" + p.line + ":" + p.col : "";

function at(p) {
	if (!place(p)) return null;
	if (!cols[0] || cols[0].find(p) < 0) return el("code", {}, place(p));
	return el("button", { class: "at", onclick: () => show(0, cols[0].find(p)) }, place(p));
}

function problemList(list) {
	return el("ul", {}, list.map(p => el("li", {}, at(p.pos), " ", el("b", { class: "x" }, p.code || "error"), " " + p.message,
		p.hint ? el("p", {}, "→ " + p.hint) : null,
		p.related ? el("ul", {}, p.related.map(r => el("li", {}, at(r.pos), " " + r.message))) : null)));
}

function draw() {
	const k = page.kernels[state.kernel], b = state.body;
	cols[0] = sourceColumn(b);
	cols[1] = cols[2] = null;
	const top = el("div", { class: "top" }, el("h2", {}, k.name), el("span", { class: "quiet" }, k.package + " · " + place(k.pos) + " · " + k.shape));
	const box = el("div", { class: "cols", id: "cols" });
	const chips = el("div", { class: "chips" });
	const facts = el("section", { class: "facts", id: "facts", tabindex: 0, hidden: true });
	$("main").replaceChildren(top, chips, facts, box);
	box.append(cols[0].root);
	if (!k.failed) {
		cols[1] = irColumn();
		cols[2] = spirvColumn();
		box.append(cols[1].root, cols[2].root);
		refill();
	} else state.facts = "problems";
	chips.append(...chipButtons(k, b), el("span", { class: "group", role: "group", "aria-label": "Columns" }, columnButtons()));
	showColumns();
	showFacts();
	const hit = cols[0].root.querySelector(".hit") || cols[0].lineAt(k.pos);
	if (hit) hit.scrollIntoView({ block: "center" });
}

// What the compiler found.

function chipButtons(k, b) {
	const chip = (id, text, warn) => el("button", { "data-facts": id, class: warn && "w", "aria-expanded": "false", "aria-controls": "facts",
		onclick: () => { state.facts = state.facts === id ? "" : id; showFacts(); } }, text);
	if (k.failed) return [chip("problems", many((b.problems || []).length, "problem"), true)];
	const variants = b.modules.length - 1;
	return [
		chip("checks", many(k.checks, "check") + " left", k.checks > 0),
		chip("integers", many(k.wide, "64-bit integer"), k.wide > 0),
		chip("fused", many(k.fused, "fused sum")),
		b.slices && chip("slices", many(b.slices.length, "slice")),
		b.matrices && chip("matrices", "matrices"),
		chip("args", b.args.spilled ? "arguments spilled" : "arguments " + bytes(b.args.bytes), b.args.spilled),
		chip("modules", bytes(k.bytes) + (variants ? ", " + many(variants, "variant") : "")),
		chip("passes", b.passes.length + " of " + many(b.passes.length + (b.idle || []).length, "pass", "passes")),
	].filter(Boolean);
}

function findings(list) {
	return el("ul", {}, list.map(f => el("li", {}, at(f.pos), " " + f.kind + ": ", el("code", {}, f.expr), f.times > 1 ? " (" + f.times + " times)" : null,
		f.why ? el("p", {}, f.why) : null, f.hint ? el("p", {}, "→ " + f.hint) : null)));
}

const sections = {
	problems: b => [problemList(b.problems || [])],
	checks: b => {
		const proved = b.checks.proved.reduce((n, p) => n + p.count, 0);
		return [el("p", {}, many(proved, "check") + " proved" + (proved ? ": " + b.checks.proved.map(p => p.by + " " + p.count).join(", ") : "") +
			". Counted after inlining: what stands in a function counts for each call."),
		b.checks.remain.length ? findings(b.checks.remain) : el("p", {}, "None is left to be made when the kernel runs.")];
	},
	integers: b => [el("p", {}, many(b.integers.narrowed, "computation") + " of 64-bit integers done in 32 bits."),
		b.integers.remain.length ? findings(b.integers.remain) : el("p", {}, "None needs 64 bits.")],
	fused: b => [el("p", {}, "Floating-point mode " + b.float + "."),
		b.fused && b.fused.length ? findings(b.fused) : el("p", {}, "No sum takes a product in.")],
	slices: b => [el("p", {}, "Which elements work-items use decides which launches of a graph can become one."),
		el("ul", {}, b.slices.map(s => el("li", {}, el("code", {}, s.name), ": " + s.use + " ", at(s.pos))))],
	matrices: b => [el("p", {}, "Devices with matrices of their own load and store these, or go through elements; others hold elements in each work-item."),
		el("ul", {}, b.matrices.map(m => el("li", {}, m.text + " ", m.pos.line ? at(m.pos) : null)))],
	args: b => [el("p", {}, b.args.spilled ? "The " + bytes(b.args.bytes) + " of arguments are more than push constants hold: work-items read them from device memory."
		: bytes(b.args.bytes) + " of arguments, in push constants."),
	el("ul", {}, (b.args.params || []).map(p => el("li", {}, el("code", {}, p))))],
	modules: b => [el("table", {}, el("tr", {}, ["module", "bytes", "does without"].map(t => el("th", {}, t))),
		b.modules.map(m => el("tr", {}, el("td", {}, (m.name || "first") + (m.late ? ", made when a device needs it" : "")), el("td", {}, String(m.bytes)), el("td", {}, (m.without || []).join(", "))))),
	b.aspects ? el("p", {}, "Devices must have: " + b.aspects.join("; ")) : null,
	(b.lacks || []).map(l => el("p", {}, "There is " + l))].flat(),
	passes: b => [el("table", {}, el("tr", {}, ["pass", "lines", "what it does"].map(t => el("th", {}, t))),
		b.passes.map((p, i) => el("tr", {}, el("td", {}, el("button", { class: "at", onclick: () => { state.diff = true; choose(0, i); } }, p.name)),
			el("td", {}, "+" + p.edits.reduce((n, e) => n + (e.text || []).length, 0) + " −" + p.edits.reduce((n, e) => n + (e.lines || 0), 0)), el("td", {}, p.doc)))),
	b.idle ? el("p", {}, "Without effect here: " + b.idle.join(", ") + ".") : null],
};

function showFacts() {
	const facts = $("facts");
	for (const c of document.querySelectorAll("[data-facts]")) c.setAttribute("aria-expanded", String(c.dataset.facts === state.facts));
	facts.hidden = !state.facts || !state.body || (state.body.problems ? state.facts !== "problems" : !sections[state.facts] || state.facts === "problems");
	if (!facts.hidden) facts.replaceChildren(...sections[state.facts](state.body).filter(Boolean));
}
