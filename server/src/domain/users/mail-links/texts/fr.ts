import type { AccountTexts } from './account-texts.ts';

export const fr: AccountTexts = {
  quotes: ['« ', ' »'],
  notYou: 'Si ce n’était pas vous, ignorez cet e-mail : rien ne change.',
  notExpected: 'Si vous n’attendiez pas cet e-mail, ignorez-le.',
  twoDays: 'Le lien fonctionne une fois, pendant deux jours.',
  sevenDays: 'Le lien fonctionne une fois, pendant sept jours.',
  confirm: {
    subject: 'Confirmez votre adresse e-mail',
    line: 'Cette adresse a été indiquée pour un compte Trackway. Confirmez qu’elle est à vous.',
    link: 'Confirmer l’adresse',
  },
  changed: {
    subject: 'Votre adresse e-mail est en cours de changement',
    line: (newEmail) =>
      `Une personne qui connaît votre mot de passe a demandé de remplacer l’adresse e-mail de votre compte Trackway par ${newEmail}. Elle changera une fois la nouvelle adresse confirmée.`,
    notYou: 'Si ce n’était pas vous, changez votre mot de passe maintenant et demandez de l’aide à un administrateur.',
  },
  reset: {
    subject: 'Choisissez un nouveau mot de passe',
    line: 'Un nouveau mot de passe a été demandé pour votre compte Trackway.',
    link: 'Choisir un nouveau mot de passe',
    after:
      'Le lien fonctionne une fois, pendant une heure. Il met fin à toutes les sessions et à tous les jetons du compte.',
  },
  passwordChanged: {
    subject: 'Votre mot de passe a été changé',
    line: 'Le mot de passe de votre compte Trackway a été changé par un lien reçu à cette adresse. Toutes les sessions et tous les jetons ont pris fin.',
    notYou: 'Si ce n’était pas vous, demandez de l’aide à un administrateur.',
  },
  factorReset: {
    subject: 'Votre second facteur a été supprimé',
    line: 'Un administrateur a supprimé l’application d’authentification, les clés d’accès et les codes de récupération de votre compte Trackway. Toutes les sessions et tous les jetons ont pris fin.',
    next: 'Connectez-vous et configurez à nouveau un second facteur. Si vous ne l’avez pas demandé, changez votre mot de passe et prévenez un administrateur.',
  },
  invitation: {
    subject: 'Vous êtes invité sur Trackway',
    line: (from) =>
      `${from ?? 'Un administrateur'} vous invite à créer un compte Trackway. Choisissez un mot de passe pour commencer.`,
    link: 'Accepter l’invitation',
  },
  shared: {
    subject: {
      device: 'Un appareil a été partagé avec vous',
      list: 'Une liste de géorepères a été partagée avec vous',
      group: 'Un groupe d’appareils a été partagé avec vous',
    },
    line: {
      device: (from, name) => `${from} a partagé l’appareil ${name} avec vous sur Trackway.`,
      list: (from, name) => `${from} a partagé la liste de géorepères ${name} avec vous sur Trackway.`,
      group: (from, name) => `${from} a partagé le groupe d’appareils ${name} avec vous sur Trackway.`,
    },
    rights: {
      device: { view: 'Vous pouvez le consulter.', manage: 'Vous pouvez le gérer.' },
      group: { view: 'Vous pouvez consulter ses appareils.', manage: 'Vous pouvez gérer ses appareils.' },
    },
    open: 'Ouvrir Trackway',
    leave: {
      device: 'Connectez-vous avec cette adresse. Vous pouvez quitter l’appareil à tout moment, sur sa page.',
      list: 'Connectez-vous avec cette adresse. Vous pouvez quitter la liste à tout moment.',
      group: 'Connectez-vous avec cette adresse. Vous pouvez quitter le groupe à tout moment.',
    },
    join: 'Choisir un mot de passe et consulter',
    wait: 'Vous y aurez accès dès qu’un administrateur du serveur vous aura créé un compte avec cette adresse.',
  },
  recipient: {
    subject: 'Trackway peut-il vous envoyer des notifications ?',
    line: (from) =>
      `${from} souhaite envoyer à cette adresse des notifications sur un appareil suivi. Rien d’autre ne vous sera envoyé sans votre accord.`,
    link: 'Accepter, ou refuser pour toujours',
    after: 'Le même lien permet de changer d’avis plus tard.',
  },
};
