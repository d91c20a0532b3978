// Keys, buttons, the theme, and the beginning.

const colNames = ["Go", "IR", "SPIR-V"];
const narrow = matchMedia("(max-width: 900px)");

function columnButtons() {
	return colNames.map((name, i) => el("button", { "data-col": i, title: "Column " + name + " ( " + (i + 1) + " )", disabled: !cols[i], onclick: () => {
		if (narrow.matches) state.col = i;
		else if (!state.shown[i] || state.shown.filter(Boolean).length > 1) state.shown[i] = !state.shown[i];
		showColumns();
	} }, name));
}

// showColumns hides columns: on a narrow window all but one.
function showColumns() {
	if (!cols[state.col]) state.col = 0;
	cols.forEach((c, i) => { if (c) c.root.hidden = narrow.matches ? i !== state.col : !state.shown[i]; });
	for (const b of document.querySelectorAll("[data-col]")) {
		const c = cols[+b.dataset.col];
		b.setAttribute("aria-pressed", String(!!c && !c.root.hidden));
	}
	if (narrow.matches && pinned && cols[state.col]) {
		const { soft, hard } = linked(state.col, pinned), first = hard.length ? hard[0] : soft[0];
		if (first !== undefined) cols[state.col].lines[first].scrollIntoView({ block: "center" });
	}
}

function goTo(i) {
	if (!cols[i]) return;
	state.col = i;
	state.shown[i] = true;
	showColumns();
	cols[i].code.focus();
}

// drawer opens and closes the list on a narrow window.
function drawer(open) {
	$("list").classList.toggle("open", open);
	$("menu").setAttribute("aria-expanded", String(open));
	if (open) { const b = $("list").querySelector("[aria-current]") || $("list").querySelector("button"); if (b) b.focus(); }
}

const themes = ["auto", "light", "dark"];
const dark = matchMedia("(prefers-color-scheme: dark)");
let theme = "auto";
try { theme = localStorage.getItem("kgen-view-theme") || theme; } catch { /* as the system has it */ }

function setTheme(t) {
	theme = themes.includes(t) ? t : "auto";
	document.documentElement.dataset.theme = theme === "auto" ? (dark.matches ? "dark" : "light") : theme;
	$("theme").textContent = { auto: "◐ Auto", light: "☀ Light", dark: "☾ Dark" }[theme];
	$("theme").setAttribute("aria-label", "Theme: " + theme + ". Change ( t )");
	try { localStorage.setItem("kgen-view-theme", theme); } catch { /* it lasts as long as the page */ }
}

const nextTheme = () => { setTheme(themes[(themes.indexOf(theme) + 1) % themes.length]); say("Theme: " + theme); };
const showHelp = () => { if (!$("keys").open) $("keys").showModal(); };

const keys = {
	j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
	"[": () => move(-1), "]": () => move(1), d: changes, t: nextTheme, "?": showHelp,
	"/": () => { $("search").focus(); $("search").select(); },
	1: () => goTo(0), 2: () => goTo(1), 3: () => goTo(2), Escape: () => { unpin(); drawer(false); },
};

function onKey(e) {
	if (e.ctrlKey || e.metaKey || e.altKey || $("keys").open) return;
	if (e.target === $("search")) {
		if (e.key === "Escape") { $("search").value = ""; find(); e.target.blur(); }
		else if (e.key === "Enter") { find(); if (listed.length) open(listed[0]); }
		else if (e.key === "ArrowDown") { const b = $("list").querySelector("button"); if (b) { if (narrow.matches) drawer(true); b.focus(); } }
		else return;
	} else if (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) || !keys[e.key]) return;
	else if (e.key.startsWith("Arrow") && e.target.closest("#facts")) return; // it scrolls
	else keys[e.key]();
	e.preventDefault();
}

function find() {
	if (state.query === $("search").value.trim()) return;
	state.query = $("search").value.trim();
	list();
	if (narrow.matches && state.query) $("list").classList.add("open");
}

async function begin() {
	setTheme(theme);
	dark.addEventListener("change", () => setTheme(theme));
	narrow.addEventListener("change", showColumns);
	$("title").textContent = page.title;
	$("menu").addEventListener("click", () => drawer(!$("list").classList.contains("open")));
	$("theme").addEventListener("click", nextTheme);
	$("help").addEventListener("click", showHelp);
	$("close").addEventListener("click", () => $("keys").close());
	let soon;
	$("search").addEventListener("input", () => { clearTimeout(soon); soon = setTimeout(find, 120); });
	document.addEventListener("keydown", onKey);
	addEventListener("hashchange", () => open(named()));
	list();
	if (!window.DecompressionStream) {
		$("main").replaceChildren(el("p", { class: "x" }, "This browser is too old to show kernels: it has no DecompressionStream. Firefox has it from 113 on, Chrome from 111, Safari from 16.4."));
		return;
	}
	sources = await unpack("sources");
	if (page.problems) problems();
	const first = named();
	if (first >= 0 || !page.problems && page.kernels.length) await open(Math.max(0, first));
	document.documentElement.dataset.ready = "yes";
}

// named is the kernel that the address names, or -1.
function named() {
	let name = "";
	try { name = decodeURIComponent(location.hash.slice(1)); } catch { /* it names none */ }
	return page.kernels.findIndex(k => nameOf(k) === name);
}

begin();
