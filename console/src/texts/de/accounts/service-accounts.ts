import type { Texts } from '../../translation.ts';

export const serviceAccounts: Texts['serviceAccounts'] = {
  service: 'Dienst',
  add: 'Dienstkonto hinzufügen',
  newTitle: 'Dienstkonto hinzufügen',
  lead: 'Ein Konto für ein Programm. Es kann sich nicht anmelden und erhält keine E-Mails; es nutzt die API mit Tokens, die Sie dafür erzeugen.',
  name: 'Name',
  nameHint: 'Benennt das Programm: „Backup-Skript“, „Home Assistant“.',
  isAdmin: 'Admin',
  isAdminHint: 'Seine Tokens können für alle Benutzer alles sehen und ändern.',
  create: 'Dienstkonto hinzufügen',
  created: (name) => `${name} wurde hinzugefügt. Erzeugen Sie ein Token dafür.`,
  editTitle: 'Dienstkonto bearbeiten',
  tokens: 'Tokens',
  noTokens: 'Noch keine Tokens. Ohne Token kann dieses Konto nichts tun.',
  addToken: 'Neues Token',
  sharing: 'Um ein Gerät für dieses Konto freizugeben, geben Sie es für die Adresse oben frei.',
  resetFactor: 'Zweiten Faktor entfernen',
  resetTitle: (name) => `Zweiten Faktor von ${name} entfernen?`,
  resetText:
    'Für jemanden, der Telefon und Wiederherstellungscodes verloren hat. Authentifizierungs-App und Passkeys werden entfernt, und die Person wird überall abgemeldet. Vergewissern Sie sich, dass wirklich sie darum bittet.',
  resetDone: 'Zweiter Faktor entfernt',
};
