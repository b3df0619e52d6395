"use strict";
// Hides the cases that the reader does not ask for. Without a script, all are there.
const form = document.querySelector(".filter");
const cases = [...document.querySelectorAll("article")];
const rows = new Map([...document.querySelectorAll("tr[data-case]")].map((r) => [r.dataset.case, r]));
function filter() {
  const words = form.text.value.toLowerCase().split(/\s+/);
  const which = form.which.value;
  let found = 0;
  for (const c of cases) {
    const right = which === "all" || (which === "passed") === (c.dataset.passed === "true");
    c.hidden = !right || !words.every((w) => c.dataset.find.includes(w));
    rows.get(c.id).hidden = c.hidden;
    if (!c.hidden) found++;
  }
  for (const p of document.querySelectorAll(".cases tbody")) {
    const own = [...p.querySelectorAll("tr[data-case]")];
    p.hidden = own.length > 0 && own.every((r) => r.hidden);
  }
  // Said aloud, so all of them are told of too.
  form.found.value = `${found} of ${cases.length} case${cases.length === 1 ? "" : "s"}`;
}
// A link to a case shows it, whatever the filter says.
function follow() {
  const c = document.getElementById(location.hash.slice(1));
  if (!c || !c.hidden) return;
  form.reset();
  filter();
  c.scrollIntoView();
}
form.addEventListener("input", filter);
form.addEventListener("submit", (e) => e.preventDefault());
addEventListener("hashchange", follow);
// Browsers fill the form in again when the reader comes back.
addEventListener("pageshow", () => { filter(); follow(); });
form.hidden = false;
filter();

// Only a box that scrolls is worth a stop of the Tab key.
const boxes = new ResizeObserver((seen) => {
  for (const { target } of seen) target.tabIndex = target.scrollWidth > target.clientWidth ? 0 : -1;
});
for (const box of document.querySelectorAll(".scroll, pre")) boxes.observe(box);

// On paper nothing can be opened.
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  for (const d of opened) d.open = true;
});
addEventListener("afterprint", () => { for (const d of opened) d.open = false; });
