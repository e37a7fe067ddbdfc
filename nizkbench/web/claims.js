// The table of claims shows those of an outcome, a source and some words alone.
"use strict";

(() => {
  const rows = [...document.querySelectorAll("#claims tbody tr")];
  const outcome = document.getElementById("claims-outcome");
  const source = document.getElementById("claims-source");
  const find = document.getElementById("claims-find");
  const count = document.getElementById("claims-count");

  function show() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !(
        (outcome.value === "" || row.dataset.outcomes.split("|").includes(outcome.value)) &&
        (source.value === "" || row.dataset.source === source.value) &&
        words.every((word) => text.includes(word))
      );
    }
    count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} claims`;
  }

  for (const control of [outcome, source]) control.addEventListener("change", show);
  find.addEventListener("input", show);
  show();
})();
