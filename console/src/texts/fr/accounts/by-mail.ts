import type { Texts } from '../../translation.ts';

export const byMail: Texts['byMail'] = {
  forgot: 'Mot de passe oublié ?',
  forgotLead: 'Saisissez l’adresse e-mail de votre compte. Vous recevrez un lien pour choisir un nouveau mot de passe.',
  email: 'Adresse e-mail',
  forgotSubmit: 'Envoyer le lien',
  forgotSent: 'Consultez vos e-mails',
  forgotSentText: (email) =>
    `Si ${email} appartient à un compte, un lien est en route. Il fonctionne une fois, pendant une heure. Si rien n’arrive, regardez dans les indésirables ou demandez à un administrateur.`,
  toSignIn: 'Aller à la connexion',

  reset: 'Choisir un nouveau mot de passe',
  resetLead: 'Vous serez déconnecté partout, et tous les jetons de votre compte seront révoqués.',
  newPassword: 'Nouveau mot de passe',
  newPasswordHint: 'Au moins 8 caractères.',
  resetSubmit: 'Définir le mot de passe',
  resetDone: 'Votre mot de passe est défini',
  resetDoneText: 'Connectez-vous avec votre nouveau mot de passe.',
  noToken: 'Le lien est incomplet : la partie après # manque. Ouvrez le lien entier de l’e-mail.',

  confirm: 'Confirmer votre adresse e-mail',
  confirmLead: 'Confirmez que vous avez reçu l’e-mail à cette adresse.',
  confirmSubmit: 'Confirmer l’adresse',
  confirmed: 'Adresse confirmée',
  confirmedText: (email) => `${email} est maintenant l’adresse de votre compte.`,
  goOn: 'Aller à Trackway',

  accept: 'Bienvenue sur Trackway',
  acceptLead: 'Choisissez un mot de passe pour créer votre compte.',
  name: 'Votre nom',
  acceptSubmit: 'Créer le compte',

  answer: 'Pouvons-nous vous écrire ?',
  answerLead:
    'Quelqu’un souhaite que Trackway vous envoie des notifications sur un appareil. Vous décidez, et le même lien permet de changer d’avis.',
  allow: 'Oui, les envoyer',
  refuse: 'Non, ne jamais m’écrire',
  allowed: 'Vous recevrez les notifications',
  allowedText: (email) => `Elles seront envoyées à ${email}. Pour les arrêter, ouvrez à nouveau ce lien.`,
  refused: 'Vous ne recevrez pas d’e-mails',
  refusedText: (email) => `Trackway n’écrira plus à ${email}, sauf au sujet d’un compte à vous.`,

  unconfirmed: (email) =>
    `${email} n’est pas encore confirmée. Les appareils partagés avec cette adresse apparaîtront ensuite.`,
  waiting: (email) => `Ouvrez le lien envoyé à ${email} pour terminer le changement d’adresse.`,
  sendAgain: 'Renvoyer le lien',
  sent: (email) => `Un lien est en route vers ${email}`,

  invite: 'Inviter par e-mail',
  inviteText: 'La personne reçoit un lien, valable sept jours, pour choisir son mot de passe.',
  inviteSubmit: 'Envoyer l’invitation',
  invited: (email) => `Invitation envoyée à ${email}`,
  invitations: 'Invitations en attente',
  fromShare: 'Pour un appareil partagé',
  expires: 'Expire',
  expired: 'Expirée',
  resend: 'Renvoyer',
  resendTo: (email) => `Renvoyer à ${email}`,
  revoke: (email) => `Révoquer l’invitation de ${email}`,
  revokeTitle: (email) => `Révoquer l’invitation de ${email} ?`,
  revokeText: 'Le lien de l’e-mail cesse aussitôt de fonctionner.',
  revokeAction: 'Révoquer',
  revoked: (email) => `Invitation de ${email} révoquée`,
};
