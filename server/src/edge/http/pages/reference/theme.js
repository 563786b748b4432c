// Runs before the page is drawn, so that it appears in its theme at once.
(() => {
  const root = document.documentElement;
  root.classList.add('js');
  try {
    // The console keeps the choice there, too.
    const { theme } = JSON.parse(localStorage.getItem('trackway.preferences') ?? '{}');
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  } catch {
    // A browser that keeps nothing follows the system.
  }
})();
