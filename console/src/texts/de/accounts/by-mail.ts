import type { Texts } from '../../translation.ts';

export const byMail: Texts['byMail'] = {
  forgot: 'Passwort vergessen?',
  forgotLead:
    'Geben Sie die E-Mail-Adresse Ihres Kontos ein. Sie erhalten einen Link, um ein neues Passwort zu wählen.',
  email: 'E-Mail-Adresse',
  forgotSubmit: 'Link senden',
  forgotSent: 'Sehen Sie in Ihre E-Mails',
  forgotSentText: (email) =>
    `Gehört ${email} zu einem Konto, ist ein Link unterwegs. Er gilt einmal und eine Stunde lang. Kommt nichts an, sehen Sie im Spam-Ordner nach oder fragen Sie einen Admin.`,
  toSignIn: 'Zur Anmeldung',

  reset: 'Neues Passwort wählen',
  resetLead: 'Sie werden überall abgemeldet, und alle Tokens Ihres Kontos werden widerrufen.',
  newPassword: 'Neues Passwort',
  newPasswordHint: 'Mindestens 8 Zeichen.',
  resetSubmit: 'Passwort setzen',
  resetDone: 'Ihr Passwort ist gesetzt',
  resetDoneText: 'Melden Sie sich mit Ihrem neuen Passwort an.',
  noToken: 'Der Link ist unvollständig: Der Teil nach # fehlt. Öffnen Sie den ganzen Link aus der E-Mail.',

  confirm: 'E-Mail-Adresse bestätigen',
  confirmLead: 'Bestätigen Sie, dass Sie die E-Mail an dieser Adresse erhalten haben.',
  confirmSubmit: 'Adresse bestätigen',
  confirmed: 'Adresse bestätigt',
  confirmedText: (email) => `${email} ist jetzt die Adresse Ihres Kontos.`,
  goOn: 'Zu Trackway',

  accept: 'Willkommen bei Trackway',
  acceptLead: 'Wählen Sie ein Passwort, um Ihr Konto anzulegen.',
  name: 'Ihr Name',
  acceptSubmit: 'Konto anlegen',

  answer: 'Dürfen wir Ihnen schreiben?',
  answerLead:
    'Jemand möchte, dass Trackway Ihnen Meldungen über ein Gerät sendet. Sie entscheiden, und mit demselben Link können Sie es sich anders überlegen.',
  allow: 'Ja, bitte senden',
  refuse: 'Nein, nie schreiben',
  allowed: 'Sie erhalten die Meldungen',
  allowedText: (email) => `Sie gehen an ${email}. Um sie zu beenden, öffnen Sie diesen Link noch einmal.`,
  refused: 'Sie erhalten keine E-Mails',
  refusedText: (email) => `Trackway schreibt ${email} nicht mehr, außer zu einem eigenen Konto.`,

  unconfirmed: (email) =>
    `${email} ist noch nicht bestätigt. Für diese Adresse freigegebene Geräte erscheinen nach der Bestätigung.`,
  waiting: (email) => `Öffnen Sie den Link in der E-Mail an ${email}, um Ihre Adresse zu ändern.`,
  sendAgain: 'Link erneut senden',
  sent: (email) => `Ein Link an ${email} ist unterwegs`,

  invite: 'Per E-Mail einladen',
  inviteText: 'Die Person erhält einen Link, der sieben Tage gilt, und wählt ihr Passwort selbst.',
  inviteSubmit: 'Einladung senden',
  invited: (email) => `Einladung an ${email} gesendet`,
  invitations: 'Offene Einladungen',
  fromShare: 'Für ein freigegebenes Gerät',
  expires: 'Läuft ab',
  expired: 'Abgelaufen',
  resend: 'Erneut senden',
  resendTo: (email) => `Erneut an ${email} senden`,
  revoke: (email) => `Einladung von ${email} widerrufen`,
  revokeTitle: (email) => `Einladung von ${email} widerrufen?`,
  revokeText: 'Der Link in der E-Mail gilt sofort nicht mehr.',
  revokeAction: 'Widerrufen',
  revoked: (email) => `Einladung von ${email} widerrufen`,
};
