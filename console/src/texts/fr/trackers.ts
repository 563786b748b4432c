import { number } from '../counting.ts';
import type { Texts } from '../translation.ts';

const times = (count: number) => `${number(count)} fois`;

export const trackers: Texts['trackers'] = {
  protocol: (name) => (/\d/.test(name) ? name.toUpperCase() : name.charAt(0).toUpperCase() + name.slice(1)),

  knocks: {
    title: 'Appareils qui se présentent',
    lead: 'Traceurs qui se sont connectés à ce serveur sans être connus. Ajoutez-en un : sa prochaine transmission sera enregistrée.',
    empty: 'Aucun traceur ne s’est présenté.',
    emptyHint: 'Réglez un traceur sur cette adresse. Il apparaît ici dès qu’il se connecte.',
    setUp: 'Réglez les traceurs sur cette adresse :',
    host: 'Hôte',
    port: 'Port',
    portHint: 'Tous les protocoles, par TCP et UDP.',
    noPort: 'Ce serveur n’écoute pas les traceurs : son port était pris, ou TRACKWAY_TRACKERS_PORT le désactive.',
    local:
      'Les traceurs ne peuvent pas atteindre cette adresse de l’extérieur. Saisissez l’adresse publique de ce serveur dans le traceur.',
    docs: 'Comment connecter un traceur',
    last: 'Vu pour la dernière fois',
    first: 'première fois',
    count: times,
    from: (address) => `depuis ${address}`,
    add: 'Ajouter…',
    addOne: (identity) => `Ajouter ${identity}…`,
    addTitle: 'Ajouter ce traceur ?',
    addText: (identity) => `${identity} devient votre appareil et peut transmettre avec ce seul identifiant, sans clé.`,
    name: 'Nom de l’appareil',
    nameHint: 'Vous pourrez le changer plus tard.',
    addAction: 'Ajouter l’appareil',
    added: (name) => `${name} a été ajouté. Sa prochaine transmission sera enregistrée.`,
    view: 'Voir l’appareil',
    dismiss: 'Ignorer',
    dismissOne: (identity) => `Ignorer ${identity}`,
    dismissed: (identity) => `${identity} a été ignoré. Il réapparaîtra s’il se reconnecte.`,
  },

  undecoded: {
    title: 'Non compris',
    lead: 'Ce que des traceurs ont envoyé et qui n’a pas pu être lu. Rien n’en a été enregistré.',
    label: 'Données de traceurs qui n’ont pas pu être lues',
    count: times,
    last: 'dernière fois',
    from: (address) => `depuis ${address}`,
    sample: 'Dernier échantillon, hexadécimal',
    unknown: 'Protocole inconnu',
  },
};
