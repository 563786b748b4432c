import type { Texts } from '../translation.ts';

export const historyImport: Texts['historyImport'] = {
  title: 'Verlauf importieren',
  device: 'Für Gerät',
  file: 'Datei',
  hint: 'GPX, KML, GeoJSON, CSV, Google-Zeitachse oder Records.json, oder OwnTracks .rec. Fahrten und Halte werden daraus berechnet. Niemand wird benachrichtigt.',
  only: 'Nur dieses Gerät',
  onlyHint: 'Wenn die Tabelle Positionen mehrerer Geräte hat: die ID, unter der das gewünschte darin steht.',
  start: 'Importieren',
  resume: 'Fortsetzen',
  stop: 'Anhalten',
  close: 'Schließen',
  progress: (sent) => `Gesendete Positionen: ${sent}`,
  done: (stored, known, refused) => `Positionen: ${stored} importiert, ${known} schon bekannt, ${refused} abgelehnt.`,
  interrupted: (name, sent) =>
    `Der Import von „${name}“ wurde unterbrochen. Gesendete Positionen: ${sent}. Wählen Sie dieselbe Datei noch einmal, dann geht er dort weiter.`,
  building: 'Fahrten und Halte werden berechnet. Sie können dieses Fenster schließen.',
  built: 'Fahrten und Halte sind berechnet.',
};
