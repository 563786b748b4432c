import type { Texts } from '../../translation.ts';

export const personalData: Texts['personalData'] = {
  title: 'Daten',
  lead: {
    device: 'Alles über das Gerät als ein Archiv, oder endgültig gelöscht.',
    user: 'Alles über Sie und Ihre Geräte als ein Archiv, oder Ihr Konto endgültig gelöscht.',
  },
  export: 'Alles exportieren',
  erase: { device: 'Gerät endgültig löschen', user: 'Mein Konto endgültig löschen' },
  eraseTitle: (name) => `${name} endgültig löschen?`,
  forGood: 'Das lässt sich nicht rückgängig machen, auch nicht von einem Administrator.',
  lost: {
    device: [
      'Alle Positionen, Fahrten, Stopps und Messwerte',
      'Alle Benachrichtigungen, Auslöser und Weiterleitungen',
      'Nachrichten, Einstellungen und der Schlüssel des Geräts',
      'Freigaben: niemand sieht das Gerät mehr',
    ],
    user: [
      'Ihr Konto, Sitzungen, Token und Passkeys',
      'Alle Ihre Geräte mit Positionen, Fahrten und Messwerten',
      'Ihre Geofences, Gruppen, Regeln, Berichte und Benachrichtigungen',
      'Was Sie mit anderen geteilt haben',
    ],
  },
  stays:
    'Das Protokoll bleibt, ebenso früher gemachte Sicherungen und Archive: der signierte Nachweis, den Sie erhalten, nennt sie. Exportieren Sie vorher, was Sie behalten wollen.',
  confirm: (name) => `Zur Bestätigung „${name}“ eingeben`,
  password: 'Ihr Passwort',
  erased: 'Gelöscht. Der signierte Nachweis wurde als Datei gespeichert.',
};
