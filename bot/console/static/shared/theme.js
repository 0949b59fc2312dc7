/* Sets the theme before the first paint. A classic script: a module would come too late. */
(() => {
  const KEY = "theme";
  const system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => localStorage.getItem(KEY);
  const settle = () => {
    document.documentElement.dataset.theme = chosen() || (system.matches ? "dark" : "light");
  };
  system.addEventListener("change", settle);
  window.appearance = {
    /** "light" or "dark", as shown now. */
    get theme() {
      return document.documentElement.dataset.theme;
    },
    /** Shows the other theme and remembers it in this browser. */
    toggle() {
      localStorage.setItem(KEY, this.theme === "dark" ? "light" : "dark");
      settle();
    },
  };
  settle();
})();
