import { countedIn } from '../counting.ts';
import type { Texts } from '../translation.ts';

const many = countedIn('fr');

export const geofenceLists: Texts['geofenceLists'] = {
  title: 'Listes de géorepères',
  open: 'Listes de géorepères',
  back: 'Géorepères',
  backToLists: 'Listes de géorepères',
  lead: 'Une liste réunit des géorepères. Partagez-la : d’autres voient ses géorepères et peuvent ajouter les leurs.',
  add: 'Nouvelle liste',
  none: 'Aucune liste pour l’instant',
  fences: (count) => (count === 0 ? 'Aucun géorepère' : many(count, 'géorepère', 'géorepères')),
  sharedWithYou: 'Partagée avec vous',
  sharedBy: (address) => `Partagée avec vous par ${address}`,
  gone: 'Liste introuvable',
  goneHint: 'Elle a été supprimée, ou n’est plus partagée avec vous.',

  name: 'Nom',
  namePlaceholder: 'Dépôts',
  newTitle: 'Nouvelle liste',
  editTitle: 'Modifier la liste',
  create: 'Créer la liste',
  created: (name) => `« ${name} » a été créée`,
  saved: 'Enregistré',
  edit: 'Modifier',

  delete: 'Supprimer…',
  deleteTitle: (name) => `Supprimer « ${name} » ?`,
  deleteText:
    'La liste disparaît pour tous ceux avec qui elle est partagée. Ses géorepères restent à leurs propriétaires.',
  deleteAction: 'Supprimer la liste',
  deleted: (name) => `« ${name} » a été supprimée`,
  leave: 'Quitter…',
  leaveTitle: (name) => `Quitter « ${name} » ?`,
  leaveText:
    'Vous ne voyez plus cette liste, et vos géorepères en sont retirés. Ils restent à vous. Seul un membre peut à nouveau partager la liste avec vous.',
  leaveAction: 'Quitter la liste',
  left: (name) => `Vous avez quitté « ${name} »`,

  onIt: 'Géorepères de cette liste',
  map: (name) => `Carte des géorepères de ${name}`,
  nothingOnIt: 'Aucun géorepère pour l’instant',
  nothingOnItHint: 'Ajoutez un de vos géorepères. Qui voit la liste le voit aussi.',
  addFence: 'Ajouter un géorepère',
  addFenceHint: 'Un des vôtres. Un géorepère est sur une liste au plus ; il est donc déplacé ici.',
  onOther: (fence, list) => `${fence} (sur ${list})`,
  noFence: 'Aucun géorepère trouvé',
  added: (fence) => `« ${fence} » a été ajouté`,
  takeOff: (fence) => `Retirer ${fence} de la liste`,
  takenOff: (fence) => `« ${fence} » a été retiré de la liste`,
  undo: 'Annuler',
  ofOther: 'D’un autre membre',

  sharing: 'Partage',
  share: 'Partager',
  shareTitle: 'Partager cette liste',
  email: 'Adresse e-mail',
  emailHint:
    'La personne voit la liste dès qu’elle a un compte avec cette adresse. Si l’e-mail est configuré, elle en est informée.',
  shared: (address) => `Partagée avec ${address}`,
  notShared: 'Non partagée',
  notSharedHint: 'Partagez cette liste pour que d’autres voient ses géorepères et ajoutent les leurs.',
  notSharedByYou: 'Vous n’avez partagé cette liste avec personne. Son propriétaire voit avec qui elle est partagée.',
  end: (who) => `Ne plus partager avec ${who}`,
  endTitle: (who) => `Ne plus partager avec ${who} ?`,
  endText: 'La personne ne voit plus cette liste, et ses géorepères en sont retirés.',
  endAction: 'Ne plus partager',
  ended: (who) => `N’est plus partagée avec ${who}`,
};
