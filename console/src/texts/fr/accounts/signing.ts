import type { Texts } from '../../translation.ts';

export const signing: Texts['signing'] = {
  title: 'Se connecter',
  name: 'Adresse e-mail ou nom d’utilisateur',
  password: 'Mot de passe',
  stays: 'Rester connecté',
  staysHint: 'Tant que ce navigateur est utilisé ici au moins une fois en deux semaines.',
  submit: 'Se connecter',
  failed: 'Nom ou mot de passe incorrect. Vérifiez-les et réessayez.',
  tooMany: (seconds) =>
    `Trop de tentatives. Attendez ${seconds < 2 ? `${seconds} seconde` : `${seconds} secondes`}, puis réessayez.`,
  expired: 'Votre session a expiré. Connectez-vous pour continuer.',
  passkey: 'Se connecter avec une clé d’accès',
  noPasskey: 'Aucune clé d’accès utilisée : la demande a été annulée, ou cet appareil n’en a pas pour ce serveur.',
  codeTitle: 'Deuxième étape',
  codeLead: 'Saisissez le code de votre application d’authentification.',
  codeLeadPasskey: 'Confirmez avec votre clé d’accès, ou saisissez un code de récupération.',
  code: 'Code',
  codeHint: 'Six chiffres, ou un code de récupération.',
  recoveryCode: 'Code de récupération',
  usePasskey: 'Utiliser une clé d’accès',
  wrongCode: 'Ce code est faux ou a déjà servi. Attendez le suivant et réessayez.',
  back: 'Retour',
  passwordNotUsed: 'Votre compte se connecte par votre fournisseur. Utilisez le bouton ci-dessous.',
  openid: {
    failed: 'La connexion par votre fournisseur a échoué. Réessayez.',
    cancelled: 'La connexion par votre fournisseur a été annulée.',
    expired: 'La connexion par votre fournisseur a pris trop de temps. Réessayez.',
    unreachable: 'Votre fournisseur est injoignable pour l’instant. Réessayez plus tard.',
    unverified: 'Votre fournisseur n’a pas vérifié votre adresse e-mail ; elle ne permet donc pas de se connecter ici.',
    domain:
      'Les comptes avec cette adresse e-mail ne peuvent pas se connecter ici. Demandez à l’exploitant du serveur.',
    unknown: 'Aucun compte n’a votre adresse e-mail ici. Demandez à un administrateur d’en créer un.',
    unconfirmed:
      'Un compte a votre adresse e-mail, mais elle n’a jamais été confirmée. Connectez-vous avec votre mot de passe et confirmez-la d’abord.',
  },
  setupTitle: 'Configurer Trackway',
  setupLead: 'Créez le premier compte. Ce sera un compte administrateur, qui peut tout voir et tout changer.',
  email: 'Adresse e-mail',
  newPassword: 'Mot de passe',
  newPasswordHint: 'Au moins 8 caractères.',
  setupSubmit: 'Créer le compte administrateur',
  needsSetup: 'Configurer ce serveur',
  needsSetupText:
    'Ce serveur n’a pas encore de compte. Ouvrez le lien de configuration qu’il a affiché au démarrage ; il contient /setup#. Si vous ne l’avez plus, redémarrez le serveur pour en obtenir un nouveau.',
  needsSetupDone: 'J’ai ouvert le lien',
  noToken:
    'Le lien est incomplet : la partie après # manque. Ouvrez le lien entier que le serveur a affiché au démarrage.',
};
