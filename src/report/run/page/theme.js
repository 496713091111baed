// Light or dark: as the system says until the reader chooses; always light on paper.
const systemDark = matchMedia("(prefers-color-scheme: dark)");
let chosenTheme = null;

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  byId("theme").textContent = dark ? "Light" : "Dark";
  byId("theme").setAttribute("aria-pressed", String(dark));
}

const wantsDark = () => chosenTheme ?? systemDark.matches;
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

function watchTheme(redraw) {
  setTheme(wantsDark());
  const change = () => { setTheme(wantsDark()); redraw(); };
  systemDark.addEventListener("change", change);
  byId("theme").addEventListener("click", () => { chosenTheme = !wantsDark(); change(); });
  addEventListener("beforeprint", () => { setTheme(false); redraw(); });
  addEventListener("afterprint", change);
}

// Colours that people with any colour vision can tell apart (Okabe and Ito 2008), for statuses in stacks.
const statusColours = {
  correct: "#009e73", incorrect: "#d55e00", compile_error: "#e69f00", runtime_error: "#cc79a7", timeout: "#56b4e9",
  forbidden: "#0072b2", no_code: "#999999", no_custom_kernel: "#f0e442",
};
