import type { Texts } from '../translation.ts';

export const devices: Texts['devices'] = {
  title: 'Appareils',
  search: 'Rechercher des appareils',
  add: 'Ajouter un appareil',
  filterByTag: 'Étiquette',
  anyValue: (name) => `${name} : toute valeur`,
  filters: 'Étiquettes utilisées comme filtre',
  endFilter: (tag) => `Ne plus filtrer par ${tag}`,
  list: 'Appareils',
  none: 'Aucun appareil pour l’instant',
  noneHint: 'Ajoutez un téléphone, un traceur ou un appareil simulé et voyez-le sur la carte.',
  noMatch: 'Aucun appareil trouvé',
  noMatchHint: 'Aucun appareil n’a de nom, de type ou d’étiquette correspondant à la recherche et aux filtres.',
  name: 'Nom',
  state: 'État',
  speed: 'Vitesse',
  battery: 'Batterie',
  heard: 'Vu pour la dernière fois',
  never: 'Jamais',
  sortBy: (column) => `Trier par ${column.toLowerCase()}`,
  count: (shown, all) => {
    const unit = all === '0' || all === '1' ? 'appareil' : 'appareils';
    return shown === all ? `${all} ${unit}` : `${shown} sur ${all} ${unit}`;
  },
  onMap: 'Voir sur la carte',
  shared: 'Partagé avec vous',
};
