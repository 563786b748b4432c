/** The command palette, and the keys that work on every page. */
export const palette = {
  title: 'Go to',
  search: 'Search pages and devices',
  results: 'Results',
  devices: 'Devices',
  pages: 'Pages',
  none: 'Nothing found',
  unnamed: (id: number) => `Device ${id}`,
  keys: 'Keyboard shortcuts',
  keysLead: 'These keys work on every page while you are not typing in a field.',
  afterwards: 'then',
  open: 'Search pages and devices',
  help: 'Show keyboard shortcuts',
  close: 'Close a window',
  goTo: (page: string) => `Go to ${page}`,
};
