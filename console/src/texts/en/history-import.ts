export const historyImport = {
  title: 'Import history',
  device: 'Into device',
  file: 'File',
  hint: 'GPX, KML, GeoJSON, CSV, Google Timeline or Records.json, or OwnTracks .rec. Trips and stops are built from it. Nobody is notified.',
  only: 'Only this device',
  onlyHint: 'If the table has positions of several devices: the id in it of the one to import.',
  start: 'Import',
  resume: 'Resume',
  stop: 'Stop',
  close: 'Close',
  progress: (sent: string) => `${sent} positions sent`,
  done: (stored: string, known: string, refused: string) =>
    `${stored} positions were imported, ${known} were known before, ${refused} were refused.`,
  interrupted: (name: string, sent: string) =>
    `The import of “${name}” was interrupted after ${sent} positions. Choose the same file again, and it goes on there.`,
  building: 'Trips and stops are being built. You can close this window.',
  built: 'Trips and stops are built.',
};
