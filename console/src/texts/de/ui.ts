import type { Texts } from '../translation.ts';

export const ui: Texts['ui'] = {
  close: 'Schließen',
  cancel: 'Abbrechen',
  save: 'Speichern',
  delete: 'Löschen',
  dismiss: 'Ausblenden',
  clear: 'Leeren',
  copy: 'Kopieren',
  copied: 'Kopiert',
  loading: 'Lädt',
  retry: 'Erneut versuchen',
  failed: 'Laden fehlgeschlagen',
  unreachable: 'Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
  tooSlow: 'Der Server hat zu lange gebraucht. Versuchen Sie es gleich noch einmal.',
  unknownProblem:
    'Etwas ist schiefgegangen. Versuchen Sie es noch einmal. Hilft das nicht, sehen Sie im Serverprotokoll nach.',
  pages: 'Seiten',
  page: (number) => `Seite ${number}`,
  previous: 'Vorherige Seite',
  next: 'Nächste Seite',
};
