import type { Texts } from '../../translation.ts';

export const deviceAccess: Texts['deviceAccess'] = {
  sharing: 'Partage',
  share: 'Partager',
  shareTitle: 'Partager cet appareil',
  email: 'Adresse e-mail',
  emailHint:
    'La personne y accède dès qu’elle a un compte avec cette adresse. Si l’e-mail est configuré, elle en est informée.',
  rights: 'Droit',
  right: { view: 'Consulter', manage: 'Gérer' },
  rightHint: {
    view: 'Voit sa position, son historique, ses mesures, ses messages et sa configuration.',
    manage:
      'Peut aussi changer sa configuration, envoyer des messages et ajouter ses propres déclencheurs et transferts.',
  },
  shared: (email) => `Partagé avec ${email}`,
  nobody: 'Non partagé',
  nobodyHint: 'Partagez cet appareil pour que d’autres puissent le consulter ou le gérer avec vous.',
  since: 'Depuis',
  end: (email) => `Ne plus partager avec ${email}`,
  endTitle: (email) => `Ne plus partager avec ${email} ?`,
  endText: 'La personne perd aussitôt l’accès, et ses déclencheurs et transferts pour cet appareil sont supprimés.',
  endAction: 'Ne plus partager',
  ended: (email) => `N’est plus partagé avec ${email}`,
  changed: (email, right) => `${email} peut maintenant ${right.toLowerCase()} cet appareil`,
  sharedWithYou: (right) =>
    `Cet appareil est partagé avec vous. Vous pouvez le ${right.toLowerCase()} ; seul son propriétaire gère les partages et la clé.`,

  key: 'Clé de l’appareil',
  keyLead:
    'L’appareil s’authentifie avec cette clé. Une clé n’est affichée qu’une fois, à sa création. Si vous ne l’avez plus, remplacez-la.',
  hasKey: 'Active',
  hasNoKey: 'Pas de clé',
  noKeyText: 'L’appareil ne peut rien transmettre tant que vous n’avez pas créé de clé.',
  keylessText: 'Cet appareil peut aussi transmettre sans clé, par son numéro de série ou son IMEI.',
  make: 'Créer une clé',
  rotate: 'Remplacer la clé',
  rotateTitle: 'Remplacer la clé de l’appareil ?',
  rotateText:
    'La clé actuelle cesse aussitôt de fonctionner. L’appareil transmet à nouveau une fois qu’il a la nouvelle.',
  rotateAction: 'Créer une nouvelle clé',
  revoke: 'Révoquer',
  revokeTitle: 'Révoquer la clé de l’appareil ?',
  revokeText:
    'L’appareil ne peut rien transmettre tant que vous n’avez pas créé de nouvelle clé. Les données reçues sont conservées.',
  revokeAction: 'Révoquer la clé',
  revoked: 'Clé révoquée',
  newKeyTitle: 'Nouvelle clé de l’appareil',
  newKeyText: 'Copiez cette clé maintenant. Elle ne sera plus affichée.',
  done: 'Terminé',

  secret: 'Chiffrement OwnTracks',
  secretLead:
    'Seulement si l’application OwnTracks chiffre ses envois. Saisissez la clé de chiffrement des réglages de l’application. Ce qui ne peut pas être déchiffré est mis en quarantaine.',
  secretIsSet: 'Définie',
  secretNow: 'Clé de chiffrement',
  secretField: 'Clé de chiffrement dans l’application',
  secretChange: 'Nouvelle clé de chiffrement',
  secretHint: 'Au plus 32 caractères. Le code QR de connexion la contient.',
  secretSave: 'Enregistrer',
  secretRemove: 'Retirer',
  secretSaved: 'Clé de chiffrement enregistrée. Saisissez la même dans l’application.',
  secretRemoved: 'Clé de chiffrement retirée. Désactivez aussi le chiffrement dans l’application.',
};
