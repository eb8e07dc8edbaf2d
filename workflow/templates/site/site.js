/* What pages do beyond being read: theme, sorting, filtering, plots that answer. Nothing here is needed to read them. */
(() => {
  "use strict";
  const KEY = "ngcc-perf-theme";
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");

  const stored = () => { try { return localStorage.getItem(KEY); } catch { return null; } };
  const keep = (theme) => { try { localStorage.setItem(KEY, theme); } catch { /* the page is left as it is */ } };
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);

  if (stored()) root.dataset.theme = stored(); // before anything is painted

  function switchThemes() {
    const button = document.getElementById("theme_switch");
    const label = () => { button.textContent = isDark() ? button.dataset.light : button.dataset.dark; };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      keep(root.dataset.theme);
      label();
    });
    system.addEventListener("change", label);
    button.hidden = false;
    label();
  }

  // The other language's page, at the same place.
  function keepPlace() {
    for (const link of document.querySelectorAll("a[data-language]")) {
      link.addEventListener("click", () => { link.hash = location.hash; });
    }
  }

  const natural = new Intl.Collator("en", { numeric: true }).compare;

  function compareRows(column, kind, sign) {
    return (one, other) => {
      const [a, b] = [one.cells[column], other.cells[column]];
      if (kind === "text") return sign * natural(a.textContent, b.textContent);
      const [x, y] = [a.dataset.value, b.dataset.value];
      if (x === undefined || y === undefined) return (x === undefined) - (y === undefined); // without a figure: last
      return sign * (x - y);
    };
  }

  function sortable(table) {
    const headers = [...table.tHead.rows[0].cells];
    const rows = [...table.tBodies[0].rows];
    headers.forEach((header, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => {
        const up = header.getAttribute("aria-sort") !== "ascending";
        headers.forEach((each) => each.removeAttribute("aria-sort"));
        header.setAttribute("aria-sort", up ? "ascending" : "descending");
        rows.sort(compareRows(column, header.dataset.sort, up ? 1 : -1));
        table.tBodies[0].append(...rows);
      });
    });
  }

  function fits(row, asked) {
    const words = asked.text.toLowerCase().split(/\s+/).filter(Boolean);
    const text = row.textContent.toLowerCase();
    const same = ["candidate", "bits", "kat"].every((key) => !asked[key] || row.dataset[key] === asked[key]);
    const marks = !asked.marks || (asked.marks === "any") === Boolean(row.dataset.marks);
    return same && marks && words.every((word) => text.includes(word));
  }

  function filterable(form, table) {
    const rows = [...table.tBodies[0].rows];
    const output = form.querySelector("output");
    const apply = () => {
      const asked = Object.fromEntries(new FormData(form));
      for (const row of rows) row.hidden = !fits(row, asked);
      const shown = rows.filter((row) => !row.hidden).length;
      output.textContent = output.dataset.text.replace("{shown}", shown).replace("{all}", rows.length);
    };
    form.addEventListener("input", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    apply();
  }

  // Boxes that scroll say so, and only they are stops for the keyboard.
  function scrollable(boxes) {
    const { hint } = document.getElementById("main_content").dataset;
    const sized = new ResizeObserver((entries) => {
      for (const { target } of entries) {
        const place = target.querySelector(":not(#instances) > caption:not(.hidden) span") ?? target;
        if (target.scrollWidth > target.clientWidth) {
          target.tabIndex = 0;
          place.dataset.hint = hint;
        } else {
          target.removeAttribute("tabindex");
          delete place.dataset.hint;
        }
      }
    });
    boxes.forEach((box) => sized.observe(box));
  }

  // The picture makes way for a plot that one can point at; its script is large, so that plots are made as they are seen.
  async function draw(figure) {
    const place = figure.querySelector(".drawing");
    const specification = JSON.parse(figure.querySelector(".specification").textContent);
    if (place.clientWidth < 560) Object.assign(specification.config.legend, { columns: 2, labelLimit: 120 });
    if (specification.layer) {
      specification.width = "container";
      specification.autosize = { type: "fit-x", contains: "padding" };
    } else { // rows of plots, and bars of a given height, can't be told to fill a width
      specification.width = place.clientWidth - (specification.encoding.row ? 60 : 170);
    }
    const drawn = document.createElement("div");
    drawn.className = "drawn";
    drawn.ariaHidden = "true"; // the place says what the plot is
    place.append(drawn);
    try {
      await window.vegaEmbed(drawn, specification, { renderer: "svg", actions: false, tooltip: { theme: "custom" } });
      place.querySelector("img").hidden = true;
    } catch (error) {
      drawn.remove();
      console.error(error);
    }
  }

  function pointable(figures) {
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries.filter((each) => each.isIntersecting)) {
        seen.unobserve(entry.target);
        draw(entry.target);
      }
    }, { rootMargin: "400px" });
    figures.forEach((figure) => seen.observe(figure));
  }

  document.addEventListener("DOMContentLoaded", () => {
    switchThemes();
    keepPlace();
    const table = document.getElementById("instances");
    if (table) {
      sortable(table);
      filterable(document.getElementById("filters"), table);
    }
    scrollable(document.querySelectorAll(".wide"));
    if (window.vegaEmbed) pointable(document.querySelectorAll("figure.plot"));
  });
})();
