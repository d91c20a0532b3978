// The columns: Go, IR, SPIR-V.

const CHUNK = 100; // lines that the browser lays out at once

// Column is a list of lines. Each has a key, the line of Go that it is for, or "".
class Column {
	constructor(n, title, ...controls) {
		this.n = n;
		this.lines = []; // elements
		this.keys = [];
		this.byKey = new Map();
		this.from = []; // of SPIR-V: lines of the IR
		this.code = el("div", { class: "code", tabindex: 0, role: "group", "aria-label": title + ", lines; arrow keys move, Enter marks" });
		this.root = el("section", { class: "col", "aria-label": title }, el("div", { class: "bar" }, el("h3", {}, title), controls), this.code);
		this.code.addEventListener("mouseover", e => this.over(e));
		this.code.addEventListener("mouseleave", () => mark(pinned));
		this.code.addEventListener("click", e => this.click(e));
		this.code.addEventListener("focus", () => { state.col = n; });
		this.code.addEventListener("keydown", e => this.key(e));
	}
	clear() {
		this.lines = []; this.keys = []; this.byKey = new Map(); this.from = [];
		this.code.replaceChildren();
		this.chunk = null;
		this.cursor = -1;
	}
	// into makes what follows go to a new part of the column, such as one that is folded.
	into(parent) { this.parent = parent; this.chunk = null; }
	raw(e) { this.chunk = null; (this.parent || this.code).append(e); }
	add(key, number, inside, cls) {
		const i = this.lines.length;
		const e = el("div", { class: "l" + (key ? " k" : " o") + (cls ? " " + cls : ""), "data-i": i },
			el("span", { class: "n", "aria-hidden": "true" }, number), el("span", { class: "t" }, inside));
		this.lines.push(e);
		this.keys.push(key);
		if (key) { const l = this.byKey.get(key); if (l) l.push(i); else this.byKey.set(key, [i]); }
		if (!this.chunk || this.chunk.childElementCount >= CHUNK) (this.parent || this.code).append(this.chunk = el("div", { class: "chunk" }));
		this.chunk.append(e);
		return e;
	}
	// fold hides what is written next behind a button, until end is called.
	fold(title) {
		const box = el("div", { hidden: true });
		const b = el("button", { class: "fold", "aria-expanded": "false", onclick: e => { e.stopPropagation(); box.hidden = !box.hidden; b.setAttribute("aria-expanded", String(!box.hidden)); } }, title);
		this.raw(b);
		this.code.append(box);
		this.into(box);
	}
	end() { this.into(null); }
	line(e) { const l = e.target.closest(".l"); return l ? +l.dataset.i : -1; }
	over(e) {
		if (e.target.tagName === "I") this.same(e.target.textContent);
		const i = this.line(e);
		if (i >= 0) mark({ col: this.n, i });
	}
	// same outlines the value of a name wherever it stands.
	same(name) {
		for (const v of this.code.querySelectorAll("i.v")) v.classList.remove("v");
		for (const v of this.code.getElementsByTagName("i")) if (v.textContent === name) v.classList.add("v");
	}
	click(e) {
		if (e.target.closest("button")) return;
		const i = this.line(e);
		if (i >= 0 && !String(getSelection())) show(this.n, i);
	}
	key(e) {
		const to = { ArrowDown: this.cursor + 1, ArrowUp: this.cursor - 1, Home: 0, End: this.lines.length - 1, PageDown: this.cursor + 20, PageUp: this.cursor - 20 }[e.key];
		if (to !== undefined) {
			this.move(Math.max(0, Math.min(this.lines.length - 1, to)));
			mark({ col: this.n, i: this.cursor });
			if (this.cursor >= 0) say([...this.lines[this.cursor].childNodes].filter(n => !n.hidden).map(n => n.textContent).join(" "));
		} else if (e.key === "Enter" && this.cursor >= 0) show(this.n, this.cursor);
		else return;
		e.preventDefault();
		e.stopPropagation();
	}
	move(i) {
		if (this.lines[this.cursor]) this.lines[this.cursor].classList.remove("c");
		this.cursor = i;
		const l = this.lines[i];
		if (!l) return;
		const folded = l.closest("[hidden]");
		if (folded && folded !== this.root) { folded.hidden = false; folded.previousElementSibling.setAttribute("aria-expanded", "true"); }
		l.classList.add("c");
		l.scrollIntoView({ block: "nearest" });
	}
	find(p) { const l = p && this.byKey.get(p.file + ":" + p.line); return l ? l[0] : -1; }
	lineAt(p) { return this.lines[this.find(p)]; }
}

// Linking lines.

let pinned = null, marked = [];

// linked returns the lines of a column that belong to a line of one: those of the same line of
// Go, and, strongly, those that are made of that very line.
function linked(to, at) {
	const from = cols[at.col], c = cols[to];
	if (!c || !from) return { soft: [], hard: [] };
	const key = from.keys[at.i];
	const soft = key && c.byKey.get(key) || [];
	let hard = [];
	if (at.col === to) hard = [at.i];
	else if (at.col === 1 && to === 2 && c.exact) hard = c.exact.get(at.i) || [];
	else if (at.col === 2 && to === 1 && from.from[at.i] >= 0 && from.exact) hard = [from.from[at.i]];
	return { soft, hard };
}

function mark(at) {
	for (const l of marked) l.classList.remove("h", "s");
	marked = [];
	if (!at) return;
	for (let to = 0; to < 3; to++) {
		const { soft, hard } = linked(to, at);
		for (const [cls, is] of [["h", soft], ["s", hard]]) for (const i of is) {
			const l = cols[to].lines[i];
			if (l) { l.classList.add(cls); marked.push(l); }
		}
	}
}

// show keeps a line marked, and has the other columns scroll to what belongs to it.
function show(col, i) {
	unpin();
	pinned = { col, i };
	mark(pinned);
	const key = cols[col].keys[i];
	for (let to = 0; to < 3; to++) {
		if (!cols[to]) continue;
		const { soft, hard } = linked(to, pinned);
		const first = hard.length ? hard[0] : soft.find(n => !cols[to].lines[n].closest("[hidden]"));
		if (first !== undefined) {
			cols[to].move(first);
			if (to !== col || !visible(cols[to].lines[first])) cols[to].lines[first].scrollIntoView({ block: "center" });
		}
		for (const n of new Set([...soft, ...hard])) { cols[to].lines[n].classList.add("p"); }
	}
	const count = to => { const { soft, hard } = linked(to, pinned); return new Set([...soft, ...hard]).size; };
	say((key ? key + ": " : "") + count(1) + " lines of IR, " + count(2) + " of SPIR-V");
}

function visible(l) {
	const a = l.getBoundingClientRect(), b = l.closest(".code").getBoundingClientRect();
	return a.top >= b.top && a.bottom <= b.bottom;
}

function unpin() {
	for (const l of document.querySelectorAll(".l.p")) l.classList.remove("p");
	pinned = null;
	mark(null);
}

// Colors.

const goWords = new Set("break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var".split(" "));
const goToken = /\/\/[^\n]*|\/\*[^]*?\*\/|`[^`]*`|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[A-Za-z_]\w*/g;
const irToken = /[%$][\w.?]+|\bb\d+\b|"(?:[^"\\]|\\.)*"|(?<=^\t(?:[%\w]+ = )?)[A-Z]\w*|\bOp[A-Z]\w*/g;

function goClass(t) {
	if (t.startsWith("//") || t.startsWith("/*")) return "cm";
	if (/^["'`]/.test(t)) return "st";
	return goWords.has(t) ? "kw" : "";
}

// goLines colors an excerpt and returns what each of its lines consists of.
function goLines(text) {
	const out = [[]];
	const put = (s, cls) => s.split("\n").forEach((part, n) => {
		if (n) out.push([]);
		if (part) out[out.length - 1].push(cls ? el("span", { class: cls }, part) : part);
	});
	let last = 0;
	for (const m of text.matchAll(goToken)) {
		const cls = goClass(m[0]);
		if (!cls) continue;
		put(text.slice(last, m.index), "");
		put(m[0], cls);
		last = m.index + m[0].length;
	}
	put(text.slice(last), "");
	return out;
}

function irLine(text) {
	const out = [];
	let last = 0;
	for (const m of text.matchAll(irToken)) {
		const t = m[0];
		out.push(text.slice(last, m.index), /^[%$b]/.test(t) ? el("i", {}, t) : el("span", { class: t[0] === '"' ? "st" : "op" }, t));
		last = m.index + t.length;
	}
	out.push(text.slice(last));
	return out;
}

// The source.

function sourceColumn(b) {
	const c = new Column(0, "Go"), k = page.kernels[state.kernel];
	const has = new Set((b.places || []).map(p => b.files[p[0]] + ":" + p[1]));
	const notes = new Map();
	const note = (pos, text, cls, lines) => {
		if (!place(pos)) return;
		const key = pos.file + ":" + pos.line;
		if (!notes.has(key)) notes.set(key, []);
		notes.get(key).push({ text, cls, lines });
	};
	const words = f => [f.kind + ": " + f.expr + (f.times > 1 ? " (" + f.times + " times)" : ""), f.why, f.hint && "→ " + f.hint].filter(Boolean);
	for (const p of b.problems || []) note(p.pos, p.code || "error", "x", [p.message, p.hint && "→ " + p.hint].filter(Boolean));
	for (const f of b.checks ? b.checks.remain : []) note(f.pos, "check", "w", words(f));
	for (const f of b.integers ? b.integers.remain : []) note(f.pos, "64-bit", "", words(f));
	for (const f of b.fused || []) note(f.pos, "fused", "", words(f));
	const query = state.query.toLowerCase().trim();
	let file = "";
	for (const x of b.source || []) {
		if (x.file !== file) c.raw(el("div", { class: "file" }, file = x.file));
		else c.raw(el("div", { class: "skip" }, "⋯"));
		goLines(x.text.join("\n")).forEach((inside, n) => {
			const key = x.file + ":" + (x.line + n);
			const hit = query.length > 1 && x.text[n].toLowerCase().includes(query);
			const e = c.add(key, String(x.line + n), inside, hit && "hit");
			if (!has.has(key)) e.classList.replace("k", "o");
			addNotes(e, notes.get(key));
		});
	}
	if (!b.source || !b.source.length) c.raw(el("p", { class: "skip" }, "The source of " + k.name + " cannot be read."));
	return c;
}

// addNotes ends a line with what was found there, equal kinds as one; each opens what there is
// to say of it.
function addNotes(line, list) {
	const kinds = new Map();
	for (const n of list || []) {
		if (!kinds.has(n.text)) kinds.set(n.text, []);
		kinds.get(n.text).push(n);
	}
	for (const [text, ns] of kinds) {
		const why = el("div", { class: "why", hidden: true }, ns.map(n => n.lines.map((t, i) => el("p", {}, i ? t : el("b", {}, t)))));
		const b = el("button", { class: "note " + ns[0].cls, "aria-expanded": "false", onclick: () => { why.hidden = !why.hidden; b.setAttribute("aria-expanded", String(!why.hidden)); } },
			ns.length > 1 ? text + " ×" + ns.length : text);
		line.append(b);
		if (ns[0].cls === "x") { why.hidden = false; b.setAttribute("aria-expanded", "true"); }
		line.append(why);
	}
}
