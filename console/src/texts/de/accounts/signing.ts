import type { Texts } from '../../translation.ts';

export const signing: Texts['signing'] = {
  title: 'Anmelden',
  name: 'E-Mail-Adresse oder Benutzername',
  password: 'Passwort',
  stays: 'Angemeldet bleiben',
  staysHint: 'Bis dieser Browser hier zwei Wochen nicht benutzt wurde.',
  submit: 'Anmelden',
  failed: 'Name oder Passwort ist falsch. Prüfen Sie beides und versuchen Sie es noch einmal.',
  tooMany: (seconds) =>
    `Zu viele Versuche. Warten Sie ${seconds === 1 ? '1 Sekunde' : `${seconds} Sekunden`} und versuchen Sie es noch einmal.`,
  expired: 'Ihre Sitzung ist abgelaufen. Melden Sie sich an, um fortzufahren.',
  passkey: 'Mit Passkey anmelden',
  noPasskey:
    'Kein Passkey benutzt: Die Anfrage wurde abgebrochen, oder auf diesem Gerät gibt es keinen für diesen Server.',
  codeTitle: 'Zweiter Schritt',
  codeLead: 'Geben Sie den Code aus Ihrer Authentifizierungs-App ein.',
  codeLeadPasskey: 'Bestätigen Sie mit Ihrem Passkey, oder geben Sie einen Wiederherstellungscode ein.',
  code: 'Code',
  codeHint: 'Sechs Ziffern, oder ein Wiederherstellungscode.',
  recoveryCode: 'Wiederherstellungscode',
  usePasskey: 'Passkey benutzen',
  wrongCode:
    'Dieser Code ist falsch oder wurde schon benutzt. Warten Sie auf den nächsten und versuchen Sie es noch einmal.',
  back: 'Zurück',
  passwordNotUsed: 'Ihr Konto wird über Ihren Anbieter angemeldet. Benutzen Sie die Schaltfläche unten.',
  openid: {
    failed: 'Die Anmeldung bei Ihrem Anbieter ist fehlgeschlagen. Versuchen Sie es noch einmal.',
    cancelled: 'Die Anmeldung bei Ihrem Anbieter wurde abgebrochen.',
    expired: 'Die Anmeldung bei Ihrem Anbieter hat zu lange gedauert. Versuchen Sie es noch einmal.',
    unreachable: 'Ihr Anbieter ist gerade nicht erreichbar. Versuchen Sie es später.',
    unverified: 'Ihr Anbieter hat Ihre E-Mail-Adresse nicht geprüft, deshalb gilt sie hier nicht zur Anmeldung.',
    domain:
      'Konten mit dieser E-Mail-Adresse dürfen sich hier nicht anmelden. Fragen Sie den Betreiber dieses Servers.',
    unknown: 'Hier gibt es kein Konto mit Ihrer E-Mail-Adresse. Bitten Sie einen Admin, eines anzulegen.',
    unconfirmed:
      'Es gibt ein Konto mit Ihrer E-Mail-Adresse, sie wurde aber nie bestätigt. Melden Sie sich mit Ihrem Passwort an und bestätigen Sie sie zuerst.',
  },
  setupTitle: 'Trackway einrichten',
  setupLead: 'Legen Sie das erste Konto an. Es ist ein Admin-Konto und kann alles sehen und ändern.',
  email: 'E-Mail-Adresse',
  newPassword: 'Passwort',
  newPasswordHint: 'Mindestens 8 Zeichen.',
  setupSubmit: 'Admin-Konto anlegen',
  needsSetup: 'Diesen Server einrichten',
  needsSetupText:
    'Dieser Server hat noch kein Konto. Öffnen Sie den Einrichtungslink, den er beim Start ausgegeben hat; er enthält /setup#. Haben Sie ihn nicht mehr, starten Sie den Server neu.',
  needsSetupDone: 'Ich habe den Link geöffnet',
  noToken:
    'Der Link ist unvollständig: Der Teil nach # fehlt. Öffnen Sie den ganzen Link, den der Server beim Start ausgegeben hat.',
};
