"use strict";
// Hides the cases that the reader does not ask for. Without a script, all are there.
const form = document.querySelector(".filter");
const cases = [...document.querySelectorAll("article")];
function filter() {
  const words = form.text.value.toLowerCase().split(/\s+/);
  const which = form.which.value;
  let found = 0;
  for (const c of cases) {
    const right = which === "all" || (which === "passed") === (c.dataset.passed === "true");
    c.hidden = !right || !words.every((w) => c.dataset.find.includes(w));
    document.querySelector(`tr[data-case="${c.id}"]`).hidden = c.hidden;
    if (!c.hidden) found++;
  }
  for (const p of document.querySelectorAll(".cases tbody")) {
    const rows = [...p.querySelectorAll("tr[data-case]")];
    p.hidden = rows.length > 0 && rows.every((r) => r.hidden);
  }
  form.found.value = found === cases.length ? "" : `${found} of ${cases.length} cases`;
}
form.addEventListener("input", filter);
form.addEventListener("submit", (e) => e.preventDefault());
form.hidden = false;
filter();
