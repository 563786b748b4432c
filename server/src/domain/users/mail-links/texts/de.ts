import type { AccountTexts } from './account-texts.ts';

export const de: AccountTexts = {
  quotes: ['„', '“'],
  notYou: 'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail: Es ändert sich nichts.',
  notExpected: 'Wenn Sie damit nichts anfangen können, ignorieren Sie diese E-Mail.',
  twoDays: 'Der Link gilt einmal und zwei Tage lang.',
  sevenDays: 'Der Link gilt einmal und sieben Tage lang.',
  confirm: {
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    line: 'Diese Adresse wurde für ein Konto bei Trackway angegeben. Bestätigen Sie, dass es Ihre ist.',
    link: 'Adresse bestätigen',
  },
  changed: {
    subject: 'Ihre E-Mail-Adresse wird geändert',
    line: (newEmail) =>
      `Jemand, der Ihr Passwort kennt, möchte die E-Mail-Adresse Ihres Trackway-Kontos in ${newEmail} ändern. Sie ändert sich, sobald die neue Adresse bestätigt ist.`,
    notYou: 'Wenn Sie das nicht waren, ändern Sie jetzt Ihr Passwort und wenden Sie sich an einen Admin.',
  },
  reset: {
    subject: 'Wählen Sie ein neues Passwort',
    line: 'Für Ihr Trackway-Konto wurde ein neues Passwort angefordert.',
    link: 'Neues Passwort wählen',
    after: 'Der Link gilt einmal und eine Stunde lang. Alle Sitzungen und Tokens des Kontos enden damit.',
  },
  passwordChanged: {
    subject: 'Ihr Passwort wurde geändert',
    line: 'Das Passwort Ihres Trackway-Kontos wurde über einen Link in einer E-Mail an diese Adresse geändert. Alle Sitzungen und Tokens sind beendet.',
    notYou: 'Wenn Sie das nicht waren, wenden Sie sich an einen Admin.',
  },
  factorReset: {
    subject: 'Ihr zweiter Faktor wurde entfernt',
    line: 'Ein Admin hat die Authentifizierungs-App, die Passkeys und die Wiederherstellungscodes Ihres Trackway-Kontos entfernt. Alle Sitzungen und Tokens sind beendet.',
    next: 'Melden Sie sich an und richten Sie wieder einen zweiten Faktor ein. Wenn Sie nicht darum gebeten haben, ändern Sie Ihr Passwort und informieren Sie einen Admin.',
  },
  invitation: {
    subject: 'Einladung zu Trackway',
    line: (from) =>
      `${from ?? 'Ein Admin'} lädt Sie zu einem Konto bei Trackway ein. Wählen Sie ein Passwort, um zu beginnen.`,
    link: 'Einladung annehmen',
  },
  shared: {
    subject: {
      device: 'Ein Gerät wurde für Sie freigegeben',
      list: 'Eine Geofence-Liste wurde für Sie freigegeben',
      group: 'Eine Gerätegruppe wurde für Sie freigegeben',
    },
    line: {
      device: (from, name) => `${from} hat bei Trackway das Gerät ${name} für Sie freigegeben.`,
      list: (from, name) => `${from} hat bei Trackway die Geofence-Liste ${name} für Sie freigegeben.`,
      group: (from, name) => `${from} hat bei Trackway die Gerätegruppe ${name} für Sie freigegeben.`,
    },
    rights: {
      device: { view: 'Sie können es ansehen.', manage: 'Sie können es verwalten.' },
      group: { view: 'Sie können ihre Geräte ansehen.', manage: 'Sie können ihre Geräte verwalten.' },
    },
    open: 'Trackway öffnen',
    leave: {
      device: 'Melden Sie sich mit dieser Adresse an. Sie können das Gerät auf seiner Seite jederzeit verlassen.',
      list: 'Melden Sie sich mit dieser Adresse an. Sie können die Liste jederzeit verlassen.',
      group: 'Melden Sie sich mit dieser Adresse an. Sie können die Gruppe jederzeit verlassen.',
    },
    join: 'Passwort wählen und ansehen',
    wait: 'Sie sehen es, sobald ein Admin des Servers ein Konto mit dieser Adresse für Sie angelegt hat.',
  },
  recipient: {
    subject: 'Darf Trackway Ihnen Meldungen senden?',
    line: (from) =>
      `${from} möchte Meldungen über ein geortetes Gerät an diese Adresse senden. Sie erhalten nichts weiter, solange Sie nicht zustimmen.`,
    link: 'Zustimmen oder für immer ablehnen',
    after: 'Mit demselben Link können Sie Ihre Meinung später ändern.',
  },
};
