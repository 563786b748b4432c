import type { Texts } from '../../translation.ts';

export const serviceAccounts: Texts['serviceAccounts'] = {
  service: 'Service',
  add: 'Ajouter un compte de service',
  newTitle: 'Ajouter un compte de service',
  lead: 'Un compte pour un programme. Il ne peut pas se connecter et ne reçoit pas d’e-mails ; il utilise l’API avec des jetons que vous créez pour lui.',
  name: 'Nom',
  nameHint: 'Nomme le programme : « Script de sauvegarde », « Home Assistant ».',
  isAdmin: 'Administrateur',
  isAdminHint: 'Ses jetons peuvent tout voir et tout changer, pour tous les utilisateurs.',
  create: 'Ajouter le compte de service',
  created: (name) => `${name} a été ajouté. Créez un jeton pour lui.`,
  editTitle: 'Modifier le compte de service',
  tokens: 'Jetons',
  noTokens: 'Aucun jeton pour l’instant. Sans jeton, ce compte ne peut rien faire.',
  addToken: 'Nouveau jeton',
  sharing: 'Pour partager un appareil avec ce compte, partagez-le avec l’adresse ci-dessus.',
  resetFactor: 'Retirer le second facteur',
  resetTitle: (name) => `Retirer le second facteur de ${name} ?`,
  resetText:
    'Pour une personne qui a perdu son téléphone et ses codes de récupération. Son application d’authentification et ses clés d’accès sont retirées, et elle est déconnectée partout. Assurez-vous que c’est bien elle qui le demande.',
  resetDone: 'Second facteur retiré',
};
